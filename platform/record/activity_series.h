// The activity of one resource, as blocks tell of it.
#pragma once

#include <cstdint>

#include "platform/record/usage_log.h"

namespace kb::record {

// What is added comes in the order of time and does not overlap. It may come late, after epochs have ended in which it
// lies; what lies behind `now` at the moment it is added must follow on what was added before, without a gap.
//
// One cache line: a run touches thousands of series, each seldom.
class alignas(64) ActivitySeries {
 public:
  // The group lives longer.
  explicit ActivitySeries(SeriesGroup& group) : group_(&group), series_(group.log.add_series(group.epochs)) {}

  void add(const Usage& usage) {
    if (usage.begin == pending_.end && usage.is_dense() && pending_.is_dense() &&
        usage.end - pending_.begin < kLongest) {
      pending_.end = usage.end;
      pending_.busy += usage.busy;
      accumulate(pending_.wait, usage.wait);
      pending_.bytes += usage.bytes;
      pending_.queue = pending_.queue > usage.queue ? pending_.queue : usage.queue;
      return;
    }
    flush();
    pending_ = usage;
  }

  // Everything was added; nothing is added any more.
  void finish() {
    flush();
    pending_ = {};
  }

 private:
  static constexpr TimeFs kLongest = TimeFs(std::int64_t{1} << 40);

  void flush() {
    if (pending_.end == pending_.begin) return;
    group_->epochs.cover(pending_.begin, pending_.end);
    group_->log.append(series_, pending_);
  }

  Usage pending_;  // may still become longer
  SeriesGroup* group_;
  std::uint32_t series_;
};

}  // namespace kb::record
