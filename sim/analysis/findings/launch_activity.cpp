#include "sim/analysis/findings/launch_activity.h"

#include <algorithm>
#include <cmath>

#include "platform/contract/share_words.h"

namespace kb::sim {
namespace {

// A launch that many others divide has wider bins.
constexpr std::size_t kMostBins = 4096;

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

LaunchActivity::LaunchActivity(const record::ActivityRecorder& recorder, int group, std::pair<TimeFs, TimeFs> window)
    : recorder_(recorder), window_(window) {
  if (window.second <= window.first) return;
  const std::vector<record::Epoch>& epochs = recorder.epochs();
  std::size_t bins = 0;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const record::Epoch& epoch = epochs[i];
    if (epoch.group != group || epoch.end <= window.first || epoch.begin >= window.second) continue;
    const auto bin_of = [&](TimeFs time) {
      return static_cast<std::uint32_t>(std::max(time - epoch.begin, 0_fs).fs() >> epoch.shift);
    };
    Part part{&recorder.activities_of(i), 0, bin_of(window.first), 0, 0};
    part.bins = bin_of(std::min(window.second, epoch.end) - 1_fs) + 1 - part.first_bin;
    bins += part.bins;
    parts_.push_back(part);
    widths_.push_back(TimeFs(std::int64_t{1} << epoch.shift));  // of the part, until all are known
  }
  int wider = 0;
  while ((bins >> wider) > kMostBins) ++wider;
  std::vector<TimeFs> widths;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    part.wider = wider;
    part.at = widths.size();
    widths.insert(widths.end(), ((part.bins - 1) >> wider) + 1, widths_[i] * (std::int64_t{1} << wider));
  }
  widths_ = std::move(widths);
}

bool LaunchActivity::empty() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.activities->empty(); });
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
bool LaunchActivity::fill(std::uint32_t series, const std::vector<const record::Activity*>& of_parts, Row& row) const {
  row.series = &recorder_.series()[series];
  row.sum = {};
  row.busy.assign(widths_.size(), 0_fs);
  row.wait.assign(widths_.size(), 0_fs);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (of_parts[i] == nullptr) continue;
    const Part& part = parts_[i];
    of_parts[i]->bins.for_each([&](std::uint32_t bin, const record::Bin& what) {
      if (bin < part.first_bin || bin - part.first_bin >= part.bins) return;
      const std::size_t at = part.at + ((bin - part.first_bin) >> part.wider);
      accumulate(row.busy[at], what.busy);
      accumulate(row.wait[at], what.wait);
      row.sum.add(what);
    });
  }
  return !row.sum.is_empty();
}

}  // namespace kb::sim
