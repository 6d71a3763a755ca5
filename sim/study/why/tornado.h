// The tornado: each key of the machine is changed alone, and the run made again.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/topology.h"
#include "sim/study/why/measure.h"

namespace kb::why {

// A key with another value.
struct KeyTrial {
  std::string value;
  TimeFs time = 0_fs;
  std::string problem;   // not empty: the machine or its run is not possible, and why
  bool not_run = false;  // because the budget was spent
};

struct KeyEffect {
  std::string key, value, text;  // with its value in the machine, and what it means
  std::vector<KeyTrial> trials;
  TimeFs swing = 0_fs;  // largest difference from the time of the machine as it is

  bool measured() const;  // at least one of the trials was
  bool acts() const { return swing > 0_fs; }
};

struct Tornado {
  TimeFs base = 0_fs;
  std::vector<KeyEffect> keys;    // largest swing first, then by name
  std::vector<std::string> kept;  // keys that have no other value to try: names and places
  std::size_t points = 0;
};

// The keys of `machine` with the values that are tried: rates and delays 10 % below and above, a delay of 0 as 1, a
// rate without limit as the slowest one, counts and sizes at half and double, each other word of a choice, and the
// values that the key declares as worth a trial.
std::vector<KeyEffect> key_trials(const topology::LoadedTopology& machine);

// Measures them. `base`: the time of the machine as it is. Routes, algorithms and tiles are chosen again for each.
Tornado measure_keys(IMeasurer& measurer, const topology::LoadedTopology& machine, TimeFs base);

}  // namespace kb::why
