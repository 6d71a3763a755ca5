// Signals at the pins of RTL blocks: what the blocks of a machine and those around it know in common
// (BlockContext::shared).
#pragma once

#include <map>
#include <string>
#include <systemc>

#include "platform/elab/event_scheduler.h"

namespace kb::modules {

struct PinSharing {
  bool runs_on = false;  // the machine is a part of another simulation, which ends by itself
  std::map<std::string, sc_core::sc_module*> bundles;  // by node; signals are their children
};

// Where a bundle of signals belongs.
struct PinPlace {
  const std::string& node;
  PinSharing& sharing;
  elab::EventScheduler& scheduler;
};

}  // namespace kb::modules
