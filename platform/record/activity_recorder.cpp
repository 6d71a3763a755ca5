#include "platform/record/activity_recorder.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kb::record {
namespace {

constexpr std::size_t kBinsInAll = std::size_t{1} << 22;
constexpr std::uint32_t kFewestBins = 16, kMaxBins = 512;

std::uint32_t bins_for(std::size_t series) {
  std::uint32_t bins = kMaxBins;
  while (bins > kFewestBins && bins * series > kBinsInAll) bins /= 2;
  return bins;
}

// Stable; `key_of` gives a number below `keys`.
template <typename F>
void sort_by(std::vector<const Activity*>& list, std::size_t keys, F&& key_of) {
  std::vector<std::uint32_t> next(keys + 1);
  for (const Activity* activity : list) ++next[key_of(activity) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<const Activity*> sorted(list.size());
  for (const Activity* activity : list) sorted[next[key_of(activity)]++] = activity;
  list = std::move(sorted);
}

}  // namespace

std::string SeriesInfo::label(const topology::Graph& graph) const {
  if (kind == SeriesKind::link) return "to_" + graph.node(peer).id;
  return kind == SeriesKind::pseudo_channel ? "pc" + std::to_string(index) : std::string(name);
}

ActivityRecorder::ActivityRecorder(std::size_t series_expected, const std::optional<Window>& window)
    : most_bins_(bins_for(series_expected)) {
  if (!window) return;
  if (window->begin > 0_fs) planned_.push_back(window->begin);
  planned_.push_back(window->end);
}

ActivityRecorder::Group& ActivityRecorder::group_of(int group) {
  const auto [found, is_new] = groups_.try_emplace(group, log_, most_bins_);
  if (is_new) {
    found->second.epochs.push_back(static_cast<std::uint32_t>(epochs_.size()));
    epochs_.push_back({group, std::nullopt, 0_fs, 0_fs, 0});
    for (const TimeFs end : planned_) {
      epochs_.back().end = end;
      found->second.recorded.epochs.divide(end);
      found->second.epochs.push_back(static_cast<std::uint32_t>(epochs_.size()));
      epochs_.push_back({group, std::nullopt, end, end, 0});
    }
  }
  return found->second;
}

ActivitySeries& ActivityRecorder::add_series(SeriesInfo info) {
  Group& group = group_of(info.group);
  group.series.push_back(static_cast<std::uint32_t>(infos_.size()));
  infos_.push_back(std::move(info));
  return all_.emplace_back(group.recorded);
}

void ActivityRecorder::launch_began(int group, std::uint64_t launch, TimeFs now) {
  for (const int one : {group, kOutside}) {
    if (groups_.count(one) == 0) continue;
    groups_.at(one).open.push_back(launch);
    change(one, now);
  }
}

void ActivityRecorder::launch_ended(int group, std::uint64_t launch, TimeFs now) {
  for (const int one : {group, kOutside}) {
    if (groups_.count(one) == 0) continue;
    std::vector<std::uint64_t>& open = groups_.at(one).open;
    open.erase(std::remove(open.begin(), open.end(), launch), open.end());
    change(one, now);
  }
}

void ActivityRecorder::change(int index, TimeFs now) {
  Group& group = groups_.at(index);
  const std::size_t most = kMaxEpochs + planned_.size();
  if (group.epochs.size() > most) return;
  const bool last = group.epochs.size() == most;
  const std::optional<std::uint64_t> launch =
      last || group.open.empty() ? std::nullopt : std::optional<std::uint64_t>(group.open.back());
  const std::vector<TimeFs>& ends = group.recorded.epochs.ends();
  const auto at = std::upper_bound(ends.begin(), ends.end(), now) - ends.begin();
  const std::uint32_t current = group.epochs[static_cast<std::size_t>(at)];
  if (!last && epochs_[current].launch == launch) return;  // of another one that overlaps
  for (auto next = group.epochs.begin() + at + 1; next != group.epochs.end(); ++next) epochs_[*next].launch = launch;
  if (epochs_[current].begin == now) {
    epochs_[current].launch = launch;
    return;
  }
  const TimeFs end = std::exchange(epochs_[current].end, now);
  group.recorded.epochs.divide(now);
  group.epochs.insert(group.epochs.begin() + at + 1, static_cast<std::uint32_t>(epochs_.size()));
  epochs_.push_back({index, launch, now, std::max(end, now), 0});
}

// Those that the run did not reach are dropped.
void ActivityRecorder::end_epochs(Group& group, TimeFs end) {
  while (group.epochs.size() > 1 && epochs_[group.epochs.back()].begin >= end && !planned_.empty()) {
    group.epochs.pop_back();
    group.recorded.epochs.drop_last();
  }
  epochs_[group.epochs.back()].end = end;
}

void ActivityRecorder::finish(TimeFs end) {
  for (auto& [index, group] : groups_) end_epochs(group, end);
  log_.finish();
  number_epochs();
  equalise_bins();
  sort_epochs();
  sort_activities();
}

// Series count the epochs of their group.
void ActivityRecorder::number_epochs() {
  std::vector<const Group*> group_of_series(infos_.size());
  for (const auto& [index, group] : groups_) {
    for (const std::uint32_t series : group.series) group_of_series[series] = &group;
  }
  for (Activity& activity : log_.parts().list)
    activity.epoch = group_of_series[activity.series]->epochs[activity.epoch];
}

// All series of an epoch get the width of the widest.
void ActivityRecorder::equalise_bins() {
  for (const Activity& activity : log_.parts().list) {
    int& shift = epochs_[activity.epoch].shift;
    shift = std::max(shift, activity.shift);
  }
  for (Activity& activity : log_.parts().list) {
    const int wider = epochs_[activity.epoch].shift - activity.shift;
    if (wider > 0) activity.bins = log_.parts().store.widened(activity.bins, wider);
    activity.shift += wider;
  }
}

void ActivityRecorder::sort_epochs() {
  std::vector<std::uint32_t> order;
  for (const auto& [index, group] : groups_) order.insert(order.end(), group.epochs.begin(), group.epochs.end());
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(epochs_[a].begin, epochs_[a].group) < std::pair(epochs_[b].begin, epochs_[b].group);
  });
  std::vector<std::uint32_t> place(epochs_.size());
  std::vector<Epoch> sorted;
  for (const std::uint32_t old : order) {
    place[old] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(epochs_[old]);
  }
  epochs_ = std::move(sorted);
  for (Activity& activity : log_.parts().list) activity.epoch = place[activity.epoch];
}

// By counting, as there are many.
void ActivityRecorder::sort_activities() {
  std::vector<const Activity*> sorted;
  sorted.reserve(log_.parts().list.size());
  for (const Activity& activity : log_.parts().list) sorted.push_back(&activity);
  sort_by(sorted, infos_.size(), [](const Activity* activity) { return activity->series; });
  sort_by(sorted, epochs_.size(), [](const Activity* activity) { return activity->epoch; });
  activities_.reserve(sorted.size());
  for (const Activity* activity : sorted) activities_.push_back(*activity);
  log_.parts().list = {};
  epoch_begins_.resize(epochs_.size() + 1);
  for (const Activity& activity : activities_) ++epoch_begins_[activity.epoch + 1];
  std::partial_sum(epoch_begins_.begin(), epoch_begins_.end(), epoch_begins_.begin());
}

}  // namespace kb::record
