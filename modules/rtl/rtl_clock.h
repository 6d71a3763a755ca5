// The clock of an RTL block.
#pragma once

#include <cstdint>

#include "platform/base/quantities.h"
#include "platform/base/units.h"

namespace kb::modules {

// Whether the clock is gated while a block has no work.
enum class RtlGate : std::uint8_t { on, off };

// Rising edges at phase, phase + period, ... An edge samples values from strictly before it.
class RtlClock {
 public:
  RtlClock(Gigahertz clock, Nanoseconds phase) : period_(ns_to_fs(1.0 / clock.per_ns())), phase_(phase.time()) {}

  TimeFs period() const { return period_; }
  // The first edge that samples a value from `time`.
  TimeFs edge_after(TimeFs time) const {
    return time < phase_ ? phase_ : phase_ + ((time - phase_) / period_ + 1) * period_;
  }
  TimeFs time(std::int64_t number) const { return phase_ + number * period_; }
  // Number of edges before the edge at time `edge`.
  std::int64_t number(TimeFs edge) const { return (edge - phase_) / period_; }

 private:
  TimeFs period_;
  TimeFs phase_;
};

}  // namespace kb::modules
