#include "platform/record/activity_recorder.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kb::record {
namespace {

constexpr std::size_t kBinsInAll = std::size_t{1} << 22;
constexpr std::uint32_t kFewestBins = 16, kMostBins = 512;

std::uint32_t bins_for(std::size_t series) {
  std::uint32_t bins = kMostBins;
  while (bins > kFewestBins && bins * series > kBinsInAll) bins /= 2;
  return bins;
}

}  // namespace

std::string SeriesInfo::label(const topology::Graph& graph) const {
  if (kind == SeriesKind::link) return "to_" + graph.node(peer).id;
  return kind == SeriesKind::pseudo_channel ? "pc" + std::to_string(index) : std::string(name);
}

ActivityRecorder::ActivityRecorder(std::size_t series_expected) : most_bins_(bins_for(series_expected)) {}

ActivityRecorder::Group& ActivityRecorder::group_of(int group) {
  const auto [found, is_new] = groups_.try_emplace(group);
  if (is_new) {
    found->second.epochs.push_back(static_cast<std::uint32_t>(epochs_.size()));
    epochs_.push_back({group, std::nullopt, 0_fs, 0_fs, 0});
  }
  return found->second;
}

ActivitySeries& ActivityRecorder::add_series(SeriesInfo info) {
  Group& group = group_of(info.group);
  group.series.push_back(static_cast<std::uint32_t>(infos_.size()));
  infos_.push_back(std::move(info));
  return all_.emplace_back(most_bins_, group.ends);
}

void ActivityRecorder::launch_began(int group, std::uint64_t launch, TimeFs now) {
  for (const int one : {group, kOutside}) {
    if (groups_.count(one) == 0) continue;
    groups_[one].open.push_back(launch);
    change(one, now);
  }
}

void ActivityRecorder::launch_ended(int group, std::uint64_t launch, TimeFs now) {
  for (const int one : {group, kOutside}) {
    if (groups_.count(one) == 0) continue;
    std::vector<std::uint64_t>& open = groups_[one].open;
    open.erase(std::remove(open.begin(), open.end(), launch), open.end());
    change(one, now);
  }
}

void ActivityRecorder::change(int index, TimeFs now) {
  Group& group = groups_[index];
  if (group.epochs.size() > kMostEpochs) return;
  const bool last = group.epochs.size() == kMostEpochs;
  const std::optional<std::uint64_t> launch =
      last || group.open.empty() ? std::nullopt : std::optional<std::uint64_t>(group.open.back());
  Epoch& current = epochs_[group.epochs.back()];
  if (!last && current.launch == launch) return;  // of another one that overlaps
  if (current.begin == now) {
    current.launch = launch;
    return;
  }
  current.end = now;
  group.ends.push_back(now);
  group.epochs.push_back(static_cast<std::uint32_t>(epochs_.size()));
  epochs_.push_back({index, launch, now, now, 0});
}

void ActivityRecorder::collect(Group& group) {
  const std::size_t first = activities_.size();
  std::vector<int> shifts;
  for (const std::uint32_t series : group.series) {
    for (ActivitySeries::Part& part : all_[series].finish()) {
      const std::uint32_t epoch = group.epochs[part.epoch];
      epochs_[epoch].shift = std::max(epochs_[epoch].shift, part.shift);
      activities_.push_back({epoch, series, {}, std::move(part.bins)});
      shifts.push_back(part.shift);
    }
  }
  for (std::size_t i = first; i < activities_.size(); ++i) {
    Activity& activity = activities_[i];
    const int wider = epochs_[activity.epoch].shift - shifts[i - first];
    if (wider > 0) activity.bins = activity.bins.widened(wider);
    activity.bins.for_each([&](std::uint32_t, const Bin& bin) { activity.sum.add(bin); });
  }
}

void ActivityRecorder::finish(TimeFs end) {
  for (auto& [index, group] : groups_) {
    epochs_[group.epochs.back()].end = end;
    collect(group);
  }
  sort_epochs();
}

void ActivityRecorder::sort_epochs() {
  std::vector<std::uint32_t> order(epochs_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(epochs_[a].begin, epochs_[a].group) < std::pair(epochs_[b].begin, epochs_[b].group);
  });
  std::vector<std::uint32_t> place(order.size());
  std::vector<Epoch> sorted;
  for (const std::uint32_t old : order) {
    place[old] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(epochs_[old]);
  }
  epochs_ = std::move(sorted);
  for (Activity& activity : activities_) activity.epoch = place[activity.epoch];
  std::sort(activities_.begin(), activities_.end(), [](const Activity& a, const Activity& b) {
    return std::pair(a.epoch, a.series) < std::pair(b.epoch, b.series);
  });
}

}  // namespace kb::record
