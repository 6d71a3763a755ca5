// Records the activity of a machine's resources per launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/account/place.h"
#include "platform/account/resource_account.h"
#include "platform/base/ids.h"
#include "platform/record/line_times.h"
#include "platform/record/recorded_resource.h"
#include "platform/record/usage_log.h"
#include "platform/topology/graph.h"

namespace kb::record {

// Description of a series.
struct SeriesInfo {
  NodeId node;
  Role role = Role::wire;
  std::string name;         // resource at the node: "pc", "read", "compute"; "to" for a wire
  NodeId peer;              // other end of a wire; otherwise not valid
  std::uint32_t index = 0;  // of a unit with a series of its own
  int group = 0;            // the SIP whose launches divide the series into epochs, or the group of nodes without a SIP
  std::uint32_t units = 1;  // number of units that can be busy at once
  bool numbered = false;    // the label has the index

  std::string label(const topology::Graph& graph) const;  // "to_sip0.cube0.r0c0", "pc3", "read"
};

// A time span of a group: a launch, from its submission until the host has all answers, or a gap between launches.
struct Epoch {
  int group = 0;
  std::optional<std::uint64_t> launch;  // the latest one when launches overlap
  TimeFs begin = 0_fs, end = 0_fs;
  int shift = 0;  // bins are 2^shift fs wide
};

// Blocks create their series in their constructors; the host reports the begin and end of launches. Recording only
// observes, so that no simulated time depends on it.
class ActivityRecorder {
 public:
  static constexpr int kOutside = -1;  // group of the nodes without a SIP
  static int group_of(SipId sip) { return sip.valid() ? static_cast<int>(sip.value) : kOutside; }
  // Later launches of a group share its last epoch, which then has no launch; this bounds the size of the table.
  static constexpr std::size_t kMaxEpochs = 256;

  struct Window {
    TimeFs begin, end;
  };

  // `series_expected` determines the bin width: 16 to 512 bins per epoch, about four million in total. A window gets
  // its own epochs, so that its bins are finer than those of a longer launch around it.
  explicit ActivityRecorder(std::size_t series_expected, const std::optional<Window>& window = std::nullopt,
                            std::size_t chunks = UsageLog::kChunks);

  // Returns a stable reference.
  ActivitySeries& add_series(const SeriesInfo& info);
  // A series with an account of whose time its uses are.
  RecordedResource add_resource(const SeriesInfo& info);

  account::PlaceTable& places() { return places_; }
  const account::PlaceTable& places() const { return places_; }
  LineTimes& line_times() { return line_times_; }
  const LineTimes& line_times() const { return line_times_; }

  void launch_began(int group, std::uint64_t launch, TimeFs now);
  void launch_ended(int group, std::uint64_t launch, TimeFs now);
  // Ends recording, after the run and all reports of blocks. Epochs outside `binned` get a single bin.
  void finish(TimeFs end, const Window& binned);
  void finish(TimeFs end) { finish(end, {0_fs, kNever}); }

  std::uint32_t most_bins() const { return most_bins_; }
  const std::vector<SeriesInfo>& series() const { return infos_; }
  // After finish(): the epochs in the order of their begin.
  const std::vector<Epoch>& epochs() const { return epochs_; }
  // After finish(): what a resource did, by place; empty for a series without an account.
  const std::vector<account::ResourceAccount::Row>& uses_of(std::uint32_t series) const {
    return accounts_[series].rows();
  }
  // Activities of one epoch, in the order of the series; series without activity are left out.
  const std::vector<Activity>& activities_of(std::size_t epoch) const { return activities_[epoch]; }

 private:
  struct Group {
    Group(UsageLog& log, std::uint32_t most_bins) : recorded{log, EpochList(most_bins), {}} {}

    SeriesGroup recorded;
    std::vector<std::uint64_t> open;    // open launches in the order of their begin
    std::vector<std::uint32_t> epochs;  // indices into epochs_: past epochs, the current one, and those of a window
  };

  Group& group_of(int group);
  void change(int group, TimeFs now);
  void limit_accounts();
  void end_epochs(Group& group, TimeFs end, const Window& binned);
  void sort_epochs();
  void settle(std::size_t epoch);

  std::uint32_t most_bins_;
  std::vector<TimeFs> planned_;  // ends of epochs that are known before the run
  UsageLog log_;
  std::deque<ActivitySeries> all_;
  std::vector<SeriesInfo> infos_;
  account::PlaceTable places_;
  std::size_t places_checked_ = 0;  // number of places at the latest check of the accounts' size
  LineTimes line_times_;
  std::deque<account::ResourceAccount> accounts_;  // by series
  std::map<int, Group> groups_;
  Group* latest_group_ = nullptr;  // of the latest series
  std::vector<Epoch> epochs_;
  std::vector<std::vector<Activity>> activities_;  // indexed by epoch
};

}  // namespace kb::record
