// From the pointers of a kernel to addresses.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "kernels/tl/call.h"
#include "kernels/tl/ptr.h"
#include "kernels/tl/results.h"
#include "kernels/tl/shard_map.h"

namespace kb::tl {

// Says where tiles of tensors lie, as the PE of the kernel sees them.
class Addressing {
 public:
  explicit Addressing(const Call& call) : call_(call) {}

  // Of the elements that `ptr` points to; DTYPE_ERROR when `dtype` is another one.
  Dtype dtype_of(Ptr ptr, std::optional<Dtype> dtype = std::nullopt) const;
  // Appends the extents of a tile, in order; ADDRESS_ERROR out of the tensor.
  void append(Ptr ptr, const Shape& shape, Dtype dtype, std::int64_t row_stride, std::vector<Extent>& out);
  // Where rows from `ptr` on can lie that nobody knows (ShardMap::parts_from); bytes in shard order.
  std::vector<ShardMap::Part> likely_parts(Ptr ptr);
  // Appends the extents of all bytes from `ptr` on that lie in a shard.
  void append_rest(Ptr ptr, std::vector<Extent>& out);
  // As the calls of Context.
  LocalShard shard(Ptr ptr);
  LocalShard cube_shard(Ptr ptr) const;

 private:
  const contract::TensorLayout& tensor_of(Ptr ptr) const;
  ShardMap& shard_map(const contract::TensorLayout& tensor);
  void append_run(const ShardMap& map, std::int64_t offset, std::uint64_t nbytes, const Shape& shape,
                  std::vector<Extent>& out) const;
  void check_last_row(Ptr ptr, std::int64_t step, std::uint64_t row_bytes, const Shape& shape);

  const Call& call_;
  std::deque<ShardMap> shard_maps_;  // of the tensors used so far
  ShardMap* last_map_ = nullptr;
};

}  // namespace kb::tl
