// The activity of one resource, bin by bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "platform/record/bins.h"

namespace kb::record {

// Bins of one series in one epoch.
struct Activity {
  std::uint32_t epoch = 0;
  std::uint32_t series = 0;
  int shift = 0;  // bins are 2^shift fs wide
  Bin sum;
  BinList bins;
};

// What series have put together, epoch by epoch.
struct ActivityParts {
  std::deque<Activity> list;
  BinStore store;
};

// What is added comes in the order of time and does not overlap. It may come late, after epochs have ended in which it
// lies; what lies behind `now` at the moment it is added must follow on what was added before, without a gap.
//
// Bins of an epoch begin at its start, are a power of two of femtoseconds wide, and become twice as wide when there
// would be too many.
class alignas(64) ActivitySeries {
 public:
  // `bins`: the most of an epoch. `ends`: when epochs end, in their order; it may grow. What is complete goes to
  // `parts` under the number `series`, its epochs counted as in `ends`.
  ActivitySeries(std::uint32_t bins, const std::vector<TimeFs>& ends, ActivityParts& parts, std::uint32_t series)
      : ends_(&ends), most_bins_(bins), series_(series), parts_(&parts) {}

  void add(const Usage& usage) {
    if (usage.begin == pending_.end && usage.is_dense() && pending_.is_dense() &&
        usage.end - pending_.begin < kLongest) {
      pending_.end = usage.end;
      pending_.busy += usage.busy;
      accumulate(pending_.wait, usage.wait);
      pending_.bytes += usage.bytes;
      pending_.queue = pending_.queue > usage.queue ? pending_.queue : usage.queue;
      return;
    }
    flush();
    pending_ = usage;
  }

  // Everything was added; nothing is added any more.
  void finish();

 private:
  static constexpr int kFirstShift = 24;  // about 17 ns
  static constexpr TimeFs kLongest = TimeFs(std::int64_t{1} << 40);

  // Brings what is pending into bins.
  void flush() {
    if (pending_.begin >= bin_begin_ && pending_.end <= bin_end_ && epoch_ == ends_->size()) {
      bin_.add(pending_);
      return;
    }
    if (pending_.end > pending_.begin) flush_across();
  }
  void flush_across();
  void into_bins();
  void fit_exactly();
  void open_bin(TimeFs begin);
  void next_bin();
  void close_bin() {
    if (bin_.is_empty()) return;
    bins_.append(index_, bin_, parts_->store.pool());
    bin_ = {};
  }
  void widen_for(TimeFs last);
  void end_epoch();

  // The first cache lines are what an addition touches.
  Usage pending_;  // not yet in a bin: an epoch may end within it
  TimeFs bin_begin_ = 0_fs, bin_end_ = 0_fs;
  Bin bin_;
  const std::vector<TimeFs>* ends_;
  TimeFs epoch_begin_ = 0_fs;
  std::uint32_t epoch_ = 0;
  std::uint32_t index_ = 0;  // of the bin
  std::uint32_t most_bins_;
  int shift_ = kFirstShift;
  OpenBins bins_;  // before the one that is filled
  std::uint32_t series_;
  ActivityParts* parts_;
};

}  // namespace kb::record
