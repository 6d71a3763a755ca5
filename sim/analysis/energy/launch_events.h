// Events of the launches of a run. Without coefficients they can be kept, and priced later.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "platform/contract/request_id.h"
#include "platform/energy/coefficient.h"
#include "sim/analysis/energy/counted.h"

namespace kb::sim {

// Counts by "PART.EVENT" of the energy table, or by "IMPL/RESOURCE/UNIT" of a declared resource.
using EventCounts = std::map<std::string, std::uint64_t>;
// Adds `more` to `sum`. Program Error ENERGY_RANGE above 64 bits.
void add_events(EventCounts& sum, const EventCounts& more);

struct LaunchEvents {
  std::map<contract::RequestId, EventCounts> launches;
  EventCounts nobodys;                                  // refresh, copies of the host, translation tables
  std::map<std::string, energy::Coefficient> declared;  // of the declared resources that were used
};

// The input has a recorder.
LaunchEvents events_of_launches(const EnergyInput& input);

}  // namespace kb::sim
