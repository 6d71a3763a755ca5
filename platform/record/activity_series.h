// The activity of one resource, bin by bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/record/activity.h"

namespace kb::record {

// What is added comes in the order of time and does not overlap. It may come late, after epochs have ended in which it
// lies; what lies behind `now` at the moment it is added must follow on what was added before, without a gap.
//
// Bins of an epoch begin at its start, are a power of two of femtoseconds wide, and become twice as wide when there
// would be too many.
class ActivitySeries {
 public:
  // `bins`: the most of an epoch. `ends`: when epochs end, in their order; it may grow.
  ActivitySeries(std::uint32_t bins, const std::vector<TimeFs>& ends) : ends_(&ends), most_bins_(bins) {}

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
    flush(pending_);
    pending_ = usage;
  }

  // An epoch in which something happened; bins are 2^shift fs wide.
  struct Part {
    std::size_t epoch = 0;
    int shift = 0;
    BinBlob bins;
  };
  // Everything that was added; nothing is added any more.
  std::vector<Part> finish();

 private:
  static constexpr int kFirstShift = 24;  // about 17 ns
  static constexpr TimeFs kLongest = TimeFs(std::int64_t{1} << 40);

  void flush(const Usage& usage) {
    if (usage.begin >= bin_begin_ && usage.end <= bin_end_ && epoch_ == ends_->size()) {
      bin_.add(usage);
      return;
    }
    if (usage.end > usage.begin) flush_across(usage);
  }
  void flush_across(Usage usage);
  void into_bins(Usage usage);
  void open_bin(TimeFs begin);
  void close_bin();
  void close_epoch();

  Usage pending_;  // not yet in a bin: an epoch may end within it
  TimeFs bin_begin_ = 0_fs, bin_end_ = 0_fs;
  Bin bin_;
  const std::vector<TimeFs>* ends_;
  std::size_t epoch_ = 0;
  TimeFs epoch_begin_ = 0_fs;
  BinBlob blob_;
  std::vector<Part> parts_;
  std::uint32_t most_bins_;
  int shift_ = kFirstShift;
};

}  // namespace kb::record
