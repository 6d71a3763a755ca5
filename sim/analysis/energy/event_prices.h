// What counted events cost, shared among those who caused them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/energy/coefficient.h"
#include "platform/energy/events.h"
#include "sim/analysis/energy/energy_record.h"
#include "sim/analysis/energy/launch_events.h"

namespace kb::sim {

struct EventPrices {
  energy::Energy total;
  std::vector<EnergyPart> parts;         // that cost something, without bins
  std::vector<energy::Energy> shares;    // they add up to the total
  std::vector<std::string> not_counted;  // phrases
};

// Prices the events of each share with the coefficients of a machine, and with those of declared resources.
EventPrices price_events(const energy::Table& table, const std::map<std::string, energy::Coefficient>& declared,
                         const std::vector<EventCounts>& shares);

// Adds the static power of a machine over a time, as a last share.
void add_static_power(const energy::Table& table, TimeFs time, EventPrices& prices);

}  // namespace kb::sim
