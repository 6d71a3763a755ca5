#include "sw/tensor/placement.h"

#include <fmt/format.h>

#include "platform/base/error.h"
#include "platform/base/even_parts.h"

namespace kb::sw {
namespace {

struct Block {
  std::int64_t row = 0, col = 0, rows = 0, cols = 0;
  std::uint64_t offset_bytes = 0;
};

int checked_count(std::optional<int> wanted, int available, const char* field, const char* unit) {
  if (!wanted) return available;
  if (*wanted < 1 || *wanted > available) {
    throw Error::program("SCHEMA_ERROR", fmt::format("DPPolicy::{} is {}; this machine has 1 to {} {} to choose from",
                                                     field, *wanted, available, unit));
  }
  return *wanted;
}

// Part `index` of `count` of a block; if the division has a remainder, the first parts are one unit larger. Rows are
// distributed in units of `row_unit`.
Block part_of(const Block& whole, Split split, int index, int count, std::int64_t row_unit, std::size_t item) {
  if (split == Split::replicate) return whole;
  const bool by_rows = split == Split::row_wise;
  const std::int64_t units = by_rows ? whole.rows / row_unit : whole.cols;
  const EvenParts parts(units, count);
  const std::int64_t unit = by_rows ? row_unit : 1;
  const std::int64_t begin = parts.first(index) * unit, size = parts.size(index) * unit;
  Block part = whole;
  (by_rows ? part.row : part.col) += begin;
  (by_rows ? part.rows : part.cols) = size;
  part.offset_bytes += static_cast<std::uint64_t>(begin * (by_rows ? whole.cols : whole.rows)) * item;
  return part;
}

// A tensor as a matrix whose columns are its last dimension.
Matrix checked_matrix(const Shape& shape, Dtype dtype, const std::string& tensor) {
  bool ok = !shape.empty() && shape.size() <= kMaxDimensions;
  for (const std::int64_t size : shape) ok = ok && size >= 1;
  if (!ok) {
    throw Error::program("SHAPE_ERROR",
                         fmt::format("tensor '{}': shape {} must have one to {} dimensions of at least 1", tensor,
                                     format_shape(shape), kMaxDimensions));
  }
  constexpr std::int64_t kMaxBytes = std::int64_t{1} << 56;  // more than any address reaches
  std::int64_t room = kMaxBytes / static_cast<std::int64_t>(item_size(dtype));
  for (const std::int64_t size : shape) room /= size;
  if (room == 0) {
    throw Error::program("ALLOCATION_ERROR", fmt::format("tensor '{}': {} of shape {} is larger than any memory",
                                                         tensor, dtype_name(dtype), format_shape(shape)));
  }
  return matrix_of(shape);
}

}  // namespace

EffectiveCounts effective_counts(const DPPolicy& policy, int cubes, int pes) {
  return {checked_count(policy.num_cubes, cubes, "num_cubes", "cubes"),
          checked_count(policy.num_pes, pes, "num_pes", "PEs per cube")};
}

Matrix matrix_of(const Shape& shape) {
  Matrix matrix;
  matrix.cols = shape.back();
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) matrix.rows *= shape[i];
  for (std::size_t i = 1; i + 1 < shape.size(); ++i) matrix.row_unit *= shape[i];
  return matrix;
}

Shape shard_shape(const Shape& tensor, const ShardSpec& shard) {
  Shape shape = tensor;
  shape.back() = shard.cols;
  if (shape.size() > 1) shape.front() = shard.rows / matrix_of(tensor).row_unit;
  return shape;
}

std::vector<ShardSpec> resolve_dp_policy(const DPPolicy& policy, const Shape& shape, Dtype dtype,
                                         EffectiveCounts counts, SipId target_sip, const std::string& tensor) {
  const std::size_t item = item_size(dtype);
  const Matrix matrix = checked_matrix(shape, dtype, tensor);
  // The rows of a vector are its elements.
  const auto direction = [&](Split split) {
    return shape.size() == 1 && split == Split::row_wise ? Split::column_wise : split;
  };
  const Block whole{0, 0, matrix.rows, matrix.cols, 0};
  std::vector<ShardSpec> shards;
  shards.reserve(static_cast<std::size_t>(counts.cubes) * static_cast<std::size_t>(counts.pes));
  for (int cube = 0; cube < counts.cubes; ++cube) {
    const Block in_cube = part_of(whole, direction(policy.cube), cube, counts.cubes, matrix.row_unit, item);
    for (int pe = 0; pe < counts.pes; ++pe) {
      const Block b = part_of(in_cube, direction(policy.pe), pe, counts.pes, matrix.row_unit, item);
      if (b.rows == 0 || b.cols == 0) continue;
      const PeCoord owner{target_sip, CubeId(static_cast<std::uint32_t>(cube)), PeId(static_cast<std::uint32_t>(pe))};
      shards.push_back(
          {owner, b.offset_bytes, static_cast<std::uint64_t>(b.rows * b.cols) * item, b.row, b.col, b.rows, b.cols});
    }
  }
  return shards;
}

}  // namespace kb::sw
