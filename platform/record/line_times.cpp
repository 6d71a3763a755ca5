#include "platform/record/line_times.h"

#include <algorithm>
#include <tuple>

namespace kb::record {
namespace {

std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> key_of(const LineShare& one) {
  return {one.line.value, one.held_by.value, one.share};
}

LineShare& find_or_add(std::vector<LineShare>& shares, const LineShare& wanted) {
  const auto at = std::lower_bound(shares.begin(), shares.end(), wanted,
                                   [](const LineShare& a, const LineShare& b) { return key_of(a) < key_of(b); });
  if (at != shares.end() && key_of(*at) == key_of(wanted)) return *at;
  return *shares.insert(at, wanted);
}

}  // namespace

void LineTimes::add(std::uint64_t launch, const PeCoord& pe, TimeFs ended, const std::vector<LineTime>& lines) {
  Launch& sums = launches_[launch];
  const bool is_last =
      sums.last_end == kNever || ended > sums.last_end || (ended == sums.last_end && pe < sums.last_pe);
  if (is_last) {
    sums.last_pe = pe;
    sums.last_end = ended;
    for (LineShare& share : sums.shares) share.last = 0_fs;
  }
  for (const LineTime& line : lines) {
    for (std::uint32_t share = 0; share < contract::kShares; ++share) {
      if (line.time[share] == 0_fs) continue;
      LineShare& sum = find_or_add(sums.shares, {line.line, line.held_by, share, 0_fs, 0_fs});
      accumulate(sum.sum, line.time[share]);
      if (is_last) sum.last = line.time[share];
    }
  }
}

const std::vector<LineShare>* LineTimes::of_launch(std::uint64_t launch) const {
  const auto found = launches_.find(launch);
  return found == launches_.end() ? nullptr : &found->second.shares;
}

}  // namespace kb::record
