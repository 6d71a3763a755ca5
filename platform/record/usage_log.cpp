#include "platform/record/usage_log.h"

#include <cstring>
#include <utility>

namespace kb::record {
namespace {

// Uses in a chain of chunks, which it gives back.
class UseReader {
 public:
  // `end`: of the use before the first. Those from `stop` on are not read.
  UseReader(Chunk* first, TimeFs end, const char* stop, ChunkPool& pool)
      : pool_(pool), next_chunk_(first), stop_(stop) {
    usage_.end = end;
  }

  // Null behind the last one.
  const Usage* next() {
    if (at_ == end_ && !open_next()) return nullptr;
    at_ = PackedUse::get(at_, usage_);
    return &usage_;
  }
  TimeFs end() const { return usage_.end; }

 private:
  bool open_next() {
    if (chunk_ != nullptr) pool_.give_back(chunk_, chunk_);
    chunk_ = next_chunk_;
    if (chunk_ == nullptr) return false;
    next_chunk_ = chunk_->next;
    __builtin_prefetch(next_chunk_);
    at_ = chunk_->bytes;
    end_ = next_chunk_ == nullptr ? stop_ : at_ + chunk_->used;
    return at_ != end_ || open_next();
  }

  ChunkPool& pool_;
  Chunk* next_chunk_;
  Chunk* chunk_ = nullptr;
  const char *at_ = nullptr, *end_ = nullptr, *stop_;
  Usage usage_;
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
    all_but_last_into_bins();
  }
  ++chunks_;
  return store_.pool().take();
}

// The last use of a series may still become longer, and an epoch may end within it.
void UsageLog::all_but_last_into_bins() {
  for (Series& series : series_) {
    ActivitySeries& writer = *series.writer;
    if (writer.at_ == nullptr) continue;
    char last[PackedUse::kMaxBytes];
    const char* const from = writer.at_ - writer.last_;
    std::memcpy(last, from, writer.last_);
    into_bins(series, from);
    series.first = store_.pool().take();
    std::memcpy(series.first->bytes, last, writer.last_);
    writer.at_ = series.first->bytes + writer.last_;
  }
}

void UsageLog::into_bins(Series& series, const char* stop) {
  UseReader uses(std::exchange(series.first, nullptr), series.end, stop, store_.pool());
  series.bins.add_all([&uses] { return uses.next(); }, store_);
  series.end = uses.end();
}

void UsageLog::finish() {
  for (Series& series : series_) {
    into_bins(series, series.writer->at_);
    series.bins.finish(store_);
  }
  series_ = std::vector<Series>();  // {} would keep what it has taken
}

}  // namespace kb::record
