// Maps tensor positions to physical addresses for one PE (address model PA; under VA the PE's page table does this).
#pragma once

#include <cstdint>
#include <vector>

#include "platform/base/ids.h"
#include "platform/ops/op_types.h"

namespace kb::contract {
struct TensorLayout;
struct Shard;
}  // namespace kb::contract

namespace kb::tl {

// The shard list of a tensor with one copy selected for each range: the caller's own, otherwise the first one in the
// caller's cube, otherwise the first in the list.
class ShardMap {
 public:
  ShardMap(const contract::TensorLayout& tensor, PeCoord caller);

  const contract::TensorLayout& tensor() const { return *tensor_; }
  // Appends the physical extents of bytes [offset, offset + nbytes) in order, split where shards end. Returns false,
  // with `extents` unchanged, when some of the bytes are in no shard. Model Error when two shards overlap without being
  // copies of each other, unless the caller's own shard has all bytes.
  bool append(std::uint64_t offset, std::uint64_t nbytes, std::vector<Extent>& extents) const;
  // A shard that the caller owns (the first one if there are several), or null.
  const contract::Shard* own() const { return own_; }
  struct Part {
    std::uint64_t begin, end;  // bytes in shard order
  };
  // Shards that contain the bytes from `offset` on: only the caller's own if it has the first byte, otherwise all
  // shards, with one of each set of copies.
  std::vector<Part> parts_from(std::uint64_t offset) const;
  std::vector<Part> all_parts_from(std::uint64_t offset) const;

 private:
  struct Range {
    std::uint64_t begin, end, pa;
  };
  void sort_ranges() const;

  const contract::TensorLayout* tensor_;
  PeCoord caller_;
  const contract::Shard* own_ = nullptr;
  mutable std::vector<Range> ranges_;  // ascending, disjoint; empty until bytes outside the own shard are requested
  mutable std::size_t last_ = 0;       // range of the previous look-up
};

}  // namespace kb::tl
