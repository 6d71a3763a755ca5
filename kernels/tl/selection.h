// Elements that indices and masks select (decision 0047).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/tl/addressing.h"
#include "kernels/tl/call.h"
#include "kernels/tl/indexed.h"
#include "kernels/tl/tensors.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"

namespace kb::tl {

// Reads indices and masks and adds the selected extents to a DMA command. When data mode off does not know the
// contents, it assumes some and marks the command as assumed.
class Selection {
 public:
  Selection(const Call& call, const Tensors& tensors, Addressing& addressing)
      : call_(call), tensors_(tensors), addressing_(addressing) {}

  Shape shape_of(const Indices& rows) const;
  // Number of elements of `value` per index; 1 when the shapes are equal.
  std::int64_t row_elements_of(const Indices& rows, const TensorHandle& value) const;
  // Appends one extent per row, in the order of the indices.
  void append_rows(Ptr ptr, const Indices& rows, std::int64_t row_elements, contract::Command& command);

  struct Elements {
    std::vector<bool> takes_part;  // in row-major order
    bool assumed = false;
  };
  Elements elements_of(Ptr ptr, const Mask& mask, const Shape& shape) const;
  // Appends the selected elements on both sides.
  void append_masked(Ptr ptr, const TensorHandle& local, const Elements& elements, contract::Command& command);

 private:
  std::optional<std::vector<std::int64_t>> known_integers(const TensorHandle& tensor, std::string_view what) const;
  std::vector<std::int64_t> assumed_rows(Ptr ptr, std::int64_t count, std::int64_t row_bytes, std::int64_t bound) const;

  const Call& call_;
  const Tensors& tensors_;
  Addressing& addressing_;
};

}  // namespace kb::tl
