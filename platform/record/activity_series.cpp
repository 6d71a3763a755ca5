#include "platform/record/activity_series.h"

#include <algorithm>
#include <utility>

namespace kb::record {

void ActivitySeries::flush_across(Usage usage) {
  while (epoch_ < ends_->size() && usage.end > (*ends_)[epoch_]) {
    const TimeFs end = (*ends_)[epoch_];
    if (usage.begin < end) into_bins(usage.take_until(end));
    close_epoch();
  }
  into_bins(usage);
}

void ActivitySeries::into_bins(Usage usage) {
  while (true) {
    if (usage.begin >= bin_end_) {
      close_bin();
      open_bin(usage.begin);
    }
    if (usage.end <= bin_end_) break;
    bin_.add(usage.take_until(bin_end_));
  }
  bin_.add(usage);
}

void ActivitySeries::close_bin() {
  if (bin_.is_empty()) return;
  blob_.append(static_cast<std::uint32_t>((bin_begin_ - epoch_begin_).fs() >> shift_), bin_);
  bin_ = {};
}

// The bin that holds `begin`; the one before is closed.
void ActivitySeries::open_bin(TimeFs begin) {
  const std::int64_t since = (begin - epoch_begin_).fs();
  int wider = 0;
  while (since >> (shift_ + wider) >= most_bins_) ++wider;
  if (wider > 0) {
    blob_ = blob_.widened(wider);
    shift_ += wider;
  }
  const std::int64_t index = since >> shift_;
  bin_begin_ = epoch_begin_ + TimeFs(index << shift_);
  bin_end_ = time_sum(bin_begin_, TimeFs(std::int64_t{1} << shift_));
}

void ActivitySeries::close_epoch() {
  close_bin();
  if (!blob_.empty()) parts_.push_back({epoch_, shift_, std::exchange(blob_, {})});
  epoch_begin_ = bin_begin_ = bin_end_ = (*ends_)[epoch_++];
  shift_ = kFirstShift;
}

std::vector<ActivitySeries::Part> ActivitySeries::finish() {
  flush_across(std::exchange(pending_, {}));
  close_bin();
  if (!blob_.empty()) parts_.push_back({epoch_, shift_, std::exchange(blob_, {})});
  return std::move(parts_);
}

}  // namespace kb::record
