#include "sw/profile/launch_cell.h"

#include <algorithm>

namespace kb::profile {
namespace {

constexpr std::int64_t kRows = 32, kBlockOfRows = 64;  // of the MAC array, and that a product does at a time
constexpr std::int64_t kRowsUntil = 256, kBlocksUntil = 512;
constexpr std::int64_t kCountsPerDoubling = 4, kContextsPerDoubling = 8;

Knots between(std::int64_t low, std::int64_t high, std::int64_t query) {
  if (low == high) return {low, high, 0.0};
  return {low, high, static_cast<double>(query - low) / static_cast<double>(high - low)};
}

// Multiples of a step around a query.
Knots multiples(std::int64_t step, std::int64_t query) {
  const std::int64_t low = query / step * step;
  return between(low, low == query ? low : low + step, query);
}

std::int64_t power_of_two_below(std::int64_t query) {
  std::int64_t power = 1;
  while (power * 2 <= query) power *= 2;
  return power;
}

Knots doubling(std::int64_t query) {
  const std::int64_t low = power_of_two_below(query);
  return between(low, low == query ? low : 2 * low, query);
}

}  // namespace

std::size_t parts_of(CellKind kind) {
  if (kind == CellKind::products) return kProductParts;
  return kind == CellKind::decodes ? kDecodeParts : 1;
}

const char* cell_kind_name(CellKind kind) {
  static constexpr std::array<const char*, kCellKinds> kNames = {"products", "ends",   "picked_ends",
                                                                 "decodes",  "chunks", "sums"};
  return kNames[static_cast<std::size_t>(kind)];
}

Knots count_knots(std::int64_t query) {
  query = std::max<std::int64_t>(1, query);
  if (query <= kExactCounts) return {query, query, 0.0};
  const std::int64_t rows = query > kBlocksUntil ? power_of_two_below(query - 1) / kCountsPerDoubling
                            : query > kRowsUntil ? kBlockOfRows
                                                 : kRows;
  const std::int64_t begin = (query - 1) / rows * rows;
  return query == begin + rows ? Knots{query, query, 0.0}
                               : between(begin + 1, query == begin + 1 ? query : begin + rows, query);
}

bool begins_rows(std::int64_t count) {
  return count > kExactCounts && count % kRows == 1;
}

Knots chunk_knots(std::int64_t query) {
  query = std::max<std::int64_t>(1, query);
  return query > kExactCounts && query <= kBlocksUntil ? multiples(kBlockOfRows, query) : doubling(query);
}

Knots context_knots(std::int64_t query) {
  constexpr std::int64_t kFine = 128, kFineUntil = 2048;
  constexpr std::array<std::int64_t, 4> kFirst = {1, 16, 64, kFine};
  query = std::max(kFirst.front(), query);
  if (query < kFirst.back()) {
    const auto high = std::lower_bound(kFirst.begin(), kFirst.end(), query);
    return between(*high == query ? *high : *std::prev(high), *high, query);
  }
  return multiples(query <= kFineUntil ? kFine : power_of_two_below(query) / kContextsPerDoubling, query);
}

Knots past_knots(std::int64_t query) {
  constexpr std::int64_t kFirst = 128;
  if (query <= 0) return {};
  return query < kFirst ? between(0, kFirst, query) : doubling(query);
}

std::vector<std::int64_t> grid(Knots (*knots)(std::int64_t), std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> all{knots(least).high};
  while (all.back() < most) all.push_back(knots(all.back() + 1).high);
  return all;
}

}  // namespace kb::profile
