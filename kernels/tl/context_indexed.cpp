// Accesses whose elements are named one by one: gather, scatter, masked loads and stores, atomic additions (decision
// 0033).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "kernels/tl/context.h"

namespace kb::tl {

using contract::Command;
using contract::CommandKind;

namespace {

// splitmix64
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Calls run(first, count) for each run of elements that take part.
template <typename Run>
void for_runs(const std::vector<bool>& takes_part, Run run) {
  const auto size = static_cast<std::int64_t>(takes_part.size());
  for (std::int64_t first = 0, end = 0; first < size; first = end) {
    end = first + 1;
    while (end < size && takes_part[static_cast<std::size_t>(end)] == takes_part[static_cast<std::size_t>(first)])
      ++end;
    if (takes_part[static_cast<std::size_t>(first)]) run(first, end - first);
  }
}

}  // namespace

// The integers of a tensor in scratch; nothing when the run has no contents.
std::optional<std::vector<std::int64_t>> Context::known_integers(const TensorHandle& tensor, std::string_view what) {
  check(tensor, 1);
  if (is_float(tensor.dtype_)) {
    call_.raise("DTYPE_ERROR", fmt::format("{} is the {}; it must be an integer tensor", describe(tensor, 1), what));
  }
  if (!pe_.has_contents()) return std::nullopt;
  return tensor.integers_of(look_at(tensor));
}

// Without contents every PE and call takes rows of its own at random, as many requests as with them.
std::vector<std::int64_t> Context::assumed_rows(std::int64_t count, std::int64_t bound) const {
  const PeCoord& me = pe_.info().coord;
  const std::uint64_t place = (std::uint64_t{me.sip.value} << 40) | (std::uint64_t{me.cube.value} << 20) | me.pe.value;
  const std::uint64_t seed = mixed(mixed(place) + call_.number());
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < count; ++i) {
    rows.push_back(
        static_cast<std::int64_t>(mixed(seed + static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(bound)));
  }
  return rows;
}

Shape Context::index_shape(const Indices& rows) const {
  if (rows.tensor() != nullptr) {
    check_owner(*rows.tensor(), 1);
    return rows.tensor()->shape();
  }
  return {static_cast<std::int64_t>(rows.numbers().size())};
}

// An extent per row, in the order of the indices.
void Context::append_rows(Ptr ptr, const Indices& rows, std::int64_t row_elements, Command& command) {
  const Dtype dtype = pointer_dtype(ptr, std::nullopt);
  const contract::TensorLayout& tensor = ptr.tensor();
  const auto row_bytes = static_cast<std::int64_t>(call_.checked_bytes({row_elements}, dtype));
  const std::int64_t room = static_cast<std::int64_t>(tensor.nbytes) - std::max<std::int64_t>(ptr.offset_bytes(), 0);
  const std::int64_t bound = ptr.offset_bytes() < 0 ? 0 : std::max<std::int64_t>(room, 0) / row_bytes;
  std::optional<std::vector<std::int64_t>> known;
  if (rows.tensor() != nullptr) known = known_integers(*rows.tensor(), "index");
  if (rows.tensor() != nullptr && !known && bound > 0) {
    known = assumed_rows(element_count(rows.tensor()->shape()), bound);
    command.assumed = true;
  }
  const std::vector<std::int64_t>& numbers = known ? *known : rows.numbers();
  command.memory.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size() || (i == 0 && bound == 0); ++i) {
    const std::int64_t row = i < numbers.size() ? numbers[i] : 0;
    if (row < 0 || row >= bound) {
      call_.raise(
          "ADDRESS_ERROR",
          fmt::format("index {} of element {} is out of bounds: tensor '{}' ({} {}) has {} rows of {} elements from "
                      "the pointer on{}",
                      row, i, tensor.name, dtype_name(tensor.dtype), format_shape(tensor.shape), bound, row_elements,
                      bound > 0 ? fmt::format(", 0 to {}", bound - 1) : ""));
    }
    append_extents(ptr + row * row_elements, {row_elements}, dtype, 0, command.memory);
  }
}

// Elements of a row that `value` has for each index; 1 when the shapes are equal.
std::int64_t Context::row_elements_of(const Indices& rows, const TensorHandle& value) const {
  const Shape shape = index_shape(rows);
  if (value.shape_ == shape) return 1;
  Shape with_row = shape;
  if (!value.shape_.empty()) with_row.push_back(value.shape_.back());
  if (value.shape_ == with_row) return value.shape_.back();
  call_.raise("SHAPE_ERROR",
              fmt::format("{} does not fit indices of shape {}; it must have that shape, or that shape and the "
                          "elements of a row",
                          describe(value, 2), format_shape(shape)));
}

