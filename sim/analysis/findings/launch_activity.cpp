#include "sim/analysis/findings/launch_activity.h"

#include <algorithm>
#include <cmath>

#include "platform/contract/share_words.h"

namespace kb::sim {
namespace {

// Busy time within spans; bins that a span covers in part count proportionally.
TimeFs busy_within(const record::Epoch& epoch, const record::Activity& activity,
                   const std::vector<std::pair<TimeFs, TimeFs>>& spans) {
  const double width = std::ldexp(1.0, epoch.shift);
  TimeFs sum = 0_fs;
  auto first = spans.begin();  // the first one that may end in this bin or behind it
  activity.bins.for_each([&](std::uint32_t bin, const record::Bin& what) {
    const TimeFs from = epoch.begin + TimeFs(std::int64_t{bin} << epoch.shift);
    const TimeFs to = from + TimeFs(std::int64_t{1} << epoch.shift);
    while (first != spans.end() && first->second <= from) ++first;
    for (auto span = first; span != spans.end() && span->first < to; ++span) {
      const TimeFs inside = std::min(to, span->second) - std::max(from, span->first);
      if (inside <= 0_fs) continue;
      sum += TimeFs(
          static_cast<std::int64_t>(static_cast<double>(inside.fs()) / width * static_cast<double>(what.busy.fs())));
    }
  });
  return sum;
}

}  // namespace

LaunchActivity::LaunchActivity(const record::ActivityRecorder& recorder, int group, std::uint64_t launch,
                               std::pair<TimeFs, TimeFs> window)
    : recorder_(recorder), window_(window) {
  const std::vector<record::Epoch>& epochs = recorder.epochs();
  // The latest of the launches that overlap on the SIP counts: the time of this launch may consist of several parts.
  const auto overlap = [&](const record::Epoch& epoch) {
    const bool own = epoch.group == group && epoch.launch == launch;
    return own ? std::min(window.second, epoch.end) - std::max(window.first, epoch.begin) : 0_fs;
  };
  const auto found = std::max_element(epochs.begin(), epochs.end(),
                                      [&](const auto& a, const auto& b) { return overlap(a) < overlap(b); });
  if (window.second <= window.first || found == epochs.end() || overlap(*found) <= 0_fs) return;
  begin_ = found->begin;
  shift_ = found->shift;
  const auto bin_of = [&](TimeFs time) {
    return static_cast<std::uint32_t>(std::max(time - begin_, 0_fs).fs() >> shift_);
  };
  first_bin_ = bin_of(window.first);
  bin_count_ = bin_of(std::min(window.second, found->end) - 1_fs) + 1 - first_bin_;
  activities_ = &recorder.activities_of(static_cast<std::size_t>(found - epochs.begin()));
}

std::vector<LaunchActivity::WireUse> LaunchActivity::wires(double part) const {
  std::vector<WireUse> all(recorder_.series().size());
  for (std::size_t index = 0; index < recorder_.epochs().size(); ++index) {
    const record::Epoch& epoch = recorder_.epochs()[index];
    if (epoch.end <= window_.first || epoch.begin >= window_.second) continue;
    const TimeFs width(std::int64_t{1} << epoch.shift);
    const TimeFs full(std::llround(std::ceil(part * static_cast<double>(width.fs()))));
    for (const record::Activity& activity : recorder_.activities_of(index)) {
      if (recorder_.series()[activity.series].role != record::Role::wire) continue;
      WireUse& wire = all[activity.series];
      activity.bins.for_each([&](std::uint32_t bin, const record::Bin& what) {
        const TimeFs begin = epoch.begin + TimeFs(std::int64_t{bin} << epoch.shift);
        const TimeFs inside = std::min(begin + width, window_.second) - std::max(begin, window_.first);
        if (inside <= 0_fs) return;
        const TimeFs busy = std::min(what.busy, inside);
        wire.busy += busy;
        if (what.busy >= full) wire.full += busy;
      });
    }
  }
  std::vector<WireUse> used;
  for (std::size_t series = 0; series < all.size(); ++series) {
    all[series].series = &recorder_.series()[series];
    if (all[series].busy > 0_fs) used.push_back(all[series]);
  }
  return used;
}

std::vector<TimeFs> LaunchActivity::shares(const topology::Graph& graph, const PeCoord& pe, TimeFs begin,
                                           TimeFs end) const {
  return shares(graph, {{pe, {{begin, end}}}});
}

std::vector<TimeFs> LaunchActivity::shares(const topology::Graph& graph, const Spans& spans) const {
  std::vector<TimeFs> times(contract::kShares);
  TimeFs begin = kNever, end = 0_fs;
  for (const auto& [pe, list] : spans) {
    for (const auto& span : list) {
      begin = std::min(begin, span.first);
      end = std::max(end, span.second);
    }
  }
  for (std::size_t index = 0; index < recorder_.epochs().size(); ++index) {
    const record::Epoch& epoch = recorder_.epochs()[index];
    if (epoch.end <= begin || epoch.begin >= end) continue;
    for (const record::Activity& activity : recorder_.activities_of(index)) {
      const record::SeriesInfo& series = recorder_.series()[activity.series];
      if (series.role != record::Role::state) continue;
      const auto of_pe = spans.find(graph.node(series.node).pe_coord());
      if (of_pe == spans.end()) continue;
      std::size_t share = 0;
      while (contract::word_of(share).name != series.name) ++share;
      times[share] += busy_within(epoch, activity, of_pe->second);
    }
  }
  return times;
}

// Returns false when the resource was not used in the window.
bool LaunchActivity::fill(const record::Activity& activity, Row& row) const {
  row.series = &recorder_.series()[activity.series];
  row.sum = {};
  row.busy.assign(bin_count_, 0_fs);
  row.wait.assign(bin_count_, 0_fs);
  activity.bins.for_each([&](std::uint32_t bin, const record::Bin& what) {
    if (bin < first_bin_ || bin - first_bin_ >= bin_count_) return;
    row.busy[bin - first_bin_] = what.busy;
    row.wait[bin - first_bin_] = what.wait;
    row.sum.add(what);
  });
  return !row.sum.is_empty();
}

}  // namespace kb::sim
