#include "modules/pe/line_clock.h"

namespace kb::modules {

record::LineTime& LineClock::row(account::PlaceId line, account::PlaceId held_by) {
  for (std::size_t i = 0; i < lines_.size(); ++i, ++next_) {
    if (next_ >= lines_.size()) next_ = 0;
    if (lines_[next_].line == line && lines_[next_].held_by == held_by) return lines_[next_++];
  }
  next_ = lines_.size() + 1;
  return lines_.emplace_back(record::LineTime{line, held_by, {}});
}

void LineClock::charge(account::PlaceId line, account::PlaceId held_by, TimeFs now) {
  const auto& times = activity_.times(now);
  record::LineTime& charged = row(line, held_by);
  for (std::size_t share = 0; share < contract::kShares; ++share) {
    charged.time[share] += times[share] - latest_[share];
    latest_[share] = times[share];
  }
}

}  // namespace kb::modules
