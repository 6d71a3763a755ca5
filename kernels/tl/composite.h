// Composites: operations from memory to memory that run tile by tile beside the kernel (chapter 06, sections 3 and 9).
#pragma once

#include <cstdint>
#include <optional>

#include "platform/base/dtype.h"
#include "platform/contract/command.h"

namespace kb::tl {

class Context;

using plan::TileShape;  // elements; k is not used by element-wise composites

struct CompositeOptions {
  std::optional<TileShape> tile_shape;  // absent: the one of the PE's scheduler
  std::optional<Dtype> acc_dtype;       // absent: as dot
};

// Names a composite that was given to the PE. Copies name the same one.
class CompletionHandle {
 public:
  CompletionHandle() = default;  // names nothing

 private:
  friend class Context;
  std::uint64_t context_id_ = 0;
  std::uint64_t ticket_ = 0;
  std::uint64_t index_ = 0;  // of the composite among the kernel's
};

}  // namespace kb::tl
