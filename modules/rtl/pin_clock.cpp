#include "modules/rtl/pin_clock.h"

namespace kb::modules {

namespace {
sc_core::sc_time sc_time_of(TimeFs time) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time.fs()));
}
}  // namespace

PinClock::PinClock(const sc_core::sc_module_name& name, const PinPlace& place, const RtlClock& clock,
                   IPinSource& source)
    : sc_core::sc_module(name), clock_(clock), sharing_(place.sharing), scheduler_(place.scheduler), source_(source) {
  place.sharing.bundles[place.node] = this;
  SC_HAS_PROCESS(PinClock);
  SC_METHOD(edge_method);
  sensitive << edge_event_;
  SC_METHOD(arm);
  sensitive << resume_event_;
  dont_initialize();
  SC_METHOD(clk_method);
  sensitive << clk_event_;
  dont_initialize();
}

void PinClock::edge_method() {
  armed_ = false;
  if (scheduler_.failed()) return;
  if (number_ >= 0) {
    source_.show_edge(number_);
    clk_event_.notify(sc_core::SC_ZERO_TIME);
  }
  ++number_;
  if (number_ == 0 || sharing_.runs_on || scheduler_.pending() > 0) arm();
}

void PinClock::clk_method() {
  high_ = !high_;
  clk = high_;
  if (high_) clk_event_.notify(sc_time_of(TimeFs(clock_.period().fs() / 2)));
}

void PinClock::resume() {
  if (!armed_ && number_ >= 0) scheduler_.wake(resume_event_);
}

// Edges during which the clock was stopped are not shown.
void PinClock::arm() {
  if (armed_) return;
  const auto now = static_cast<std::int64_t>(sc_core::sc_time_stamp().value());
  while (clock_.time(number_) + 1_fs <= TimeFs(now)) ++number_;
  armed_ = true;
  edge_event_.notify(sc_time_of(clock_.time(number_) + 1_fs - TimeFs(now)));
}

}  // namespace kb::modules
