// The activity of one resource, bin by bin.
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

// The epochs of a group of series, one behind the other. Bins of an epoch begin at its start and are a power of two of
// femtoseconds wide, at least 2^kFirstShift, so that those of every use seen so far are fewer than there may be.
class EpochList {
 public:
  static constexpr int kFirstShift = 24;  // about 17 ns

  // `most_bins`: of a series in an epoch.
  explicit EpochList(std::uint32_t most_bins) : most_bins_(most_bins) {}

  // The end of all but the last one, which is open.
  const std::vector<TimeFs>& ends() const { return ends_; }
  TimeFs begin_of(std::size_t epoch) const { return epoch == 0 ? 0_fs : ends_[epoch - 1]; }
  int shift_of(std::size_t epoch) const { return shifts_[epoch]; }

  // Divides the one that holds `end`. Uses that are in bins already stay where they are.
  void divide(TimeFs end);
  // Removes the last one.
  void drop_last();
  // Makes bins of an epoch so wide that there is one.
  void use_one_bin(std::size_t epoch);
  // Makes bins wide enough for [begin, end).
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
  TimeFs covered_begin_ = 0_fs, covered_end_ = 0_fs;  // by the bins of the epoch where a use ended
  TimeFs latest_ = 0_fs;                              // end of a use that was covered
};

class UsageLog;

// Series whose time is divided in the same way, where they write, and what they have put together, by epoch: complete
// when the log is finished.
struct SeriesGroup {
  UsageLog& log;
  EpochList epochs;
  std::vector<std::vector<Activity>> activities;
};

// Bins of one series. An epoch that is complete goes to the activities of the group, its bins to the store that each
// call names: always the same one.
class SeriesBins {
 public:
  // `series`: its number in activities.
  SeriesBins(SeriesGroup& group, std::uint32_t series) : group_(&group), series_(series) {}

  // The uses that next() returns until it is null, in the order of time and without overlap; none is empty, and all are
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

  // Everything was added; nothing is added any more.
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

  TimeFs bin_end_ = 0_fs;  // of the bin that is filled
  TimeFs limit_ = 0_fs;    // the same, or the end of the epoch where that comes first
  TimeFs epoch_begin_ = 0_fs, epoch_end_ = kNever;
  Bin bin_;
  SeriesGroup* group_;
  std::uint32_t epoch_ = 0;
  std::uint32_t index_ = 0;  // of the bin
  std::uint32_t series_;
  int shift_ = EpochList::kFirstShift;
  OpenBins bins_;  // before the one that is filled
  Bin sum_;        // of bins_
};

}  // namespace kb::record
