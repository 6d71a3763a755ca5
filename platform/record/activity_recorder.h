// The activity of a machine's resources, launch by launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/record/usage_log.h"
#include "platform/topology/graph.h"

namespace kb::record {

// What a series stands for.
struct SeriesInfo {
  NodeId node;
  SeriesKind kind = SeriesKind::link;
  std::string_view name;    // of what at the node: "pc", "read", "compute", "to" of a link
  NodeId peer;              // at the other end of a link; else none
  std::uint32_t index = 0;  // of a pseudo-channel
  int group = 0;            // whose launches divide its time: a SIP, or the nodes that belong to none
  std::uint32_t units = 1;  // that can be busy at once

  std::string label(const topology::Graph& graph) const;  // "to_sip0.cube0.r0c0", "pc3", "read"
};

// A span of a group's time: that of a launch, from its submission until the host has every answer, or between two.
struct Epoch {
  int group = 0;
  std::optional<std::uint64_t> launch;  // of overlapping ones, the latest
  TimeFs begin = 0_fs, end = 0_fs;
  int shift = 0;  // bins are 2^shift fs wide
};

// Blocks ask for their series when they are made, the host says when launches begin and end. Observes only: no time
// depends on it.
class ActivityRecorder {
 public:
  static constexpr int kOutside = -1;  // the group of nodes that belong to no SIP
  static int group_of(SipId sip) { return sip.valid() ? static_cast<int>(sip.value) : kOutside; }
  // Later launches of a group go into its last epoch, which has no launch then: a table must stay a table.
  static constexpr std::size_t kMaxEpochs = 256;

  struct Window {
    TimeFs begin, end;
  };

  // `series_expected` sets how fine the bins are: 16 to 512 an epoch, about four million in all. A window is divided
  // from what is around it, so that it has bins of its own, finer than those of a longer launch.
  explicit ActivityRecorder(std::size_t series_expected, const std::optional<Window>& window = std::nullopt,
                            std::size_t chunks = UsageLog::kChunks);

  // Stays where it is.
  ActivitySeries& add_series(const SeriesInfo& info);

  void launch_began(int group, std::uint64_t launch, TimeFs now);
  void launch_ended(int group, std::uint64_t launch, TimeFs now);
  // The run is over, and so is every block's report. Only epochs that have a part in `binned` need more than one bin.
  void finish(TimeFs end, const Window& binned);
  void finish(TimeFs end) { finish(end, {0_fs, kNever}); }

  std::uint32_t most_bins() const { return most_bins_; }
  const std::vector<SeriesInfo>& series() const { return infos_; }
  // After finish(): in the order of their begin.
  const std::vector<Epoch>& epochs() const { return epochs_; }
  // Those of one epoch, in the order of the series, without series in which nothing happened.
  const std::vector<Activity>& activities_of(std::size_t epoch) const { return activities_[epoch]; }

 private:
  struct Group {
    Group(UsageLog& log, std::uint32_t most_bins) : recorded{log, EpochList(most_bins), {}} {}

    SeriesGroup recorded;
    std::vector<std::uint64_t> open;    // launches, in the order of their begin
    std::vector<std::uint32_t> epochs;  // of epochs_: past ones, the one in progress, and those that a window makes
  };

  Group& group_of(int group);
  void change(int group, TimeFs now);
  void end_epochs(Group& group, TimeFs end, const Window& binned);
  void sort_epochs();
  void settle(std::size_t epoch);

  std::uint32_t most_bins_;
  std::vector<TimeFs> planned_;  // ends of epochs that are known before the run
  UsageLog log_;
  std::deque<ActivitySeries> all_;
  std::vector<SeriesInfo> infos_;
  std::map<int, Group> groups_;
  std::vector<Epoch> epochs_;
  std::vector<std::vector<Activity>> activities_;  // by epoch
};

}  // namespace kb::record
