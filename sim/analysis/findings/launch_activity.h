// Recorded activity of one launch while its kernels ran.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "platform/record/activity_recorder.h"

namespace kb::sim {

class LaunchActivity {
 public:
  // `window`: from the start of the first kernel to the end of the last one.
  LaunchActivity(const record::ActivityRecorder& recorder, int group, std::uint64_t launch,
                 std::pair<TimeFs, TimeFs> window);

  bool empty() const { return activities_ == nullptr || activities_->empty(); }
  TimeFs bin_width() const { return TimeFs(std::int64_t{1} << shift_); }
  TimeFs window() const { return window_.second - window_.first; }

  // Calls f(row) for every used resource of a role, in the order of the series.
  struct Row {
    const record::SeriesInfo* series = nullptr;
    record::Bin sum;           // sum of the bins in the window
    std::vector<TimeFs> busy;  // indexed by bin of the window
    std::vector<TimeFs> wait;  // likewise: sum over all that waited
  };
  template <typename F>
  void for_each(record::Role role, F&& f) const {
    for_each_if([role](const record::SeriesInfo& series) { return series.role == role; }, f);
  }
  // The same for every used resource for which `wanted(series)` holds.
  template <typename Wanted, typename F>
  void for_each_if(Wanted&& wanted, F&& f) const {
    if (empty()) return;
    Row row;
    for (const record::Activity& activity : *activities_) {
      if (wanted(recorder_.series()[activity.series]) && fill(activity, row)) f(row);
    }
  }
  // Use of a wire in the window, also of another SIP's wire.
  struct WireUse {
    const record::SeriesInfo* series = nullptr;
    TimeFs busy = 0_fs;
    TimeFs full = 0_fs;  // total length of the bins in which it was busy for at least `part`
  };
  std::vector<WireUse> wires(double part) const;

  // Time shares of a PE in [begin, end) while kernels ran, indexed by TimeShare; partially covered bins count
  // proportionally.
  std::vector<TimeFs> shares(const topology::Graph& graph, const PeCoord& pe, TimeFs begin, TimeFs end) const;
  // The same summed over spans of several PEs, which are in the order of their begins.
  using Spans = std::map<PeCoord, std::vector<std::pair<TimeFs, TimeFs>>>;
  std::vector<TimeFs> shares(const topology::Graph& graph, const Spans& spans) const;

 private:
  bool fill(const record::Activity& activity, Row& row) const;

  const record::ActivityRecorder& recorder_;
  const std::vector<record::Activity>* activities_ = nullptr;  // activities of the launch's epoch
  std::pair<TimeFs, TimeFs> window_;
  TimeFs begin_ = 0_fs;  // begin of the epoch
  int shift_ = 0;
  std::uint32_t first_bin_ = 0, bin_count_ = 0;
};

}  // namespace kb::sim
