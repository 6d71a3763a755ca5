#include "sw/tensor/placement.h"

#include <fmt/format.h>

#include "platform/base/error.h"

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

std::int64_t divide(std::int64_t size, int count, const char* dimension, const char* unit, const std::string& tensor) {
  if (size % count == 0) return size / count;
  throw Error::program(
      "SHAPE_ERROR", fmt::format("tensor '{}': {} = {} cannot be split evenly over {} {}; use a multiple of {} or set "
                                 "DPPolicy::num_{}",
                                 tensor, dimension, size, count, unit, count, unit));
}

// Part `index` of `count` of a block.
Block part_of(const Block& whole, Split split, int index, int count, const char* unit, std::size_t item,
              const std::string& tensor) {
  Block part = whole;
  if (split == Split::row_wise) {
    part.rows = divide(whole.rows, count, "the number of rows", unit, tensor);
    part.row = whole.row + index * part.rows;
  } else if (split == Split::column_wise) {
    part.cols = divide(whole.cols, count, "the number of columns", unit, tensor);
    part.col = whole.col + index * part.cols;
  }
  if (split != Split::replicate) {
    part.offset_bytes += static_cast<std::uint64_t>(index) * static_cast<std::uint64_t>(part.rows * part.cols) * item;
  }
  return part;
}

}  // namespace

std::string_view split_name(Split split) {
  switch (split) {
    case Split::replicate:
      return "replicate";
    case Split::column_wise:
      return "column_wise";
    case Split::row_wise:
      return "row_wise";
  }
  return "?";
}

EffectiveCounts effective_counts(const DPPolicy& policy, int cubes, int pes) {
  return {checked_count(policy.num_cubes, cubes, "num_cubes", "cubes"),
          checked_count(policy.num_pes, pes, "num_pes", "PEs per cube")};
}

std::vector<ShardSpec> resolve_dp_policy(const DPPolicy& policy, const Shape& shape, Dtype dtype,
                                         EffectiveCounts counts, SipId target_sip, const std::string& tensor) {
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1) {
    throw Error::program("SHAPE_ERROR", fmt::format("tensor '{}': shape {} must have two dimensions of at least 1; a "
                                                    "vector of n elements is (1, n)",
                                                    tensor, format_shape(shape)));
  }
  const std::size_t item = item_size(dtype);
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 56;  // more than any address reaches
  if (shape[0] > kMostBytes / static_cast<std::int64_t>(item) / shape[1]) {
    throw Error::program("ALLOCATION_ERROR", fmt::format("tensor '{}': {} of shape {} is larger than any memory",
                                                         tensor, dtype_name(dtype), format_shape(shape)));
  }
  const Block whole{0, 0, shape[0], shape[1], 0};
  std::vector<ShardSpec> shards;
  shards.reserve(static_cast<std::size_t>(counts.cubes) * static_cast<std::size_t>(counts.pes));
  for (int cube = 0; cube < counts.cubes; ++cube) {
    const Block in_cube = part_of(whole, policy.cube, cube, counts.cubes, "cubes", item, tensor);
    for (int pe = 0; pe < counts.pes; ++pe) {
      const Block b = part_of(in_cube, policy.pe, pe, counts.pes, "pes", item, tensor);
      const PeCoord owner{target_sip, CubeId(static_cast<std::uint32_t>(cube)), PeId(static_cast<std::uint32_t>(pe))};
      shards.push_back(
          {owner, b.offset_bytes, static_cast<std::uint64_t>(b.rows * b.cols) * item, b.row, b.col, b.rows, b.cols});
    }
  }
  return shards;
}

}  // namespace kb::sw
