#include "kernels/tl/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/contract/tensor_layout.h"

namespace kb::tl {

using contract::Command;

namespace {

// splitmix64
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Calls run(first, count) for each run of selected elements.
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

std::optional<std::vector<std::int64_t>> Selection::known_integers(const TensorHandle& tensor,
                                                                   std::string_view what) const {
  tensors_.check(tensor, 1);
  if (is_float(tensor.dtype())) {
    call_.raise("DTYPE_ERROR",
                fmt::format("{} is the {}; it must be an integer tensor", tensors_.describe(tensor, 1), what));
  }
  return tensors_.known_integers(tensor);
}

// Random rows that differ between PEs and calls, distributed evenly over the parts of likely_parts().
std::vector<std::int64_t> Selection::assumed_rows(Ptr ptr, std::int64_t count, std::int64_t row_bytes,
                                                  std::int64_t bound) const {
  struct Rows {
    std::int64_t first, count;
  };
  std::vector<Rows> parts;
  for (const ShardMap::Part& part : addressing_.likely_parts(ptr)) {
    const std::int64_t begin = static_cast<std::int64_t>(part.begin) - ptr.offset_bytes();
    const std::int64_t first = (begin + row_bytes - 1) / row_bytes;
    const std::int64_t end = (static_cast<std::int64_t>(part.end) - ptr.offset_bytes()) / row_bytes;
    if (end > first) parts.push_back({first, end - first});
  }
  if (parts.empty()) {  // a row is longer than a shard, so that there are few rows
    for (std::int64_t row = 0; row < bound; ++row) parts.push_back({row, 1});
  }
  const PeCoord& me = call_.pe();
  const std::uint64_t place = (std::uint64_t{me.sip.value} << 40) | (std::uint64_t{me.cube.value} << 20) | me.pe.value;
  const std::uint64_t seed = mixed(mixed(place) + call_.number());
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    const Rows& part = parts[(seed % parts.size() + number) % parts.size()];
    rows.push_back(part.first +
                   static_cast<std::int64_t>(mixed(seed + number) % static_cast<std::uint64_t>(part.count)));
  }
  return rows;
}

Shape Selection::shape_of(const Indices& rows) const {
  if (rows.tensor() != nullptr) {
    tensors_.check_owner(*rows.tensor(), 1);
    return rows.tensor()->shape();
  }
  return {static_cast<std::int64_t>(rows.numbers().size())};
}

void Selection::append_rows(Ptr ptr, const Indices& rows, std::int64_t row_elements, Command& command) {
  const Dtype dtype = addressing_.dtype_of(ptr);
  const contract::TensorLayout& tensor = ptr.tensor();
  const auto row_bytes = static_cast<std::int64_t>(call_.checked_bytes({row_elements}, dtype));
  const std::int64_t room = static_cast<std::int64_t>(tensor.nbytes) - std::max<std::int64_t>(ptr.offset_bytes(), 0);
  const std::int64_t bound = ptr.offset_bytes() < 0 ? 0 : std::max<std::int64_t>(room, 0) / row_bytes;
  std::optional<std::vector<std::int64_t>> known;
  if (rows.tensor() != nullptr) known = known_integers(*rows.tensor(), "index");
  if (rows.tensor() != nullptr && !known && bound > 0) {
    known = assumed_rows(ptr, element_count(rows.tensor()->shape()), row_bytes, bound);
    command.assumed = true;
    if (command.kind == contract::CommandKind::dma_write) addressing_.append_rest(ptr, command.reachable);
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
    addressing_.append(ptr + row * row_elements, {row_elements}, dtype, 0, command.memory);
  }
}

std::int64_t Selection::row_elements_of(const Indices& rows, const TensorHandle& value) const {
  const Shape shape = shape_of(rows);
  if (value.shape() == shape) return 1;
  Shape with_row = shape;
  if (!value.shape().empty()) with_row.push_back(value.shape().back());
  if (value.shape() == with_row) return value.shape().back();
  call_.raise("SHAPE_ERROR",
              fmt::format("{} does not fit indices of shape {}; it must have that shape, or that shape and the "
                          "elements of a row",
                          tensors_.describe(value, 2), format_shape(shape)));
}

// An unknown mask selects all elements that the tensor has.
Selection::Elements Selection::elements_of(Ptr ptr, const Mask& mask, const Shape& shape) const {
  const auto count = static_cast<std::size_t>(element_count(shape));
  const bool fits = mask.tensor() != nullptr ? mask.tensor()->shape() == shape : mask.known().size() == count;
  if (!fits) {
    call_.raise("SHAPE_ERROR", fmt::format("a mask of {} does not fit {}; it must have an element for each",
                                           mask.tensor() != nullptr ? "shape " + format_shape(mask.tensor()->shape())
                                                                    : fmt::format("{} elements", mask.known().size()),
                                           format_shape(shape)));
  }
  if (mask.tensor() == nullptr) return {mask.known(), false};
  Elements out{std::vector<bool>(count), false};
  if (const auto values = known_integers(*mask.tensor(), "mask")) {
    std::transform(values->begin(), values->end(), out.takes_part.begin(),
                   [](std::int64_t value) { return value != 0; });
    return out;
  }
  out.assumed = true;
  const auto item = static_cast<std::int64_t>(item_size(ptr.dtype()));
  const std::int64_t first = ptr.offset_bytes() / item;
  const auto end = static_cast<std::int64_t>(ptr.tensor().nbytes) / item;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t at = first + static_cast<std::int64_t>(i);
    out.takes_part[i] = at >= 0 && at < end;
  }
  return out;
}

void Selection::append_masked(Ptr ptr, const TensorHandle& local, const Elements& elements, Command& command) {
  const std::size_t item = item_size(local.dtype());
  for_runs(elements.takes_part, [&](std::int64_t first, std::int64_t count) {
    addressing_.append(ptr + first, {count}, local.dtype(), 0, command.memory);
    command.local.push_back(
        {local.address() + static_cast<std::uint64_t>(first) * item, static_cast<std::uint64_t>(count) * item});
  });
  command.assumed = elements.assumed;
}

}  // namespace kb::tl
