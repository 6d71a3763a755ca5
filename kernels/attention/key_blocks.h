// Blocks of K and V on their way from memory.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/attention/dealt_rows.h"
#include "kernels/tl/tl.h"

namespace kb::kernels {

// Where the rows of K and V lie: row i begins i x row_stride elements behind the pointer.
struct KeyMemory {
  tl::Ptr k, v;
  std::int64_t d = 0, row_stride = 0;  // 0: d, one row behind the other
};

// Blocks of rows, one in each step, loaded `ahead` steps before they are asked for; 0: when they are asked for. A block
// stays until K of the one `ahead` steps later is asked for (0: of the next one). Lives in the scope it is made in.
class KeyBlocks {
 public:
  // A block is one or two ranges of rows of the memory. Starts the loads of the first `ahead` blocks.
  KeyBlocks(tl::Context& tl, const KeyMemory& memory, std::vector<RowPair> blocks, std::int64_t ahead);

  std::int64_t count() const { return static_cast<std::int64_t>(blocks_.size()); }
  // K and then V of the block of a step, (rows, d), of a block without rows an empty handle. Starts the next load when
  // K is here.
  tl::TensorHandle k(std::int64_t step);
  tl::TensorHandle v(std::int64_t step);

 private:
  using Loads = std::vector<tl::Future>;
  struct Buffer {
    tl::TensorHandle k, v;
    Loads next_k, next_v;
  };

  const RowPair& block(std::int64_t step) const { return blocks_[static_cast<std::size_t>(step)]; }
  Buffer& buffer(std::int64_t step) { return buffers_[static_cast<std::size_t>(step) % buffers_.size()]; }
  std::int64_t stride() const { return memory_.row_stride == memory_.d ? 0 : memory_.row_stride; }
  tl::TensorHandle rows_of(const tl::TensorHandle& buffer, std::int64_t first, std::int64_t count);
  void start(std::int64_t step);
  tl::TensorHandle take(std::int64_t step, tl::TensorHandle Buffer::*rows, tl::Ptr from, Loads Buffer::*loads);
  // `load` for each range of rows of a block that is one load: into what part of the buffer, from where.
  void each_load(const tl::TensorHandle& buffer, tl::Ptr from, std::int64_t step,
                 const std::function<void(const tl::TensorHandle&, tl::Ptr)>& load);

  tl::Context& tl_;
  KeyMemory memory_;
  std::vector<RowPair> blocks_;
  std::int64_t ahead_;
  std::vector<Buffer> buffers_;
};

}  // namespace kb::kernels
