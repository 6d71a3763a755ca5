// Where the pages of chunks lie: in the cache, or in a copy that each cube has of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/tl/tl.h"
#include "platform/contract/paged_attention.h"

namespace kb::kernels {

struct ChunkTensors {
  tl::Ptr k, v;  // caches
  tl::Ptr table;
  std::optional<tl::Ptr> k_stage, v_stage;  // (pages, page, kv_heads, d), a copy per cube
};

class ChunkPages {
 public:
  // Reads the tables of all sequences. Program Error KERNEL_ERROR for a block that the cache does not have, and for
  // staging tensors that do not fit.
  ChunkPages(tl::Context& tl, const ChunkTensors& tensors, const std::vector<contract::ChunkSequence>& sequences,
             std::int64_t window);

  // Copies this PE's part of the pages, of these K/V heads, to the copy of its cube; all PEs of the cube have theirs at
  // a barrier.
  void stage(const std::vector<std::int64_t>& heads);

  tl::Ptr k() const { return tensors_.k_stage ? *tensors_.k_stage : tensors_.k; }
  tl::Ptr v() const { return tensors_.v_stage ? *tensors_.v_stage : tensors_.v; }
  // Heads in a block of k() and v(). In the copy each head has blocks of its own: the keys of one head in a page would
  // lie far apart, on the same channels of the memory.
  std::int64_t heads_in_block() const { return tensors_.k_stage ? 1 : kv_heads(); }
  // Block of k() and v() that has a page of a sequence for a head.
  std::int64_t block(std::int64_t sequence, std::int64_t page, std::int64_t head) const;

 private:
  struct Pages {
    std::int64_t first_page = 0, first_staged = 0;
    std::vector<std::int64_t> blocks;
  };
  void check_stage() const;
  // Where a page is staged, counted over all sequences: pages go round over the PEs of a cube.
  std::int64_t staged(std::int64_t number) const;
  std::int64_t kv_heads() const { return tensors_.k.shape()[2]; }
  // Appends the rows of a block that a head has: a row for each key, or the whole block if there is one head.
  void append_rows(std::int64_t block, std::int64_t head, std::vector<std::int64_t>& rows) const;
  std::vector<std::int64_t> own_pages() const;  // those that this PE copies, in that order

  tl::Context& tl_;
  ChunkTensors tensors_;
  std::vector<Pages> sequences_;
  std::vector<std::int64_t> blocks_;  // of all sequences
};

}  // namespace kb::kernels
