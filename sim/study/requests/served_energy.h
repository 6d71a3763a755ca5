// Joules of served requests, as the summary shows them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/observe/json_writer.h"
#include "sw/serving/statistics.h"

namespace kb::requests {

// How joules were counted.
struct EnergyCount {
  std::string defaults;                  // name of the set of coefficients
  std::vector<std::string> not_counted;  // phrases
};

// What a run comes to; joules are 0 for each of nothing.
struct ServedEnergy {
  serving::Joules total;     // from the first arrival to the last token
  double static_joules = 0;  // that belong to the time alone
  double watts = 0;          // mean
  double per_output_token = 0, per_request = 0;
};
// No value: joules were not counted.
std::optional<ServedEnergy> energy_of(const serving::Statistics& statistics);

// "12.3 mJ", also above the 18 kJ of energy::Energy.
std::string joules_text(double joules);

// Lines of the summary, without and with a run.
std::string energy_text(const EnergyCount& count, const std::optional<ServedEnergy>& energy);
// The member `joules`; without a run only how it was counted.
void put_energy(observe::JsonWriter& json, const std::optional<EnergyCount>& count,
                const std::optional<ServedEnergy>& energy);

}  // namespace kb::requests
