// The clock of a block whose RTL is simulated.
#pragma once

#include <cstdint>

#include "platform/base/quantities.h"
#include "platform/base/units.h"

namespace kb::modules {

// Whether the clock stands still while a block has nothing to do.
enum class RtlGate : std::uint8_t { on, off };

// Rising edges at phase, phase + period, ... An edge samples what came strictly before it.
class RtlClock {
 public:
  RtlClock(Gigahertz clock, Nanoseconds phase) : period_(ns_to_fs(1.0 / clock.per_ns())), phase_(phase.time()) {}

  TimeFs period() const { return period_; }
  // The first edge that samples what comes at `time`.
  TimeFs edge_after(TimeFs time) const {
    return time < phase_ ? phase_ : phase_ + ((time - phase_) / period_ + 1) * period_;
  }
  TimeFs time(std::int64_t number) const { return phase_ + number * period_; }
  // How many edges have been before `edge`, which is one itself.
  std::int64_t number(TimeFs edge) const { return (edge - phase_) / period_; }

 private:
  TimeFs period_;
  TimeFs phase_;
};

}  // namespace kb::modules