TensorHandle Context::new_gather(Ptr ptr, const Indices& rows, std::int64_t row_elements) {
  const Dtype dtype = pointer_dtype(ptr, std::nullopt);
  Shape shape = index_shape(rows);
  if (row_elements != 1) shape.push_back(row_elements);
  call_.checked_bytes(shape, dtype);
  Command& command = new_dma(CommandKind::dma_read);
  append_rows(ptr, rows, row_elements, command);
  TensorHandle handle = allocate(std::move(shape), dtype);
  command.local.push_back(extent(handle));
  return handle;
}

// Between rows of the tensor and `value`.
Command& Context::rows_command(CommandKind kind, Ptr ptr, const Indices& rows, const TensorHandle& value) {
  Command& command = new_dma(kind);
  append_rows(ptr, rows, row_elements_of(rows, value), command);
  command.local.push_back(extent(value));
  return command;
}

TensorHandle Context::gather(Ptr ptr, const Indices& rows, std::int64_t row_elements) {
  begin("gather", Cost::dispatched);
  TensorHandle handle = new_gather(ptr, rows, row_elements);
  emit(dma_);
  return handle;
}

Future Context::gather_async(Ptr ptr, const Indices& rows, std::int64_t row_elements) {
  begin("gather_async", Cost::dispatched);
  TensorHandle handle = new_gather(ptr, rows, row_elements);
  return submit(dma_, std::move(handle));
}

void Context::gather_into(const TensorHandle& out, Ptr ptr, const Indices& rows) {
  begin("gather_into", Cost::dispatched);
  check_load_target(out, ptr);
  emit(rows_command(CommandKind::dma_read, ptr, rows, out));
}

Future Context::gather_into_async(const TensorHandle& out, Ptr ptr, const Indices& rows) {
  begin("gather_into_async", Cost::dispatched);
  check_load_target(out, ptr);
  return submit(rows_command(CommandKind::dma_read, ptr, rows, out), out);
}

void Context::scatter(Ptr ptr, const Indices& rows, const TensorHandle& value) {
  begin("scatter", Cost::dispatched);
  check_stored(ptr, value);
  emit(rows_command(CommandKind::dma_write, ptr, rows, value));
}

Future Context::scatter_async(Ptr ptr, const Indices& rows, const TensorHandle& value) {
  begin("scatter_async", Cost::dispatched);
  check_stored(ptr, value);
  return submit(rows_command(CommandKind::dma_write, ptr, rows, value), {});
}

// By element of `shape` in row-major order; without contents those that the tensor has.
std::vector<bool> Context::known_mask(Ptr ptr, const Mask& mask, const Shape& shape) {
  const auto count = static_cast<std::size_t>(element_count(shape));
  const bool fits = mask.tensor() != nullptr ? mask.tensor()->shape() == shape : mask.known().size() == count;
  if (!fits) {
    call_.raise("SHAPE_ERROR", fmt::format("a mask of {} does not fit {}; it must have an element for each",
                                           mask.tensor() != nullptr ? "shape " + format_shape(mask.tensor()->shape())
                                                                    : fmt::format("{} elements", mask.known().size()),
                                           format_shape(shape)));
  }
  if (mask.tensor() == nullptr) return mask.known();
  std::vector<bool> out(count);
  if (const auto values = known_integers(*mask.tensor(), "mask")) {
    std::transform(values->begin(), values->end(), out.begin(), [](std::int64_t value) { return value != 0; });
    return out;
  }
  const auto item = static_cast<std::int64_t>(item_size(ptr.dtype()));
  const std::int64_t first = ptr.offset_bytes() / item;
  const auto end = static_cast<std::int64_t>(ptr.tensor().nbytes) / item;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t at = first + static_cast<std::int64_t>(i);
    out[i] = at >= 0 && at < end;
  }
  return out;
}

bool Context::assumes(const Mask& mask) const {
  return mask.tensor() != nullptr && !pe_.has_contents();
}

// The elements that take part, on both sides.
void Context::append_masked(Ptr ptr, const TensorHandle& local, const std::vector<bool>& takes_part, Command& command) {
  const std::size_t item = item_size(local.dtype_);
  for_runs(takes_part, [&](std::int64_t first, std::int64_t count) {
    append_extents(ptr + first, {count}, local.dtype_, 0, command.memory);
    command.local.push_back(
        {local.pa_ + static_cast<std::uint64_t>(first) * item, static_cast<std::uint64_t>(count) * item});
  });
}

