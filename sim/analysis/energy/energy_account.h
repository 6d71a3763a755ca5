// Multiplies what a run counted with the coefficients of its machine (E-113 .. E-118).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "platform/energy/events.h"
#include "sim/analysis/energy/counted.h"
#include "sim/analysis/energy/energy_record.h"
#include "sim/result/launch_record.h"

namespace kb::sim {

// The machine has coefficients. Program Error ENERGY_RANGE above 18 kJ.
EnergyRecord account_energy(const EnergyInput& input, const std::deque<LaunchRecord>& launches);

// The row of a part, which is added when it is new.
EnergyPart& part_of(std::vector<EnergyPart>& parts, const std::string& name);

// A phrase for events without a coefficient; `count` in units of it.
std::string without_coefficient(const std::string& part, const std::string& event, const std::string& per,
                                std::uint64_t count);
// Phrases for what has no event, or no static power.
void add_never_counted(const energy::Table& table, std::vector<std::string>& phrases);
// Phrases for what has a count, or activity, and no coefficient.
std::vector<std::string> not_counted(const EnergyInput& input, const std::vector<Counted>& events);

// Fills the bins of all parts.
void add_power(const EnergyInput& input, const std::vector<Counted>& events, EnergyRecord& record);

}  // namespace kb::sim
