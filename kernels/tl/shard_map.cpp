#include "kernels/tl/shard_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "platform/contract/tensor_layout.h"

namespace kb::tl {
namespace {

int distance_rank(PeCoord owner, PeCoord caller) {
  if (owner == caller) return 0;
  return owner.sip == caller.sip && owner.cube == caller.cube ? 1 : 2;
}

}  // namespace

ShardMap::ShardMap(const contract::TensorLayout& tensor, PeCoord caller) : tensor_(&tensor), caller_(caller) {
  const auto own = std::find_if(tensor.shards.begin(), tensor.shards.end(),
                                [&](const contract::Shard& shard) { return shard.owner == caller; });
  if (own != tensor.shards.end()) own_ = &*own;
}

void ShardMap::sort_ranges() const {
  std::vector<const contract::Shard*> order;
  for (const contract::Shard& shard : tensor_->shards) {
    if (shard.nbytes > 0) order.push_back(&shard);
  }
  std::stable_sort(order.begin(), order.end(), [&](const contract::Shard* a, const contract::Shard* b) {
    if (a->offset_bytes != b->offset_bytes) return a->offset_bytes < b->offset_bytes;
    return distance_rank(a->owner, caller_) < distance_rank(b->owner, caller_);
  });
  for (const contract::Shard* shard : order) {
    const std::uint64_t end = shard->offset_bytes + shard->nbytes;
    if (!ranges_.empty() && shard->offset_bytes < ranges_.back().end) {
      if (shard->offset_bytes == ranges_.back().begin && end == ranges_.back().end) continue;
      throw Error::model(fmt::format("tensor '{}': the shards at offsets {} and {} overlap without being copies",
                                     tensor_->name, ranges_.back().begin, shard->offset_bytes));
    }
    ranges_.push_back({shard->offset_bytes, end, shard->pa});
  }
}

std::vector<ShardMap::Part> ShardMap::parts_from(std::uint64_t offset) const {
  for (const contract::Shard& shard : tensor_->shards) {
    const std::uint64_t end = shard.offset_bytes + shard.nbytes;
    if (shard.owner == caller_ && offset >= shard.offset_bytes && offset < end) return {{offset, end}};
  }
  return all_parts_from(offset);
}

std::vector<ShardMap::Part> ShardMap::all_parts_from(std::uint64_t offset) const {
  if (ranges_.empty()) sort_ranges();
  std::vector<Part> parts;
  for (const Range& range : ranges_) {
    if (range.end > offset) parts.push_back({std::max(range.begin, offset), range.end});
  }
  return parts;
}

bool ShardMap::append(std::uint64_t offset, std::uint64_t nbytes, std::vector<Extent>& extents) const {
  if (nbytes == 0) return true;
  if (own_ != nullptr && offset >= own_->offset_bytes && nbytes <= own_->nbytes &&
      offset - own_->offset_bytes <= own_->nbytes - nbytes) {
    extents.push_back({own_->pa + (offset - own_->offset_bytes), nbytes});
    return true;
  }
  if (ranges_.empty()) sort_ranges();
  std::size_t i = last_;
  if (i >= ranges_.size() || offset < ranges_[i].begin || offset >= ranges_[i].end) {
    const auto it = std::upper_bound(ranges_.begin(), ranges_.end(), offset,
                                     [](std::uint64_t at, const Range& range) { return at < range.end; });
    i = static_cast<std::size_t>(it - ranges_.begin());
  }
  const std::size_t before = extents.size();
  while (i < ranges_.size() && ranges_[i].begin <= offset) {
    const Range& range = ranges_[i];
    const std::uint64_t part = std::min(nbytes, range.end - offset);
    extents.push_back({range.pa + (offset - range.begin), part});
    offset += part;
    nbytes -= part;
    last_ = i;
    if (nbytes == 0) return true;
    ++i;
  }
  extents.resize(before);
  return false;
}

}  // namespace kb::tl
