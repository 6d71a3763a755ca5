// State that the SystemC pin signals of all RTL blocks of a machine share (BlockContext::shared).
#pragma once

#include <map>
#include <string>
#include <systemc>

#include "platform/elab/event_scheduler.h"

namespace kb::modules {

struct PinSharing {
  bool runs_on = false;  // the machine is part of another simulation, which decides when it ends
  std::map<std::string, sc_core::sc_module*> bundles;  // by node; signals are their children
};

// Node and machine of a bundle of signals.
struct PinPlace {
  const std::string& node;
  PinSharing& sharing;
  elab::EventScheduler& scheduler;
};

}  // namespace kb::modules
