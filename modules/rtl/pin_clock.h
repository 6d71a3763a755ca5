// Pins of blocks whose RTL is simulated, as signals of SystemC: when they change.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

#include "modules/rtl/pin_sharing.h"
#include "modules/rtl/rtl_clock.h"
#include "platform/elab/event_scheduler.h"

namespace kb::modules {

// A block whose pins are shown.
class IPinSource {
 public:
  // In a process of SystemC, after edge `number`: the RTL sees the edges up to this one if it has not, and the signals
  // get what the pins were before it.
  virtual void show_edge(std::int64_t number) = 0;

 protected:
  ~IPinSource() = default;
};

// Shows every edge 1 fs after its time, when all processes of that time have made their calls (decision 0029): the pins
// as they stand before the edge, and clk rises a delta cycle later. So a checker that is sensitive to clk reads what
// the RTL has sampled. Signals are written and never read. A machine alone would not end beside a clock:
// there it stops when nothing is left to do.
class PinClock : public sc_core::sc_module {
 public:
  sc_core::sc_signal<bool> clk{"clk"};

  PinClock(const sc_core::sc_module_name& name, const PinPlace& place, const RtlClock& clock, IPinSource& source);
  // The block has got something to do.
  void resume();

 private:
  void edge_method();
  void clk_method();
  void arm();

  RtlClock clock_;
  PinSharing& sharing_;
  elab::EventScheduler& scheduler_;
  IPinSource& source_;
  std::int64_t number_ = -1;  // of the next edge
  bool armed_ = false;
  bool high_ = false;  // level of clk
  sc_core::sc_event edge_event_{"edge_event"}, resume_event_{"resume_event"}, clk_event_{"clk_event"};
};

}  // namespace kb::modules
