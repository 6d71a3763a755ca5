// The energy of a run as plain data. All sums are exact: the total is that of the parts, of the events, of the launches
// with what is nobody's, and of the bins of time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/units.h"
#include "platform/energy/coefficient.h"

namespace kb::sim {

// An event of one kind, or the static power of a part.
struct EnergyEvent {
  std::string part, name, unit, per, text;
  energy::Coefficient coefficient;
  std::uint64_t count = 0;  // in the unit; for static power in fs
  energy::Energy energy;
  bool is_static() const { return name == "static"; }
};

struct EnergyPart {
  std::string name, label;
  energy::Energy energy;
  std::vector<std::uint64_t> bins;  // fJ in each bin of EnergyRecord; empty: activity was not recorded
};

// What a line of a launch caused in one part.
struct PlaceEnergy {
  std::uint32_t launch = 0;  // index in the run's launches
  std::uint32_t place = 0;   // index in the run's places
  std::uint32_t part = 0;    // index in EnergyRecord::parts
  energy::Energy energy;
};

struct EnergyRecord {
  std::string defaults;  // name of the set of coefficients
  TimeFs time = 0_fs;    // of the run
  energy::Energy total;
  std::vector<EnergyPart> parts;
  std::vector<EnergyEvent> events;
  std::vector<std::string> not_counted;  // phrases
  std::uint64_t flops = 0;               // two for each useful multiply-accumulate
  std::uint64_t memory_bytes = 0;        // read and written in HBM
  bool recorded = false;                 // activity was: launches, places and bins are known
  std::vector<energy::Energy> launches;  // in the order of the run
  energy::Energy nobodys;                // refresh, static power, copies of the host
  std::vector<PlaceEnergy> places;
  TimeFs bin = 0_fs;  // width of bins, the last of which may be shorter
};

// Mean power in W.
double watts(std::uint64_t femtojoules, TimeFs time);

}  // namespace kb::sim
