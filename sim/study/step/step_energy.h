// What a step of a model costs in joules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/units.h"
#include "platform/energy/events.h"
#include "sim/analysis/energy/energy_record.h"
#include "sim/study/step/step_times.h"

namespace kb::step {

struct StepEnergy {
  std::string defaults;  // name of the set of coefficients
  energy::Energy total;  // of all SIPs that share the model
  std::vector<sim::EnergyPart> parts;
  std::vector<energy::Energy> rows;  // of the groups of launches
  energy::Energy nobodys;            // refresh, static power
  std::uint64_t memory_bytes = 0;    // read and written in HBM
  std::vector<std::string> not_counted;
};

// `rows`: the launches of each row, by their numbers; `step`: from a step to the next. A refresh belongs to the time
// that passes, so that those of a run count in proportion to `step`.
StepEnergy price_step(const energy::Table& table, const StepEvents& events,
                      const std::vector<std::vector<std::size_t>>& rows, TimeFs step);

}  // namespace kb::step
