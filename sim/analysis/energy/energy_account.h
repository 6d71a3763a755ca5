// Multiplies what a run counted with the coefficients of its machine (E-113 .. E-118).
#pragma once

#include <deque>

#include "sim/analysis/energy/counted.h"
#include "sim/analysis/energy/energy_record.h"
#include "sim/result/launch_record.h"

namespace kb::sim {

// The machine has coefficients. Program Error ENERGY_RANGE above 18 kJ.
EnergyRecord account_energy(const EnergyInput& input, const std::deque<LaunchRecord>& launches);

// Phrases for what has a count, or activity, and no coefficient.
std::vector<std::string> not_counted(const EnergyInput& input, const std::vector<Counted>& events);

// Fills the bins of all parts.
void add_power(const EnergyInput& input, const std::vector<Counted>& events, EnergyRecord& record);

}  // namespace kb::sim
