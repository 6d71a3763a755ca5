#include "tests/unit/mutation/mutation.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "platform/base/error.h"
#include "platform/ops/op_types.h"

namespace kb::mutation {
namespace {

using sw::HostArray;

std::size_t row_bytes(const HostArray& array) {
  return array.bytes().size() / static_cast<std::size_t>(array.shape()[0]);
}

// Two rows that are not the same.
HostArray with_swapped_rows(const HostArray& right, Random& random) {
  HostArray out = right;
  const std::size_t size = row_bytes(right);
  const auto rows = static_cast<std::uint64_t>(right.shape()[0]);
  const std::uint64_t first = random.bits() % rows;
  std::byte* const base = out.bytes().data();
  for (std::uint64_t step = 1; step < rows; ++step) {
    const std::uint64_t second = (first + step) % rows;
    if (std::memcmp(base + first * size, base + second * size, size) == 0) continue;
    std::swap_ranges(base + first * size, base + (first + 1) * size, base + second * size);
    break;
  }
  return out;
}

// Shards are bands of rows, of columns when there is one row; one of them lies in the place of the next one too.
HostArray with_shard_twice(const HostArray& right, Random& random) {
  HostArray out = right;
  const bool by_rows = right.shape()[0] > 1;
  const std::size_t unit = by_rows ? row_bytes(right) : item_size(right.dtype());
  const std::size_t units = right.bytes().size() / unit, shard = std::max<std::size_t>(1, units / 4);
  const std::size_t first = random.bits() % (units - 2 * shard + 1);
  std::memcpy(out.bytes().data() + (first + shard) * unit, right.bytes().data() + first * unit, shard * unit);
  return out;
}

HostArray without_last_tile(const HostArray& right) {
  HostArray out = right;
  const std::size_t item = item_size(right.dtype()), size = row_bytes(right), cols = size / item;
  const auto rows = static_cast<std::size_t>(right.shape()[0]);
  const std::size_t tile_rows = (rows + 2) / 3, tile_cols = (cols + 2) / 3;
  for (std::size_t row = rows - tile_rows; row < rows; ++row) {
    std::memset(out.bytes().data() + row * size + (cols - tile_cols) * item, 0, tile_cols * item);
  }
  return out;
}

unsigned high_bit(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return 9;
    case Dtype::bf16:
      return 6;
    case Dtype::f32:
      return 22;
    default:
      return static_cast<unsigned>(8 * item_size(dtype)) - 2;
  }
}

HostArray with_flipped_bit(const HostArray& right, Random& random) {
  HostArray out = right;
  const std::vector<double> values = right.to_doubles();
  std::size_t at = random.bits() % values.size();
  for (std::size_t i = 0; i < values.size() && values[at] == 0; ++i) at = (at + 1) % values.size();
  const unsigned bit = high_bit(right.dtype());
  out.bytes()[at * item_size(right.dtype()) + bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  return out;
}

}  // namespace

const char* name_of(Fault fault) {
  constexpr const char* kNames[] = {"lost term",   "no epilogue", "swapped rows", "stale accumulator",
                                    "shard twice", "wrong scale", "last tile",    "flipped bit"};
  return kNames[static_cast<std::size_t>(fault)];
}

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all = [] {
    std::vector<Workload> out;
    for (auto* part : {product_workloads, row_workloads, attention_workloads, layer_workloads, collective_workloads,
                       move_workloads, worked_kernel_workloads, paged_workloads, routing_workloads, verify_functions}) {
      for (Workload& workload : part()) out.push_back(std::move(workload));
    }
    return out;
  }();
  return all;
}

bool of_memory(std::optional<Fault> fault) {
  return fault == Fault::swapped_rows || fault == Fault::shard_twice || fault == Fault::last_tile ||
         fault == Fault::flipped_bit;
}

HostArray damaged(const HostArray& right, Fault fault, Random& random) {
  switch (fault) {
    case Fault::swapped_rows:
      return with_swapped_rows(right, random);
    case Fault::shard_twice:
      return with_shard_twice(right, random);
    case Fault::last_tile:
      return without_last_tile(right);
    case Fault::flipped_bit:
      return with_flipped_bit(right, random);
    default:
      throw Error::model(std::string("the workload does not compute ") + name_of(fault));
  }
}

Matrix matrix_of(const HostArray& array) {
  const std::vector<double> values = array.to_doubles();
  const auto rows = static_cast<std::size_t>(array.shape()[0]);
  return {rows, values.size() / rows, {values.begin(), values.end()}};
}

HostArray stored(const Matrix& matrix, Dtype dtype) {
  const Shape shape{static_cast<std::int64_t>(matrix.rows), static_cast<std::int64_t>(matrix.cols)};
  if (is_float(dtype)) return HostArray::from_doubles(shape, dtype, {matrix.values.begin(), matrix.values.end()});
  return HostArray(shape, dtype, data::from_integers(dtype, {matrix.values.begin(), matrix.values.end()}));
}

Matrix rounded(const Matrix& matrix, Dtype dtype) {
  return matrix_of(stored(matrix, dtype));
}

float larger(float x, float y) {
  return std::isnan(y) ? y : std::max(x, y);
}

Matrix part_of_rows(const Matrix& from, std::size_t first, std::size_t count) {
  const auto begin = from.values.begin() + static_cast<std::ptrdiff_t>(first * from.cols);
  return {count, from.cols, {begin, begin + static_cast<std::ptrdiff_t>(count * from.cols)}};
}

Matrix part_of_columns(const Matrix& from, std::size_t first, std::size_t count) {
  Matrix out{from.rows, count, {}};
  for (std::size_t i = 0; i < from.rows; ++i) {
    for (std::size_t j = 0; j < count; ++j) out.values.push_back(from.at(i, first + j));
  }
  return out;
}

Matrix product(const Matrix& a, const Matrix& b, ProductFault fault, Random& random) {
  Matrix out{a.rows, b.cols, std::vector<float>(a.rows * b.cols)};
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t p = 0; p < a.cols; ++p) {
      const float x = a.at(i, p);
      for (std::size_t j = 0; j < b.cols; ++j) out.at(i, j) += x * b.at(p, j);
    }
  }
  if (fault.stale) {
    const Matrix before = out;
    for (std::size_t i = 0; i < out.values.size(); ++i) {
      out.values[i] += std::fabs(before.values[out.values.size() - 1 - i]) + 1;
    }
  }
  if (!fault.lost) return out;
  const std::size_t i = random.bits() % a.rows;
  std::size_t j = random.bits() % b.cols, lost = random.bits() % a.cols;
  for (std::size_t n = 0; n < a.cols * b.cols && a.at(i, lost) * b.at(lost, j) == 0; ++n) {
    lost = (lost + 1) % a.cols;
    if (n % a.cols == a.cols - 1) j = (j + 1) % b.cols;
  }
  float sum = 0;
  for (std::size_t p = 0; p < a.cols; ++p) sum += p == lost ? 0 : a.at(i, p) * b.at(p, j);
  out.at(i, j) = sum;
  return out;
}

}  // namespace kb::mutation
