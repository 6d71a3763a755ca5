#include "platform/record/series_bins.h"

#include <algorithm>

namespace kb::record {

// Uses in both parts may already have been covered.
void EpochList::divide(TimeFs end) {
  const auto at = std::upper_bound(ends_.begin(), ends_.end(), end) - ends_.begin();
  const auto epoch = static_cast<std::size_t>(at);
  ends_.insert(ends_.begin() + at, end);
  shifts_.insert(shifts_.begin() + at + 1, kFirstShift);
  shifts_[epoch] = std::min(shifts_[epoch], shift_for(end - begin_of(epoch), most_bins_));
  const TimeFs next_end = epoch + 1 < ends_.size() ? ends_[epoch + 1] : kNever;
  if (latest_ > end) fit(epoch + 1, std::min(latest_, next_end));
  covered_begin_ = covered_end_ = 0_fs;
}

void EpochList::drop_last() {
  ends_.pop_back();
  shifts_.pop_back();
  const std::size_t last = ends_.size();
  if (latest_ > begin_of(last)) fit(last, latest_);
  covered_begin_ = covered_end_ = 0_fs;
}

void EpochList::use_one_bin(std::size_t epoch) {
  const TimeFs end = epoch < ends_.size() ? ends_[epoch] : latest_;
  if (end > begin_of(epoch)) shifts_[epoch] = shift_for(end - begin_of(epoch), 1);
}

void EpochList::widen_for(TimeFs begin, TimeFs end) {
  const auto at = std::lower_bound(ends_.begin(), ends_.end(), end) - ends_.begin();
  auto epoch = static_cast<std::size_t>(at);
  fit(epoch, end);
  covered_begin_ = begin_of(epoch);
  const std::uint64_t width = std::min(std::uint64_t{most_bins_} << shifts_[epoch], std::uint64_t{1} << 62U);
  const TimeFs bins_end = time_sum(covered_begin_, TimeFs(static_cast<std::int64_t>(width)));
  covered_end_ = epoch < ends_.size() ? std::min(ends_[epoch], bins_end) : bins_end;
  for (; epoch > 0 && begin < ends_[epoch - 1]; --epoch) fit(epoch - 1, ends_[epoch - 1]);
}

// Bin width for an epoch of this length.
int EpochList::shift_for(TimeFs time, std::uint32_t most_bins) {
  int shift = kFirstShift;
  while ((time - 1_fs).fs() >> shift >= most_bins) ++shift;
  return shift;
}

void EpochList::fit(std::size_t epoch, TimeFs end) {
  shifts_[epoch] = std::max(shifts_[epoch], shift_for(end - begin_of(epoch), most_bins_));
}

void SeriesBins::add_across(const Usage& usage, BinStore& store) {
  if (usage.end <= epoch_end_) return into_bins(usage, store.pool());
  Usage rest = usage;
  for (; rest.end > epoch_end_; end_epoch(store)) {
    if (rest.begin >= epoch_end_) continue;
    const TimeFs begin = rest.begin;
    Bin before;
    before.take_until(epoch_end_, rest);
    into_bins({begin, epoch_end_, before.busy, before.wait, before.bytes, before.queue}, store.pool());
  }
  into_bins(rest, store.pool());
}

void SeriesBins::end_epoch(BinStore& store) {
  finish(store);
  bin_end_ = epoch_end_;
  ++epoch_;
  shift_ = EpochList::kFirstShift;
  look_at_ends();
}

void SeriesBins::look_at_ends() {
  const std::vector<TimeFs>& ends = group_->epochs.ends();
  epoch_begin_ = group_->epochs.begin_of(epoch_);
  epoch_end_ = epoch_ < ends.size() ? ends[epoch_] : kNever;
  limit_ = std::min(bin_end_, epoch_end_);
}

void SeriesBins::finish(BinStore& store) {
  ChunkPool& pool = store.pool();
  close_bin(pool);
  if (bins_.empty()) return;
  std::vector<std::vector<Activity>>& activities = group_->activities;
  if (activities.size() <= epoch_) activities.resize(epoch_ + 1);
  activities[epoch_].push_back({series_, shift_, sum_, store.keep(bins_)});
  sum_ = {};
  bins_.clear(pool);
}

void SeriesBins::into_bins(const Usage& usage, ChunkPool& pool) {
  if (usage.begin >= bin_end_) open_bin(usage.begin, pool);
  if (usage.end <= bin_end_) return bin_.add(usage);
  Usage rest = usage;
  for (; rest.end > bin_end_; open_bin(bin_end_, pool)) bin_.take_until(bin_end_, rest);
  bin_.add(rest);
}

// Opens the bin that contains `begin`; no earlier bin does.
void SeriesBins::open_bin(TimeFs begin, ChunkPool& pool) {
  close_bin(pool);
  if (const int wider = group_->epochs.shift_of(epoch_) - shift_; wider > 0) {
    const IndexedBin last = bins_.widen(wider, pool);
    shift_ += wider;
    sum_.take(last.bin);
    bin_ = last.bin;
    go_to(last.index);
    if (begin < bin_end_) return;
    close_bin(pool);
  }
  go_to(static_cast<std::uint32_t>((begin - epoch_begin_).fs() >> shift_));
}

void SeriesBins::go_to(std::uint32_t index) {
  index_ = index;
  const TimeFs begin = epoch_begin_ + TimeFs(std::int64_t{index} << shift_);
  bin_end_ = time_sum(begin, TimeFs(std::int64_t{1} << shift_));
  limit_ = std::min(bin_end_, epoch_end_);
}

}  // namespace kb::record
