#include "kernels/tl/addressing.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/contract/tensor_layout.h"

namespace kb::tl {
namespace {

// Only for messages; saturates at the end of the address range.
std::int64_t last_byte(std::int64_t offset, std::uint64_t nbytes) {
  std::int64_t last = 0;
  return __builtin_add_overflow(offset, nbytes - 1, &last) ? INT64_MAX : last;
}

// Bytes [first, end) of a tensor in shard order.
LocalShard part(const contract::TensorLayout& tensor, std::uint64_t first, std::uint64_t end) {
  const auto item = static_cast<std::int64_t>(item_size(tensor.dtype));
  LocalShard local;
  local.ptr = Ptr(tensor).bytes(static_cast<std::int64_t>(first));
  local.first = static_cast<std::int64_t>(first) / item;
  local.elements = static_cast<std::int64_t>(end - first) / item;
  return local;
}

}  // namespace

LocalShard Addressing::shard(Ptr ptr) {
  const contract::TensorLayout& tensor = tensor_of(ptr);
  const contract::Shard* const own = shard_map(tensor).own();
  if (own == nullptr) return {};
  LocalShard local = part(tensor, own->offset_bytes, own->offset_bytes + own->nbytes);
  local.shape = tensor.shape_of(*own);
  return local;
}

std::vector<ShardMap::Part> Addressing::likely_parts(Ptr ptr) {
  return shard_map(tensor_of(ptr)).parts_from(static_cast<std::uint64_t>(ptr.offset_bytes()));
}

void Addressing::append_rest(Ptr ptr, std::vector<Extent>& out) {
  const ShardMap& map = shard_map(tensor_of(ptr));
  for (const ShardMap::Part& part : map.all_parts_from(static_cast<std::uint64_t>(ptr.offset_bytes()))) {
    append_run(map, static_cast<std::int64_t>(part.begin), part.end - part.begin, ptr.tensor().shape, out);
  }
}

LocalShard Addressing::cube_shard(Ptr ptr) const {
  const contract::TensorLayout& tensor = tensor_of(ptr);
  const PeCoord me = call_.pe();
  std::uint64_t first = tensor.nbytes, end = 0;
  for (const contract::Shard& shard : tensor.shards) {
    if (shard.owner.sip != me.sip || shard.owner.cube != me.cube) continue;
    first = std::min(first, shard.offset_bytes);
    end = std::max(end, shard.offset_bytes + shard.nbytes);
  }
  return end <= first ? LocalShard{} : part(tensor, first, end);
}

const contract::TensorLayout& Addressing::tensor_of(Ptr ptr) const {
  return call_.located([&]() -> const contract::TensorLayout& { return ptr.tensor(); });
}

ShardMap& Addressing::shard_map(const contract::TensorLayout& tensor) {
  if (last_map_ != nullptr && &last_map_->tensor() == &tensor) return *last_map_;
  for (ShardMap& map : shard_maps_) {
    if (&map.tensor() == &tensor) return *(last_map_ = &map);
  }
  shard_maps_.emplace_back(tensor, call_.pe());
  return *(last_map_ = &shard_maps_.back());
}

Dtype Addressing::dtype_of(Ptr ptr, std::optional<Dtype> dtype) const {
  if (ptr.null()) {
    call_.raise("SCHEMA_ERROR", "the pointer points to no tensor; take it from a kernel argument");
  }
  if (dtype && *dtype != ptr.dtype()) {
    call_.raise("DTYPE_ERROR",
                fmt::format("tensor '{}' is read as {}, not {}; load it as it is and tl.cast, or re-interpret "
                            "the bytes with ptr.as(Dtype::{})",
                            ptr.tensor().name, dtype_name(ptr.dtype()), dtype_name(*dtype), dtype_name(*dtype)));
  }
  return ptr.dtype();
}

void Addressing::append_run(const ShardMap& map, std::int64_t offset, std::uint64_t nbytes, const Shape& shape,
                            std::vector<Extent>& out) const {
  const contract::TensorLayout& tensor = map.tensor();
  const bool inside =
      offset >= 0 && nbytes <= tensor.nbytes && static_cast<std::uint64_t>(offset) <= tensor.nbytes - nbytes;
  if (inside && tensor.va_base) {
    out.push_back({*tensor.va_base + static_cast<std::uint64_t>(offset), nbytes});
    return;
  }
  if (inside && map.append(static_cast<std::uint64_t>(offset), nbytes, out)) return;
  call_.raise(
      "ADDRESS_ERROR",
      fmt::format("bytes {} to {} of a tile of shape {} {} tensor '{}' ({} {}, {} bytes in shard order)", offset,
                  last_byte(offset, nbytes), format_shape(shape), inside ? "are in no shard of" : "are outside",
                  tensor.name, dtype_name(tensor.dtype), format_shape(tensor.shape), tensor.nbytes));
}

// A tile that exceeds its tensor is refused before its rows are listed, because there may be very many.
void Addressing::check_last_row(Ptr ptr, std::int64_t step, std::uint64_t row_bytes, const Shape& shape) {
  const std::int64_t room = static_cast<std::int64_t>(ptr.tensor().nbytes) - static_cast<std::int64_t>(row_bytes);
  const std::int64_t fit =
      ptr.offset_bytes() < 0 || ptr.offset_bytes() > room ? 0 : (room - ptr.offset_bytes()) / step + 1;
  if (shape[0] <= fit) return;
  std::vector<Extent> unused;
  append_run(shard_map(ptr.tensor()), ptr.offset_bytes() + fit * step, row_bytes, shape, unused);
}

void Addressing::append(Ptr ptr, const Shape& shape, Dtype dtype, std::int64_t row_stride, std::vector<Extent>& out) {
  const std::uint64_t nbytes = call_.checked_bytes(shape, dtype);
  const auto item = static_cast<std::int64_t>(item_size(dtype));
  const ShardMap& map = shard_map(ptr.tensor());
  if (ptr.offset_bytes() % item != 0) {
    call_.raise("ADDRESS_ERROR", fmt::format("byte offset {} of tensor '{}' is not a multiple of the {} bytes of {}",
                                             ptr.offset_bytes(), map.tensor().name, item, dtype_name(dtype)));
  }
  if (row_stride == 0 || (shape.size() == 2 && row_stride == shape[1])) {
    append_run(map, ptr.offset_bytes(), nbytes, shape, out);
    return;
  }
  if (shape.size() != 2 || row_stride < shape[1]) {
    call_.raise("SHAPE_ERROR",
                fmt::format("row stride {} does not fit shape {}; a strided tile has two dimensions and a stride "
                            "of at least its row length",
                            row_stride, format_shape(shape)));
  }
  std::int64_t step = 0;
  std::int64_t last = 0;
  if (__builtin_mul_overflow(row_stride, item, &step) || __builtin_mul_overflow(step, shape[0], &last) ||
      __builtin_add_overflow(last, ptr.offset_bytes(), &last)) {
    call_.raise("SHAPE_ERROR",
                fmt::format("row stride {} is too large for {} rows from byte {} of tensor '{}', which has {} "
                            "bytes",
                            row_stride, shape[0], ptr.offset_bytes(), map.tensor().name, map.tensor().nbytes));
  }
  const auto row_bytes = static_cast<std::uint64_t>(shape[1] * item);
  check_last_row(ptr, step, row_bytes, shape);
  out.reserve(static_cast<std::size_t>(shape[0]));
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    append_run(map, ptr.offset_bytes() + row * step, row_bytes, shape, out);
  }
}

}  // namespace kb::tl
