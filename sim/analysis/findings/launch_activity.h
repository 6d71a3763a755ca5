// Recorded activity of a launch's SIP while its kernels ran, also for launches that ran at the same time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "platform/record/activity_recorder.h"

namespace kb::sim {

class LaunchActivity {
 public:
  // `group`: of the SIP; `window`: from the start of the first kernel to the end of the last one.
  LaunchActivity(const record::ActivityRecorder& recorder, int group, std::pair<TimeFs, TimeFs> window);

  bool empty() const;
  // The launch is divided where others begin and end: bins of its parts follow one another, each with its own width.
  TimeFs bin_width(std::size_t bin) const { return widths_[bin]; }
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
    Row row;
    for_each_series([&](std::uint32_t series, const std::vector<const record::Activity*>& of_parts) {
      if (wanted(recorder_.series()[series]) && fill(series, of_parts, row)) f(row);
    });
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
  // The part of an epoch that lies in the window.
  struct Part {
    const std::vector<record::Activity>* activities = nullptr;
    int wider = 0;                          // 2^wider bins of the epoch are one here
    std::uint32_t first_bin = 0, bins = 0;  // of the epoch
    std::size_t at = 0;                     // position of the first one
  };

  template <typename F>
  void for_each_series(F&& f) const;
  bool fill(std::uint32_t series, const std::vector<const record::Activity*>& of_parts, Row& row) const;

  const record::ActivityRecorder& recorder_;
  std::pair<TimeFs, TimeFs> window_;
  std::vector<Part> parts_;
  std::vector<TimeFs> widths_;  // by bin
};

// f(series, its activity in each part or null), in the order of the series.
template <typename F>
void LaunchActivity::for_each_series(F&& f) const {
  std::vector<std::size_t> next(parts_.size());
  std::vector<const record::Activity*> of_parts(parts_.size());
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  while (true) {
    std::uint32_t series = kNone;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (next[i] < parts_[i].activities->size()) series = std::min(series, (*parts_[i].activities)[next[i]].series);
    }
    if (series == kNone) return;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const bool has = next[i] < parts_[i].activities->size() && (*parts_[i].activities)[next[i]].series == series;
      of_parts[i] = has ? &(*parts_[i].activities)[next[i]++] : nullptr;
    }
    f(series, of_parts);
  }
}

}  // namespace kb::sim
