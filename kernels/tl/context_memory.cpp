#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/tl/context.h"

namespace kb::tl {

using contract::Command;
using contract::CommandKind;

namespace {

// For messages, so the end of all addresses stands for what lies beyond it.
std::int64_t last_byte(std::int64_t offset, std::uint64_t nbytes) {
  std::int64_t last = 0;
  return __builtin_add_overflow(offset, nbytes - 1, &last) ? INT64_MAX : last;
}

}  // namespace

LocalShard Context::shard(Ptr ptr) {
  begin("shard", Cost::free);
  const contract::TensorLayout& tensor = call_.located([&]() -> const contract::TensorLayout& { return ptr.tensor(); });
  const contract::Shard* own = shard_map(tensor).own();
  LocalShard local;
  if (own == nullptr) return local;
  const auto item = static_cast<std::int64_t>(item_size(tensor.dtype));
  local.ptr = Ptr(tensor).bytes(static_cast<std::int64_t>(own->offset_bytes));
  local.first = static_cast<std::int64_t>(own->offset_bytes) / item;
  local.elements = static_cast<std::int64_t>(own->nbytes) / item;
  local.shape = tensor.shape_of(*own);
  return local;
}

LocalShard Context::cube_shard(Ptr ptr) {
  begin("cube_shard", Cost::free);
  const contract::TensorLayout& tensor = call_.located([&]() -> const contract::TensorLayout& { return ptr.tensor(); });
  const PeCoord& me = pe_.info().coord;
  std::uint64_t first = tensor.nbytes, end = 0;
  for (const contract::Shard& shard : tensor.shards) {
    if (shard.owner.sip != me.sip || shard.owner.cube != me.cube) continue;
    first = std::min(first, shard.offset_bytes);
    end = std::max(end, shard.offset_bytes + shard.nbytes);
  }
  LocalShard local;
  if (end <= first) return local;
  const auto item = static_cast<std::int64_t>(item_size(tensor.dtype));
  local.ptr = Ptr(tensor).bytes(static_cast<std::int64_t>(first));
  local.first = static_cast<std::int64_t>(first) / item;
  local.elements = static_cast<std::int64_t>(end - first) / item;
  return local;
}

ShardMap& Context::shard_map(const contract::TensorLayout& tensor) {
  if (last_map_ != nullptr && &last_map_->tensor() == &tensor) return *last_map_;
  for (ShardMap& map : shard_maps_) {
    if (&map.tensor() == &tensor) return *(last_map_ = &map);
  }
  shard_maps_.emplace_back(tensor, pe_.info().coord);
  return *(last_map_ = &shard_maps_.back());
}

Dtype Context::pointer_dtype(Ptr ptr, std::optional<Dtype> dtype) const {
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

void Context::append_run(const ShardMap& map, std::int64_t offset, std::uint64_t nbytes, const Shape& shape,
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

// A tile that leaves its tensor is refused before its rows are listed, however many they are.
void Context::check_last_row(Ptr ptr, std::int64_t step, std::uint64_t row_bytes, const Shape& shape) {
  const std::int64_t room = static_cast<std::int64_t>(ptr.tensor().nbytes) - static_cast<std::int64_t>(row_bytes);
  const std::int64_t fit =
      ptr.offset_bytes() < 0 || ptr.offset_bytes() > room ? 0 : (room - ptr.offset_bytes()) / step + 1;
  if (shape[0] <= fit) return;
  std::vector<Extent> unused;
  append_run(shard_map(ptr.tensor()), ptr.offset_bytes() + fit * step, row_bytes, shape, unused);
}

void Context::append_extents(Ptr ptr, const Shape& shape, Dtype dtype, std::int64_t row_stride,
                             std::vector<Extent>& out) {
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

TensorHandle Context::load(Ptr ptr, Shape shape, std::optional<Dtype> dtype, std::int64_t row_stride) {
  begin("load", Cost::dispatched);
  if (!prefetched_.empty()) {
    TensorHandle early = take_prefetched(ptr, shape, row_stride);
    if (early.context_ != nullptr) return early;
  }
  TensorHandle handle = new_load(ptr, std::move(shape), dtype, row_stride);
  emit(dma_);
  return handle;
}

// Room for the data; the command is dma_.
TensorHandle Context::new_load(Ptr ptr, Shape shape, std::optional<Dtype> dtype, std::int64_t row_stride) {
  const Dtype type = pointer_dtype(ptr, dtype);
  Command& command = new_dma(CommandKind::dma_read);
  append_extents(ptr, shape, type, row_stride, command.memory);
  TensorHandle handle = allocate(std::move(shape), type);
  command.local.push_back(extent(handle));
  return handle;
}

void Context::load_into(const TensorHandle& out, Ptr ptr, std::int64_t row_stride) {
  begin("load_into", Cost::dispatched);
  check_load_target(out, ptr);
  emit(load_command(out, ptr, row_stride));
}

void Context::check_load_target(const TensorHandle& out, Ptr ptr) const {
  check_writable(out, 1);
  const Dtype type = pointer_dtype(ptr, std::nullopt);
  if (out.dtype_ != type) {
    call_.raise("DTYPE_ERROR",
                fmt::format("{} cannot take data of tensor '{}', which is {}; give a tensor of that dtype",
                            describe(out, 1), ptr.tensor().name, dtype_name(type)));
  }
  if (out.transposed_) {
    call_.raise("KERNEL_ERROR", fmt::format("{} is a transposed view and cannot be written", describe(out, 1)));
  }
}

Command& Context::load_command(const TensorHandle& out, Ptr ptr, std::int64_t row_stride) {
  Command& command = new_dma(CommandKind::dma_read);
  append_extents(ptr, out.shape_, out.dtype_, row_stride, command.memory);
  command.local.push_back(extent(out));
  return command;
}

Dtype Context::check_stored(Ptr ptr, const TensorHandle& value) const {
  check(value, 1);
  const Dtype type = pointer_dtype(ptr, std::nullopt);
  if (value.dtype_ != type) {
    call_.raise("DTYPE_ERROR",
                fmt::format("{} cannot be stored to tensor '{}', which is {}; {}", describe(value, 1),
                            ptr.tensor().name, dtype_name(type),
                            value.dtype_ == Dtype::i4 ? "store the i8 tensor that holds it" : "tl.cast it first"));
  }
  if (value.transposed_) {
    call_.raise(
        "KERNEL_ERROR",
        fmt::format("{} is a transposed view; tl.cast(x, x.dtype()) makes a dense copy to store", describe(value, 1)));
  }
  return type;
}

void Context::store(Ptr ptr, const TensorHandle& value, std::int64_t row_stride) {
  begin("store", Cost::dispatched);
  emit(store_command(ptr, value, row_stride));
}

Command& Context::store_command(Ptr ptr, const TensorHandle& value, std::int64_t row_stride) {
  const Dtype type = check_stored(ptr, value);
  Command& command = new_dma(CommandKind::dma_write);
  append_extents(ptr, value.shape_, type, row_stride, command.memory);
  command.local.push_back(extent(value));
  return command;
}

TensorHandle Context::ref(Ptr ptr, Shape shape, std::optional<Dtype> dtype, std::int64_t row_stride) {
  begin("ref", Cost::free);
  TensorHandle handle;
  handle.dtype_ = pointer_dtype(ptr, dtype);
  std::vector<Extent> inside;
  append_extents(ptr, shape, handle.dtype_, row_stride, inside);
  handle.context_ = this;
  handle.context_id_ = call_.instance();
  handle.scope_ = scratch_.current();
  handle.shape_ = std::move(shape);
  handle.source_ = ptr;
  handle.row_stride_ = row_stride;
  handle.call_ = call_.name();
  handle.call_index_ = call_.number();
  return handle;
}

// fill(bytes) gives the contents, once it is known that scratch has room for them.
template <typename Fill>
TensorHandle Context::seeded(Shape shape, Dtype dtype, Fill fill) {
  TensorHandle handle = allocate(std::move(shape), dtype);
  std::vector<std::byte> bytes(handle.nbytes());
  fill(bytes);
  call_.located([&] { pe_.write_scratch(handle.pa_, std::move(bytes)); });
  return handle;
}

TensorHandle Context::empty(Shape shape, Dtype dtype) {
  begin("empty", Cost::free);
  return allocate(std::move(shape), dtype);
}

TensorHandle Context::zeros(Shape shape, Dtype dtype) {
  begin("zeros", Cost::free);
  return seeded(std::move(shape), dtype, [](std::vector<std::byte>&) {});
}

TensorHandle Context::full(Shape shape, Scalar value, Dtype dtype) {
  begin("full", Cost::free);
  const std::uint64_t element = call_.located([&] { return encode_element(dtype, value); });
  const std::size_t item = item_size(dtype);
  return seeded(std::move(shape), dtype, [&](std::vector<std::byte>& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += item) std::memcpy(bytes.data() + at, &element, item);
  });
}

TensorHandle Context::arange(std::int64_t start, std::int64_t end, Dtype dtype) {
  begin("arange", Cost::free);
  if (end <= start)
    call_.raise("SHAPE_ERROR", fmt::format("arange({}, {}) is empty; end must be above start", start, end));
  std::int64_t count = 0;
  if (__builtin_sub_overflow(end, start, &count)) {
    call_.raise("SHAPE_ERROR", fmt::format("arange({}, {}) has more elements than can be counted", start, end));
  }
  const std::size_t item = item_size(dtype);
  return seeded({count}, dtype, [&](std::vector<std::byte>& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += item) {
      const std::int64_t value = start + static_cast<std::int64_t>(at / item);
      const std::uint64_t element = call_.located([&] { return encode_element(dtype, Scalar(value)); });
      std::memcpy(bytes.data() + at, &element, item);
    }
  });
}

std::vector<std::byte> Context::contents(const TensorHandle& handle) {
  begin("read", Cost::free);
  check(handle, 1);
  return look_at(handle);
}

std::vector<std::byte> Context::look_at(const TensorHandle& handle) const {
  if (const InFlight::Operation* const writer = in_flight_.conflict(extent(handle), false)) {
    call_.raise("KERNEL_ERROR", fmt::format("{} is still being written by tl.{} #{}; tl.wait for that call first",
                                            describe(handle, 1), writer->call, writer->call_index));
  }
  return call_.located([&] { return pe_.read({extent(handle)}); });
}

}  // namespace kb::tl
