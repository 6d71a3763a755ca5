#include "platform/record/activity_series.h"

namespace kb::record {

void ActivitySeries::flush_across() {
  while (epoch_ < ends_->size() && pending_.end > (*ends_)[epoch_]) end_epoch();
  into_bins();
}

// The end of an epoch comes before that of the pending use.
void ActivitySeries::end_epoch() {
  const TimeFs end = (*ends_)[epoch_];
  if (pending_.begin < end) {
    Usage rest = pending_;
    Bin before;
    before.take_until(end, rest);
    pending_ = {pending_.begin, end, before.busy, before.wait, before.bytes, before.queue};
    into_bins();
    pending_ = rest;
  }
  close_bin();
  if (!bins_.empty()) parts_->list.push_back({epoch_, series_, shift_, bins_.sum(), parts_->store.pack(bins_)});
  bins_.clear(parts_->store.pool());
  epoch_begin_ = bin_begin_ = bin_end_ = end;
  ++epoch_;
  shift_ = kFirstShift;
}

void ActivitySeries::into_bins() {
  if (pending_.begin >= bin_end_) open_bin(pending_.begin);
  if (pending_.end > bin_end_) {
    const bool is_exact = pending_.bytes == 0 && pending_.wait == 0_fs && pending_.is_dense();
    bin_.take_until(bin_end_, pending_);
    if (is_exact) {
      fit_exactly();
    } else {
      next_bin();
    }
    for (; pending_.end > bin_end_; next_bin()) bin_.take_until(bin_end_, pending_);
  }
  bin_.add(pending_);
}

// The next bin, for a use that bins of every width divide without rounding: they get the width first that its end asks
// for.
void ActivitySeries::fit_exactly() {
  const TimeFs last = pending_.end - 1_fs;
  if ((last - epoch_begin_).fs() >> shift_ < most_bins_) {
    next_bin();
    return;
  }
  close_bin();
  widen_for(last);
  open_bin(pending_.begin);
  bin_.add(bins_.take_last(index_, parts_->store.pool()));
}

// Bins so wide that `last` lies in one of them.
void ActivitySeries::widen_for(TimeFs last) {
  const std::int64_t since = (last - epoch_begin_).fs();
  int wider = 1;
  while (since >> (shift_ + wider) >= most_bins_) ++wider;
  bins_.widen(wider, parts_->store.pool());
  shift_ += wider;
}

// The bin that holds `begin`; the one before is closed.
void ActivitySeries::open_bin(TimeFs begin) {
  close_bin();
  const std::int64_t since = (begin - epoch_begin_).fs();
  if (since >> shift_ >= most_bins_) widen_for(begin);
  index_ = static_cast<std::uint32_t>(since >> shift_);
  bin_begin_ = epoch_begin_ + TimeFs(std::int64_t{index_} << shift_);
  bin_end_ = time_sum(bin_begin_, TimeFs(std::int64_t{1} << shift_));
}

void ActivitySeries::next_bin() {
  if (index_ + 1 == most_bins_) {
    open_bin(bin_end_);
    return;
  }
  close_bin();
  ++index_;
  bin_begin_ = bin_end_;
  bin_end_ = time_sum(bin_begin_, TimeFs(std::int64_t{1} << shift_));
}

void ActivitySeries::finish() {
  flush_across();
  pending_ = {};
  close_bin();
  if (!bins_.empty()) parts_->list.push_back({epoch_, series_, shift_, bins_.sum(), BinList(bins_)});
}

}  // namespace kb::record
