// The activity of one resource in bins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/record/bins.h"

namespace kb::record {

// Bins of one series in one epoch.
struct Activity {
  std::uint32_t series = 0;
  int shift = 0;  // bins are 2^shift fs wide
  Bin sum;
  BinList bins;
};

// The consecutive epochs of a group of series. The bins of an epoch begin at its start, and their width is a power of
// two of femtoseconds, at least 2^kFirstShift and wide enough that the uses so far do not exceed the maximum number of
// bins.
class EpochList {
 public:
  static constexpr int kFirstShift = 24;  // about 17 ns

  // `most_bins`: maximum per series and epoch.
  explicit EpochList(std::uint32_t most_bins) : most_bins_(most_bins) {}

  // Ends of all epochs except the last one, which is open.
  const std::vector<TimeFs>& ends() const { return ends_; }
  TimeFs begin_of(std::size_t epoch) const { return epoch == 0 ? 0_fs : ends_[epoch - 1]; }
  int shift_of(std::size_t epoch) const { return shifts_[epoch]; }

  // Splits the epoch that contains `end`. Uses that are already in bins are not moved.
  void divide(TimeFs end);
  // Removes the last epoch.
  void drop_last();
  // Makes an epoch's bins so wide that one bin suffices.
  void use_one_bin(std::size_t epoch);
  // Widens the bins to cover [begin, end).
  void cover(TimeFs begin, TimeFs end) {
    latest_ = std::max(latest_, end);
    if (begin < covered_begin_ || end > covered_end_) widen_for(begin, end);
  }

 private:
  void widen_for(TimeFs begin, TimeFs end);
  static int shift_for(TimeFs time, std::uint32_t most_bins);
  void fit(std::size_t epoch, TimeFs end);

  std::uint32_t most_bins_;
  std::vector<TimeFs> ends_;
  std::vector<int> shifts_{kFirstShift};
  TimeFs covered_begin_ = 0_fs, covered_end_ = 0_fs;  // range of the bins of the epoch in which the last use ended
  TimeFs latest_ = 0_fs;                              // latest end of a covered use
};

class UsageLog;

// Series with the same epochs, their log, and their activities by epoch, which are complete when the log is finished.
struct SeriesGroup {
  UsageLog& log;
  EpochList epochs;
  std::vector<std::vector<Activity>> activities;
};

// Bins of one series. A complete epoch is moved to the activities of the group, and its bins to `store`, which must be
// the same in all calls.
class SeriesBins {
 public:
  // `series` is the index in activities.
  SeriesBins(SeriesGroup& group, std::uint32_t series) : group_(&group), series_(series) {}

  // Adds the uses that next() returns, until it returns null. They are in the order of time, disjoint, not empty, and
  // covered by their epochs.
  template <typename F>
  void add_all(F&& next, BinStore& store) {
    look_at_ends();
    while (const Usage* const usage = next()) {
      if (usage->end <= limit_) {
        bin_.add(*usage);
      } else {
        add_across(*usage, store);
      }
    }
  }

  // Ends the series; no more uses follow.
  void finish(BinStore& store);

 private:
  void add_across(const Usage& usage, BinStore& store);
  void into_bins(const Usage& usage, ChunkPool& pool);
  void open_bin(TimeFs begin, ChunkPool& pool);
  void go_to(std::uint32_t index);
  void close_bin(ChunkPool& pool) {
    if (bin_.is_empty()) return;
    bins_.append(index_, bin_, pool);
    sum_.add(bin_);
    bin_ = {};
  }
  void end_epoch(BinStore& store);
  void look_at_ends();

  TimeFs bin_end_ = 0_fs;  // end of the open bin
  TimeFs limit_ = 0_fs;    // the earlier one of the open bin's and the epoch's end
  TimeFs epoch_begin_ = 0_fs, epoch_end_ = kNever;
  Bin bin_;
  SeriesGroup* group_;
  std::uint32_t epoch_ = 0;
  std::uint32_t index_ = 0;  // index of the open bin
  std::uint32_t series_;
  int shift_ = EpochList::kFirstShift;
  BinWriter bins_;  // bins before the open one
  Bin sum_;         // sum of bins_
};

}  // namespace kb::record
