// The activity of one resource, as reported by its block.
#pragma once

#include <cstdint>

#include "platform/record/chunks.h"
#include "platform/record/packed_usage.h"
#include "platform/record/series_bins.h"

namespace kb::record {

// Uses are added in the order of time and are disjoint and not empty. They may be added late, after their epochs have
// ended. A use that extends beyond the current time must begin where the previous use ended.
//
// A run updates thousands of series, each rarely, so that an object takes half a cache line; the uses are written
// elsewhere.
class alignas(32) ActivitySeries {
 public:
  // The series lives until its log is finished; the group and the log outlive it.
  explicit ActivitySeries(SeriesGroup& group);
  ActivitySeries(const ActivitySeries&) = delete;
  ActivitySeries& operator=(const ActivitySeries&) = delete;

  void add(const Usage& usage) {
    group_->epochs.cover(usage.begin, usage.end);
    if (usage.begin != end_ || last_ == 0 || !PackedUsage::join(at_ - last_, usage)) {
      const PackedUsage packed(end_, usage);
      if (packed.bytes() > Chunk::room_at(at_)) grow();
      at_ = packed.put(at_);
      last_ = static_cast<std::uint32_t>(packed.bytes());
    }
    end_ = usage.end;
  }

 private:
  friend class UsageLog;  // reads and moves the written uses

  void grow();

  char* at_ = nullptr;  // end of the written bytes in the last chunk
  TimeFs end_ = 0_fs;   // end of the last use
  SeriesGroup* group_;
  std::uint32_t last_ = 0;  // size of the last use in bytes
  std::uint32_t number_;    // index in the log
};

}  // namespace kb::record
