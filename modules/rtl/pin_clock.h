// Timing of the pins of RTL blocks as SystemC signals.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

#include "modules/rtl/pin_sharing.h"
#include "modules/rtl/rtl_clock.h"
#include "platform/elab/event_scheduler.h"

namespace kb::modules {

// A block with visible pins.
class IPinSource {
 public:
  // Called in a SystemC process after edge `number`: clocks the RTL up to this edge if necessary, and writes the pins
  // before the edge to the signals.
  virtual void show_edge(std::int64_t number) = 0;

 protected:
  ~IPinSource() = default;
};

// Shows every edge 1 fs after its time, when all processes of that time have made their calls (decision 0029): the pins
// before the edge, with clk rising a delta cycle later, so that a checker that is sensitive to clk reads the values
// that the RTL has sampled. The signals are written and never read. A free-running clock would keep a standalone
// machine alive: there it stops when no work is left.
class PinClock : public sc_core::sc_module {
 public:
  sc_core::sc_signal<bool> clk{"clk"};

  PinClock(const sc_core::sc_module_name& name, const PinPlace& place, const RtlClock& clock, IPinSource& source);
  // Restarts the clock, because the block has work.
  void resume();

 private:
  void edge_method();
  void clk_method();
  void arm();

  RtlClock clock_;
  PinSharing& sharing_;
  elab::EventScheduler& scheduler_;
  IPinSource& source_;
  std::int64_t number_ = -1;  // number of the next edge
  bool armed_ = false;
  bool high_ = false;  // level of clk
  sc_core::sc_event edge_event_{"edge_event"}, resume_event_{"resume_event"}, clk_event_{"clk_event"};
};

}  // namespace kb::modules
