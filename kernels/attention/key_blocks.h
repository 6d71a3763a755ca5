// Loads blocks of K and V from memory ahead of their use.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/attention/balanced_rows.h"
#include "kernels/tl/tl.h"

namespace kb::kernels {

// Location of the rows of K and V: row i begins i x row_stride elements after the pointer.
struct KeyMemory {
  tl::Ptr k, v;
  std::int64_t d = 0, row_stride = 0;  // row_stride 0: d, i.e. contiguous rows
};

// Provides one block of rows per step, and starts its load `ahead` steps earlier (0: in its own step). A block stays
// valid until k() of the step `ahead` later (0: of the next step). Must be used in the scope in which it was created.
class KeyBlocks {
 public:
  // A block consists of one or two ranges of rows. Starts the loads of the first `ahead` blocks.
  KeyBlocks(tl::Context& tl, const KeyMemory& memory, std::vector<RowPair> blocks, std::int64_t ahead);

  std::int64_t count() const { return static_cast<std::int64_t>(blocks_.size()); }
  // K and V of the block of a step, (rows, d); an empty handle for a block without rows. Call k() before v(). The next
  // load starts when K has arrived.
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
  // Calls `load` for each range of rows of a block with a part of the buffer and its source.
  void each_load(const tl::TensorHandle& buffer, tl::Ptr from, std::int64_t step,
                 const std::function<void(const tl::TensorHandle&, tl::Ptr)>& load);

  tl::Context& tl_;
  KeyMemory memory_;
  std::vector<RowPair> blocks_;
  std::int64_t ahead_;
  std::vector<Buffer> buffers_;
};

}  // namespace kb::kernels
