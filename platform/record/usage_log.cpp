#include "platform/record/usage_log.h"

#include <algorithm>
#include <utility>

namespace kb::record {
namespace {

// Iterates over the uses of a series.
class UseReader {
 public:
  // `end` is the end of the use before the first one; `stop` is the end of the written bytes in the last chunk. Chunks
  // that have been read are returned to `pool`, if there is one.
  UseReader(Chunk* first, TimeFs end, const char* stop, ChunkPool* pool)
      : pool_(pool), next_chunk_(first), stop_(stop) {
    usage_.end = end;
  }

  // Returns null after the last use.
  const Usage* next() {
    if (at_ == chunk_end_ && !open_next()) return nullptr;
    at_ = PackedUsage::get(at_, usage_);
    return &usage_;
  }

 private:
  bool open_next() {
    if (chunk_ != nullptr && pool_ != nullptr) pool_->give_back(chunk_, chunk_);
    chunk_ = next_chunk_;
    if (chunk_ == nullptr) return false;
    next_chunk_ = chunk_->next;
    __builtin_prefetch(next_chunk_);
    at_ = chunk_->bytes;
    chunk_end_ = next_chunk_ == nullptr ? stop_ : at_ + chunk_->used;
    return true;
  }

  ChunkPool* pool_;
  Chunk* next_chunk_;
  Chunk* chunk_ = nullptr;
  const char *at_ = nullptr, *chunk_end_ = nullptr, *stop_;
  Usage usage_;
};

// The latest contiguous uses of a series during which the resource was always busy.
struct BusyRun {
  static constexpr TimeFs kLongest = TimeFs(std::int64_t{1} << 40);  // 1.1 ms

  std::size_t uses_before = 0;
  Usage all;  // all uses combined, with bytes and waits evenly distributed

  // Requires at least one use.
  explicit BusyRun(UseReader uses) {
    for (std::size_t i = 0; const Usage* const use = uses.next(); ++i) {
      if (i > 0 && join(*use)) continue;
      uses_before = i;
      all = *use;
    }
  }

 private:
  bool join(const Usage& use) {
    const bool follows = use.begin == all.end && use.is_dense() && all.is_dense();
    if (!follows || use.end - all.begin >= kLongest) return false;
    all.end = use.end;
    all.busy += use.busy;
    accumulate(all.wait, use.wait);
    all.bytes += use.bytes;
    all.queue = std::max(all.queue, use.queue);
    return true;
  }
};

}  // namespace

ActivitySeries::ActivitySeries(SeriesGroup& group) : group_(&group), number_(group.log.add_series(*this)) {}

void ActivitySeries::grow() {
  UsageLog& log = group_->log;
  Chunk* const chunk = log.new_chunk();
  if (at_ == nullptr) {
    log.series_[number_].first = chunk;
  } else {
    Chunk::of(at_)->end_at(at_);
    Chunk::of(at_)->next = chunk;
  }
  at_ = chunk->bytes;
}

std::uint32_t UsageLog::add_series(ActivitySeries& series) {
  const auto number = static_cast<std::uint32_t>(series_.size());
  series_.push_back({&series, SeriesBins(*series.group_, number)});
  return number;
}

Chunk* UsageLog::new_chunk() {
  if (chunks_ >= most_chunks_) {
    chunks_ = 0;
    for (Series& series : series_) {
      if (series.first != nullptr) all_but_backlog_into_bins(series);
    }
  }
  ++chunks_;
  return store_.pool().take();
}

// A wire reports its backlog in advance, and an epoch may still end within the backlog.
void UsageLog::all_but_backlog_into_bins(Series& series) {
  ActivitySeries& writer = *series.writer;
  const BusyRun backlog(UseReader(series.first, series.end, writer.at_, nullptr));
  UseReader uses(series.first, series.end, writer.at_, &store_.pool());
  std::size_t left = backlog.uses_before;
  series.bins.add_all([&] { return left-- > 0 ? uses.next() : nullptr; }, store_);
  while (uses.next() != nullptr) continue;  // returns the last chunks to the pool
  series.first = store_.pool().take();
  series.end = backlog.all.begin;
  const PackedUsage packed(series.end, backlog.all);
  writer.at_ = packed.put(series.first->bytes);
  writer.last_ = static_cast<std::uint32_t>(packed.bytes());
}

void UsageLog::finish() {
  for (Series& series : series_) {
    if (series.first == nullptr) continue;  // not used
    UseReader uses(series.first, series.end, series.writer->at_, &store_.pool());
    series.bins.add_all([&uses] { return uses.next(); }, store_);
    series.bins.finish(store_);
  }
  series_ = std::vector<Series>();  // assigning {} would keep the allocated memory
}

}  // namespace kb::record