TensorHandle Context::new_masked_load(Ptr ptr, Shape shape, const Mask& mask, Scalar other) {
  const Dtype dtype = pointer_dtype(ptr, std::nullopt);
  call_.checked_bytes(shape, dtype);
  const std::uint64_t element = call_.located([&] { return encode_element(dtype, other); });
  const std::vector<bool> takes_part = known_mask(ptr, mask, shape);
  TensorHandle handle = allocate(std::move(shape), dtype);
  Command& command = new_dma(CommandKind::dma_read);
  append_masked(ptr, handle, takes_part, command);
  command.assumed = assumes(mask);
  if (std::find(takes_part.begin(), takes_part.end(), false) != takes_part.end()) {
    std::vector<std::byte> bytes(handle.nbytes());
    const std::size_t item = item_size(dtype);
    for (std::size_t at = 0; at < bytes.size(); at += item) std::memcpy(bytes.data() + at, &element, item);
    call_.located([&] { pe_.write_scratch(handle.pa_, std::move(bytes)); });
  }
  return handle;
}

TensorHandle Context::load(Ptr ptr, Shape shape, const Mask& mask, Scalar other) {
  begin("load", Cost::dispatched);
  TensorHandle handle = new_masked_load(ptr, std::move(shape), mask, other);
  emit(dma_);
  return handle;
}

Future Context::load_async(Ptr ptr, Shape shape, const Mask& mask, Scalar other) {
  begin("load_async", Cost::dispatched);
  TensorHandle handle = new_masked_load(ptr, std::move(shape), mask, other);
  return submit(dma_, std::move(handle));
}

Command& Context::masked_store_command(Ptr ptr, const TensorHandle& value, const Mask& mask) {
  check_stored(ptr, value);
  const std::vector<bool> takes_part = known_mask(ptr, mask, value.shape_);
  Command& command = new_dma(CommandKind::dma_write);
  append_masked(ptr, value, takes_part, command);
  command.assumed = assumes(mask);
  return command;
}

void Context::store(Ptr ptr, const TensorHandle& value, const Mask& mask) {
  begin("store", Cost::dispatched);
  emit(masked_store_command(ptr, value, mask));
}

Future Context::store_async(Ptr ptr, const TensorHandle& value, const Mask& mask) {
  begin("store_async", Cost::dispatched);
  return submit(masked_store_command(ptr, value, mask), {});
}

Dtype Context::check_added(Ptr ptr, const TensorHandle& value) const {
  const Dtype dtype = check_stored(ptr, value);
  if (is_storage(dtype)) {
    call_.raise("DTYPE_ERROR",
                fmt::format("tensor '{}' is {}, which is for storage; memory adds f16, bf16, f32 and integers",
                            ptr.tensor().name, dtype_name(dtype)));
  }
  return dtype;
}

Command& Context::add_command(Ptr ptr, const TensorHandle& value) {
  const Dtype dtype = check_added(ptr, value);
  Command& command = new_dma(CommandKind::dma_write);
  command.added = dtype;
  append_extents(ptr, value.shape_, dtype, 0, command.memory);
  command.local.push_back(extent(value));
  return command;
}

Command& Context::add_command(Ptr ptr, const Indices& rows, const TensorHandle& value) {
  const Dtype dtype = check_added(ptr, value);
  Command& command = rows_command(CommandKind::dma_write, ptr, rows, value);
  command.added = dtype;
  return command;
}

void Context::atomic_add(Ptr ptr, const TensorHandle& value) {
  begin("atomic_add", Cost::dispatched);
  emit(add_command(ptr, value));
}

void Context::atomic_add(Ptr ptr, const Indices& rows, const TensorHandle& value) {
  begin("atomic_add", Cost::dispatched);
  emit(add_command(ptr, rows, value));
}

Future Context::atomic_add_async(Ptr ptr, const TensorHandle& value) {
  begin("atomic_add_async", Cost::dispatched);
  return submit(add_command(ptr, value), {});
}

Future Context::atomic_add_async(Ptr ptr, const Indices& rows, const TensorHandle& value) {
  begin("atomic_add_async", Cost::dispatched);
  return submit(add_command(ptr, rows, value), {});
}

}  // namespace kb::tl
