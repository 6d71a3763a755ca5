// Buffers the latest uses of all series.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/record/activity_series.h"

namespace kb::record {

// Uses are stored packed per series, and are added to bins when the buffer is full or the run is over. In most runs the
// final bin width is then known before the first bin is filled, and processing the uses series by series uses the cache
// well.
class UsageLog {
 public:
  static constexpr std::size_t kChunks = std::size_t{1} << 17U;  // 16 MiB, a million uses

  // `chunks`: number of chunks after which the stored uses are added to bins.
  explicit UsageLog(std::size_t chunks = kChunks) : most_chunks_(chunks) {}

  void expect(std::size_t series) { series_.reserve(series); }
  // Ends the log; no more uses follow. The activities of the groups are complete afterwards.
  void finish();
  // Owner of the bins of activities.
  BinStore& store() { return store_; }

 private:
  friend class ActivitySeries;  // writes at the end of a series

  struct Series {
    ActivitySeries* writer = nullptr;
    SeriesBins bins;
    Chunk* first = nullptr;
    TimeFs end = 0_fs;  // end of the use before the first one in chunks
  };

  std::uint32_t add_series(ActivitySeries& series);
  Chunk* new_chunk();
  void all_but_backlog_into_bins(Series& series);

  std::size_t most_chunks_, chunks_ = 0;
  std::vector<Series> series_;
  BinStore store_;
};

}  // namespace kb::record
