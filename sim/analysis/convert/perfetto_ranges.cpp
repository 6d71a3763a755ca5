#include "sim/analysis/convert/perfetto_ranges.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kb::convert {

RangeSlices::RangeSlices(const analysis::RunFolder& run) {
  for (const auto& place : run.operations().names().places) {
    if (!place.range.empty()) of_.emplace(place.id, &ranges_of(place.range));
  }
  if (of_.empty()) return;
  for (const data::LaunchRow& launch : run.launches()) starts_[launch.sip].push_back(launch.submit_fs);
  for (auto& [sip, starts] : starts_) std::sort(starts.begin(), starts.end());
}

const std::vector<std::size_t>& RangeSlices::ranges_of(const std::string& path) {
  const auto [found, is_new] = outer_.try_emplace(path);
  if (!is_new) return found->second;
  constexpr std::string_view kBetween = " / ";
  std::size_t begin = 0;
  for (std::size_t depth = 0; begin <= path.size(); ++depth) {
    const std::size_t end = std::min(path.find(kBetween, begin), path.size());
    const auto [id, unknown] = range_ids_.emplace(path.substr(0, end), ranges_.size());
    if (unknown) ranges_.push_back({path.substr(begin, end - begin), depth});
    found->second.push_back(id->second);
    begin = end + kBetween.size();
  }
  return found->second;
}

std::size_t RangeSlices::launch_at(std::int64_t sip, std::int64_t time_fs) const {
  const auto starts = starts_.find(sip);
  if (starts == starts_.end()) return 0;
  return static_cast<std::size_t>(std::upper_bound(starts->second.begin(), starts->second.end(), time_fs) -
                                  starts->second.begin());
}

void RangeSlices::add(std::size_t row, std::int64_t sip, const data::OpRow& op) {
  const auto ranges = of_.find(op.place);
  if (ranges == of_.end()) return;
  const std::size_t launch = launch_at(sip, op.start_fs);
  for (const std::size_t range : *ranges->second) {
    const auto [found, is_new] = spans_.try_emplace({row, launch, range}, Span{op.start_fs, op.end_fs});
    if (is_new) continue;
    found->second.start_fs = std::min(found->second.start_fs, op.start_fs);
    found->second.end_fs = std::max(found->second.end_fs, op.end_fs);
  }
}

std::vector<RangeSlices::Slice> RangeSlices::take(std::size_t most) const {
  std::vector<Slice> slices;
  for (const auto& [key, span] : spans_) {
    const Range& range = ranges_[std::get<2>(key)];
    slices.push_back({std::get<0>(key), span.start_fs, span.end_fs, range.depth, &range.name});
  }
  if (slices.size() > most) {
    std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.depth < b.depth; });
    slices.resize(most);
  }
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return std::tuple(a.row, a.start_fs, a.depth) < std::tuple(b.row, b.start_fs, b.depth);
  });
  return slices;
}

}  // namespace kb::convert
