// The latest uses of all series, in the order in which they came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/record/series_bins.h"

namespace kb::record {

// Uses are written one behind the other, and go into bins series by series when there are very many of them or the run
// is over. The bins of thousands of series do not fit into a cache: use by use, each would wait for memory. And at the
// end of most runs it is known how wide bins have to be before the first one is filled.
class UsageLog {
 public:
  static constexpr std::size_t kEntries = std::size_t{1} << 20U;  // 32 MiB, and 4 for their order

  // `entries`: how many uses are kept.
  explicit UsageLog(std::size_t entries = kEntries) : most_entries_(entries) {}

  // Returns the number of a new series.
  std::uint32_t add_series(const EpochList& epochs);

  // In the order of time for each series; not empty, and covered by its epochs.
  void append(std::uint32_t series, const Usage& usage) {
    if (entries_.size() == entries_.capacity()) make_room();
    if (Entry::fits(usage)) {
      entries_.emplace_back(usage, series);
    } else {
      append_large(series, usage);
    }
  }

  // Every use is appended.
  void finish();
  // What series have put together, epoch by epoch; complete after finish().
  ActivityParts& parts() { return parts_; }

 private:
  // A use in 32 bytes. One with a number of 2^32 - 1 or more (4 us, 4 GiB) is in `large_`, and its place is here.
  class alignas(32) Entry {
   public:
    static bool fits(const Usage& usage) {
      const auto times = static_cast<std::uint64_t>((usage.end - usage.begin).fs() | usage.busy.fs() | usage.wait.fs());
      return (times | usage.bytes | usage.queue) < kIsLarge;
    }
    Entry(const Usage& usage, std::uint32_t series)
        : begin_(usage.begin.fs()),
          span_(low((usage.end - usage.begin).fs())),
          busy_(low(usage.busy.fs())),
          wait_(low(usage.wait.fs())),
          bytes_(static_cast<std::uint32_t>(usage.bytes)),
          queue_(static_cast<std::uint32_t>(usage.queue)),
          series_(series) {}
    Entry(std::size_t place, std::uint32_t series)
        : begin_(static_cast<std::int64_t>(place)), queue_(kIsLarge), series_(series) {}

    std::uint32_t series() const { return series_; }
    Usage usage(const std::vector<Usage>& large) const {
      if (queue_ == kIsLarge) return large[static_cast<std::size_t>(begin_)];
      return {TimeFs(begin_), TimeFs(begin_ + span_), TimeFs(busy_), TimeFs(wait_), bytes_, queue_};
    }

   private:
    static constexpr std::uint32_t kIsLarge = ~std::uint32_t{0};

    static std::uint32_t low(std::int64_t fs) { return static_cast<std::uint32_t>(fs); }

    std::int64_t begin_;
    std::uint32_t span_ = 0, busy_ = 0, wait_ = 0, bytes_ = 0;
    std::uint32_t queue_, series_;
  };

  void append_large(std::uint32_t series, const Usage& usage);
  void make_room();
  void into_bins();
  void prepare();

  static constexpr std::size_t kMaxLarge = kEntries / 8;  // 6 MiB

  std::size_t most_entries_;
  std::vector<Entry> entries_;
  std::vector<Usage> large_;
  std::vector<std::uint32_t> places_, order_;  // of prepare()
  std::vector<SeriesBins> bins_;
  ActivityParts parts_;
};

// Series whose time is divided in the same way, and where they write.
struct SeriesGroup {
  UsageLog& log;
  EpochList epochs;
};

}  // namespace kb::record
