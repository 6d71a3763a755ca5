// Loads keys and values of a paged cache ahead of their use.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tl/tl.h"

namespace kb::kernels {

// Keys [begin, end) of a block.
struct PageRun {
  std::int64_t block = 0, begin = 0, end = 0;
  std::int64_t count() const { return end - begin; }
};

// Keys of one K/V head that are loaded together.
struct PagedStep {
  std::int64_t head = 0;
  std::vector<PageRun> runs;
  std::int64_t keys() const;
};

// Splits the runs of a K/V head into steps (contract::runs_per_step()); `last`: these are the last ones.
void append_steps(std::int64_t head, const std::vector<PageRun>& runs, std::int64_t keys, bool last,
                  std::vector<PagedStep>& steps);
// contract::keys_per_step() for a cache.
std::int64_t keys_per_step(tl::Context& tl, tl::Ptr cache);

// K and V, step by step, of blocks that have `heads` heads: (page, heads, d). Small steps are loaded together, as many
// as are half of `keys`, the keys of the largest step; the first and the last one alone, so that they are there sooner.
// Loads start contract::kPagedAhead loads before; what k() and v() return is valid until k() of the next step. Must be
// used in the scope in which it was created.
class PagedBlocks {
 public:
  struct Cache {
    tl::Ptr k, v;
    std::int64_t heads;
  };
  PagedBlocks(tl::Context& tl, const Cache& cache, std::vector<PagedStep> steps, std::int64_t keys);

  // (keys, d). Call k() before v(), and both once per step, in order.
  tl::TensorHandle k(std::int64_t step);
  tl::TensorHandle v(std::int64_t step);

 private:
  struct Load {
    std::int64_t first, count, keys;  // steps, and their keys
  };
  struct Place {
    std::int64_t load, key;  // key: the first one, counted in the load
  };
  struct Buffer {
    tl::TensorHandle k, v;
    tl::Future next_k, next_v;
  };
  void divide(std::int64_t keys);
  std::int64_t count() const { return static_cast<std::int64_t>(loads_.size()); }
  const Place& place(std::int64_t step) const { return places_[static_cast<std::size_t>(step)]; }
  Buffer& buffer(std::int64_t load) { return buffers_[static_cast<std::size_t>(load) % buffers_.size()]; }
  tl::TensorHandle rows_of(const tl::TensorHandle& room, std::int64_t step);
  void start(std::int64_t load);

  tl::Context& tl_;
  Cache cache_;
  std::vector<PagedStep> steps_;
  std::vector<Place> places_;  // of each step
  std::vector<Load> loads_;
  std::int64_t page_, d_;
  std::vector<Buffer> buffers_;
};

}  // namespace kb::kernels
