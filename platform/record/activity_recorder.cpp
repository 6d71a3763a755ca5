#include "platform/record/activity_recorder.h"

#include <algorithm>
#include <utility>

namespace kb::record {
namespace {

constexpr std::size_t kBinsInAll = std::size_t{1} << 22;
constexpr std::uint32_t kFewestBins = 16, kMaxBins = 512;
constexpr std::size_t kMostRows = std::size_t{1} << 20;  // 40 MiB
constexpr std::size_t kPlacesUnchecked = 64;

std::uint32_t bins_for(std::size_t series) {
  std::uint32_t bins = kMaxBins;
  while (bins > kFewestBins && bins * series > kBinsInAll) bins /= 2;
  return bins;
}

}  // namespace

std::string SeriesInfo::label(const topology::Graph& graph) const {
  if (role == Role::wire) return "to_" + graph.node(peer).id;
  return numbered ? name + std::to_string(index) : name;
}

ActivityRecorder::ActivityRecorder(std::size_t series_expected, const std::optional<Window>& window, std::size_t chunks)
    : most_bins_(bins_for(series_expected)), log_(chunks) {
  log_.expect(series_expected);
  infos_.reserve(series_expected);
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

ActivitySeries& ActivityRecorder::add_series(const SeriesInfo& info) {
  if (infos_.empty() || infos_.back().group != info.group) latest_group_ = &group_of(info.group);
  infos_.push_back(info);
  accounts_.emplace_back();
  return all_.emplace_back(latest_group_->recorded);
}

RecordedResource ActivityRecorder::add_resource(const SeriesInfo& info) {
  ActivitySeries& series = add_series(info);
  return {&series, &accounts_.back()};
}

void ActivityRecorder::launch_began(int group, std::uint64_t launch, TimeFs now) {
  limit_accounts();
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

// Lines are told apart as long as the rows of all accounts stay below a limit. Rows grow with places, so that they are
// counted again when there are a quarter more places.
void ActivityRecorder::limit_accounts() {
  if (places_.size() < places_checked_ + places_checked_ / 4 + kPlacesUnchecked) return;
  places_checked_ = places_.size();
  std::size_t rows = 0;
  for (const account::ResourceAccount& account : accounts_) rows += account.rows().size();
  if (rows > kMostRows) places_.close();
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
  if (!last && epochs_[current].launch == launch) return;  // ends another, overlapping launch
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

// Drops planned epochs that the run did not reach.
void ActivityRecorder::end_epochs(Group& group, TimeFs end, const Window& binned) {
  while (group.epochs.size() > 1 && epochs_[group.epochs.back()].begin >= end && !planned_.empty()) {
    group.epochs.pop_back();
    group.recorded.epochs.drop_last();
  }
  epochs_[group.epochs.back()].end = end;
  for (std::size_t i = 0; i < group.epochs.size(); ++i) {
    const Epoch& epoch = epochs_[group.epochs[i]];
    if (epoch.end <= binned.begin || epoch.begin >= binned.end) group.recorded.epochs.use_one_bin(i);
  }
}

void ActivityRecorder::finish(TimeFs end, const Window& binned) {
  for (auto& [index, group] : groups_) end_epochs(group, end, binned);
  log_.finish();
  for (account::ResourceAccount& account : accounts_) account.finish();
  sort_epochs();
  for (std::size_t epoch = 0; epoch < epochs_.size(); ++epoch) settle(epoch);
}

// Sorts the epochs together with their activities.
void ActivityRecorder::sort_epochs() {
  struct Place {
    Epoch epoch;
    std::vector<Activity>* activities;  // may be null
  };
  std::vector<Place> places;
  for (auto& [index, group] : groups_) {
    std::vector<std::vector<Activity>>& activities = group.recorded.activities;
    for (std::size_t i = 0; i < group.epochs.size(); ++i)
      places.push_back({epochs_[group.epochs[i]], i < activities.size() ? &activities[i] : nullptr});
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::pair(a.epoch.begin, a.epoch.group) < std::pair(b.epoch.begin, b.epoch.group);
  });
  epochs_.clear();
  for (const Place& place : places) {
    epochs_.push_back(place.epoch);
    activities_.push_back(place.activities == nullptr ? std::vector<Activity>() : std::move(*place.activities));
  }
}

// Sorts the activities of an epoch by series, and widens all bins to the widest width.
void ActivityRecorder::settle(std::size_t epoch) {
  std::vector<Activity>& activities = activities_[epoch];
  const auto earlier = [](const Activity& a, const Activity& b) { return a.series < b.series; };
  if (!std::is_sorted(activities.begin(), activities.end(), earlier))
    std::sort(activities.begin(), activities.end(), earlier);
  int& shift = epochs_[epoch].shift;
  for (const Activity& activity : activities) shift = std::max(shift, activity.shift);
  for (Activity& activity : activities) {
    const int wider = shift - activity.shift;
    if (wider > 0) activity.bins = log_.store().widened(activity.bins, wider);
    activity.shift = shift;
  }
}

}  // namespace kb::record
