// The activity of one resource, as blocks tell of it.
#pragma once

#include <cstdint>

#include "platform/record/chunks.h"
#include "platform/record/packed_use.h"
#include "platform/record/series_bins.h"

namespace kb::record {

// What is added comes in the order of time, does not overlap, and is not empty. It may come late, after epochs have
// ended in which it lies; what lies behind `now` at the moment it is added must follow on what was added before,
// without a gap.
//
// A run touches thousands of series, each seldom: half a cache line here, and another where uses are written.
class alignas(32) ActivitySeries {
 public:
  // Lives until its log is finished; the group and the log live longer.
  explicit ActivitySeries(SeriesGroup& group);
  ActivitySeries(const ActivitySeries&) = delete;
  ActivitySeries& operator=(const ActivitySeries&) = delete;

  void add(const Usage& usage) {
    group_->epochs.cover(usage.begin, usage.end);
    if (usage.begin != end_ || last_ == 0 || !PackedUse::join(at_ - last_, usage)) {
      const PackedUse packed(end_, usage);
      if (packed.bytes() > Chunk::room_at(at_)) grow();
      at_ = packed.put(at_);
      last_ = static_cast<std::uint32_t>(packed.bytes());
    }
    end_ = usage.end;
  }

 private:
  friend class UsageLog;  // which reads what is written, and moves it

  void grow();

  char* at_ = nullptr;  // end of what is written, in the last chunk
  TimeFs end_ = 0_fs;   // of the last use
  SeriesGroup* group_;
  std::uint32_t last_ = 0;  // bytes of the last use
  std::uint32_t number_;    // in the log
};

}  // namespace kb::record
