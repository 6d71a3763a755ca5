#include "platform/record/usage_log.h"

#include <algorithm>
#include <utility>

namespace kb::record {
namespace {

// The uses of a series, whose chunks it gives back.
class UseReader {
 public:
  // `end`: of the use before the first; `stop`: of what is written, in the last chunk.
  UseReader(Chunk* first, TimeFs end, const char* stop, ChunkPool& pool)
      : pool_(pool), next_chunk_(first), stop_(stop) {
    usage_.end = end;
  }

  // Null behind the last one.
  const Usage* next() {
    if (at_ == chunk_end_ && !open_next()) return nullptr;
    at_ = PackedUse::get(at_, usage_);
    return &usage_;
  }

 private:
  bool open_next() {
    if (chunk_ != nullptr) pool_.give_back(chunk_, chunk_);
    chunk_ = next_chunk_;
    if (chunk_ == nullptr) return false;
    next_chunk_ = chunk_->next;
    __builtin_prefetch(next_chunk_);
    at_ = chunk_->bytes;
    chunk_end_ = next_chunk_ == nullptr ? stop_ : at_ + chunk_->used;
    return true;
  }

  ChunkPool& pool_;
  Chunk* next_chunk_;
  Chunk* chunk_ = nullptr;
  const char *at_ = nullptr, *chunk_end_ = nullptr, *stop_;
  Usage usage_;
};

// Uses as they come, but for the last ones that follow one another without a gap: those are joined and held back.
class AllButLast {
 public:
  explicit AllButLast(UseReader uses) : uses_(uses), last_(*uses_.next()) {}

  const Usage* next() {
    while (const Usage* const use = uses_.next()) {
      if (join(*use)) continue;
      complete_ = std::exchange(last_, *use);
      return &complete_;
    }
    return nullptr;
  }
  const Usage& last() const { return last_; }

 private:
  static constexpr TimeFs kLongest = TimeFs(std::int64_t{1} << 40);

  bool join(const Usage& use) {
    const bool follows = use.begin == last_.end && use.is_dense() && last_.is_dense();
    if (!follows || use.end - last_.begin >= kLongest) return false;
    last_.end = use.end;
    last_.busy += use.busy;
    accumulate(last_.wait, use.wait);
    last_.bytes += use.bytes;
    last_.queue = std::max(last_.queue, use.queue);
    return true;
  }

  UseReader uses_;
  Usage last_, complete_;
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
      if (series.first != nullptr) all_but_last_into_bins(series);
    }
  }
  ++chunks_;
  return store_.pool().take();
}

// The last use may still become longer, or be a backlog that an epoch is going to divide.
void UsageLog::all_but_last_into_bins(Series& series) {
  ActivitySeries& writer = *series.writer;
  AllButLast uses(UseReader(series.first, series.end, writer.at_, store_.pool()));
  series.bins.add_all([&uses] { return uses.next(); }, store_);
  series.first = store_.pool().take();
  series.end = uses.last().begin;
  const PackedUse last(series.end, uses.last());
  writer.at_ = last.put(series.first->bytes);
  writer.last_ = static_cast<std::uint32_t>(last.bytes());
}

void UsageLog::finish() {
  for (Series& series : series_) {
    UseReader uses(series.first, series.end, series.writer->at_, store_.pool());
    series.bins.add_all([&uses] { return uses.next(); }, store_);
    series.bins.finish(store_);
  }
  series_ = std::vector<Series>();  // {} would keep what it has taken
}

}  // namespace kb::record
