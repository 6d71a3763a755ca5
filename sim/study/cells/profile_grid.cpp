#include "sim/study/cells/profile_grid.h"

#include <algorithm>

namespace kb::cells {
namespace {

using profile::Cell;
using profile::CellKind;

// least, 2 least, ... and `most` at the end.
std::vector<std::int64_t> doubling(std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> all;
  for (std::int64_t key = least; key < most; key *= 2) all.push_back(key);
  all.push_back(most);
  return all;
}

std::vector<std::int64_t> counts(std::int64_t most) {
  std::vector<std::int64_t> all;
  for (const std::int64_t count : profile::grid(profile::count_knots, 1, most)) {
    if (count < most) all.push_back(count);
  }
  all.push_back(most);
  return all;
}

std::vector<std::int64_t> with_middles(std::vector<std::int64_t> keys) {
  for (std::size_t i = 0, end = keys.size(); i + 1 < end; ++i) {
    const std::int64_t middle = (keys[i] + keys[i + 1]) / 2;
    if (middle != keys[i]) keys.push_back(middle);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace

ProfileGrid::ProfileGrid(const ProfileLimits& limits) : ProfileGrid(limits, {}) {
  constexpr std::int64_t kLeast = 16, kLeastPast = 128;
  for (const std::int64_t decodes : with_middles(doubling(1, limits.max_seqs))) {
    for (const std::int64_t context : doubling(kLeast, limits.max_context)) {
      decodes_.push_back({CellKind::decodes, decodes, context});
    }
  }
  for (const std::int64_t chunk : doubling(std::min(kLeast, limits.max_tokens), limits.max_tokens)) {
    chunks_.push_back({CellKind::chunks, chunk, 0});
    for (const std::int64_t past : doubling(kLeastPast, limits.max_context)) {
      chunks_.push_back({CellKind::chunks, chunk, past});
    }
  }
}

ProfileGrid::ProfileGrid(const ProfileLimits& limits, const std::vector<Cell>& visited)
    : limits_(limits), tokens_(counts(limits.max_tokens)), sequences_(counts(limits.max_seqs)) {
  for (const Cell& cell : visited) {
    if (cell.kind == CellKind::decodes) decodes_.push_back(cell);
    if (cell.kind == CellKind::chunks) chunks_.push_back(cell);
  }
}

std::vector<Cell> ProfileGrid::cells() const {
  std::vector<Cell> all = decodes_;
  all.insert(all.end(), chunks_.begin(), chunks_.end());
  for (const std::int64_t tokens : tokens_) all.push_back({CellKind::products, tokens, 0});
  for (const std::int64_t sequences : sequences_) all.push_back({CellKind::ends, sequences, 0});
  return all;
}

}  // namespace kb::cells
