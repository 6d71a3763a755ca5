// The latest uses of all series.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/record/activity_series.h"

namespace kb::record {

// Uses are kept as they come, packed and series by series, and go into bins when there are very many of them or the
// run is over. At the end of most runs it is known how wide bins have to be before the first one is filled, and what
// is done at once for one series stays in the cache, which what is done use by use for thousands of them does not.
class UsageLog {
 public:
  static constexpr std::size_t kChunks = std::size_t{1} << 17U;  // 16 MiB, a million uses

  // `chunks`: how many are filled before what they hold goes into bins.
  explicit UsageLog(std::size_t chunks = kChunks) : most_chunks_(chunks) {}

  // Every use was added to its series; none is added any more. Activities of the groups are complete then.
  void finish();
  // Has the bins of activities.
  BinStore& store() { return store_; }

 private:
  friend class ActivitySeries;  // which writes where a series ends

  struct Series {
    ActivitySeries* writer = nullptr;
    SeriesBins bins;
    Chunk* first = nullptr;
    TimeFs end = 0_fs;  // from which the gap before the first use in chunks counts
  };

  std::uint32_t add_series(ActivitySeries& series);
  Chunk* new_chunk();
  void all_but_backlog_into_bins(Series& series);

  std::size_t most_chunks_, chunks_ = 0;
  std::vector<Series> series_;
  BinStore store_;
};

}  // namespace kb::record
