// From tensor space to physical addresses, as one PE sees it (address model PA; under VA the PE's page table does it).
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

// The shard list of a tensor with one copy chosen for each range: of several shards with the same range the caller's
// own is taken, else the first one in the caller's cube, else the first of the list.
class ShardMap {
 public:
  ShardMap(const contract::TensorLayout& tensor, PeCoord caller);

  const contract::TensorLayout& tensor() const { return *tensor_; }
  // Appends the physical extents of bytes [offset, offset + nbytes) in order, split where shards end. False when some
  // of the bytes are in no shard; `extents` is then unchanged. Model Error when two shards overlap without being copies
  // of each other, unless the caller's own has all bytes.
  bool append(std::uint64_t offset, std::uint64_t nbytes, std::vector<Extent>& extents) const;
  // The shard that the caller owns (the first one, if it owns several), or null.
  const contract::Shard* own() const { return own_; }
  struct Part {
    std::uint64_t begin, end;  // bytes in shard order
  };
  // What `offset` and the bytes behind it are in: the caller's own shard, where it has that byte; else all shards, of
  // copies one.
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
  mutable std::vector<Range> ranges_;  // ascending, disjoint; empty until bytes beyond the own shard are asked for
  mutable std::size_t last_ = 0;       // range of the previous look-up
};

}  // namespace kb::tl
