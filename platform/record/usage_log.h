// The latest uses of all series, in the order in which they came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/record/series_bins.h"

namespace kb::record {

// Uses are written one behind the other, and go into bins series by series when there are many of them. The bins of
// thousands of series do not fit into a cache: use by use, each would wait for memory.
class UsageLog {
 public:
  static constexpr std::size_t kEntries = std::size_t{1} << 14U;  // 768 KiB: a second-level cache

  // `most_bins`: of a series in an epoch. `entries`: how many uses are kept.
  explicit UsageLog(std::uint32_t most_bins, std::size_t entries = kEntries)
      : most_bins_(most_bins), most_entries_(entries) {}

  // Returns the number of a new series.
  std::uint32_t add_series(EpochList& epochs);

  // In the order of time for each series; not empty.
  void append(std::uint32_t series, const Usage& usage) {
    if (entries_.size() == entries_.capacity()) make_room();
    entries_.emplace_back(usage, series);
  }

  // Every use is appended.
  void finish();
  // What series have put together, epoch by epoch; complete after finish().
  ActivityParts& parts() { return parts_; }

 private:
  class Entry {
   public:
    Entry(const Usage& usage, std::uint32_t series)
        : begin_(usage.begin),
          end_(usage.end),
          busy_(usage.busy),
          wait_(usage.wait),
          bytes_(usage.bytes),
          queue_(usage.queue < kMaxQueue ? static_cast<std::uint32_t>(usage.queue) : kMaxQueue),
          series_(series) {}

    std::uint32_t series() const { return series_; }
    TimeFs begin() const { return begin_; }
    TimeFs end() const { return end_; }
    Usage usage() const { return {begin_, end_, busy_, wait_, bytes_, queue_}; }

   private:
    static constexpr std::uint32_t kMaxQueue = ~std::uint32_t{0};

    TimeFs begin_, end_, busy_, wait_;
    std::uint64_t bytes_;
    std::uint32_t queue_, series_;
  };

  void make_room();
  void into_bins();
  void prepare();

  std::uint32_t most_bins_;
  std::size_t most_entries_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> places_, order_;  // of prepare()
  std::vector<EpochList*> epochs_;             // of each series
  std::vector<SeriesBins> bins_;
  ActivityParts parts_;
};

}  // namespace kb::record
