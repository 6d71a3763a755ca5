// Converts the pointers of a kernel to addresses.
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

// Locates tiles of tensors from the view of the kernel's PE.
class Addressing {
 public:
  explicit Addressing(const Call& call) : call_(call) {}

  // Dtype of the elements at `ptr`; DTYPE_ERROR when `dtype` differs from it.
  Dtype dtype_of(Ptr ptr, std::optional<Dtype> dtype = std::nullopt) const;
  // Appends the extents of a tile, in order; ADDRESS_ERROR when it exceeds the tensor.
  void append(Ptr ptr, const Shape& shape, Dtype dtype, std::int64_t row_stride, std::vector<Extent>& out);
  // Possible places of unknown rows, counted from `ptr` (ShardMap::parts_from); bytes in shard order.
  std::vector<ShardMap::Part> likely_parts(Ptr ptr);
  // Appends the extents of all bytes after `ptr` that lie in a shard.
  void append_rest(Ptr ptr, std::vector<Extent>& out);
  // Implement the functions of Context with these names.
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
