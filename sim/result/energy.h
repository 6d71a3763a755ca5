// The energy of a run in result.json, as plain data; energy_fields.h names the members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/units.h"
#include "sim/result/line.h"

namespace kb::result {

// Femtojoules: the value, and the bounds that the ranges of the coefficients give.
struct Joules {
  std::uint64_t value = 0, low = 0, high = 0;
};

struct EnergyPart {
  std::string name, label;
  Joules energy;
  double power_w = 0.0;  // mean over the run
  std::optional<std::vector<std::uint64_t>> bins;
};

struct EnergyEvent {
  std::string part, name, text;
  std::uint64_t count = 0;
  std::string unit, per;
  double value = 0.0, low = 0.0, high = 0.0;  // pJ, or W of static power
  std::string node, source, origin;
  Joules energy;
};

// What a line of a kernel caused, over all launches of the kernel.
struct EnergyLine {
  std::string kernel;
  Line line;
  Joules energy;
  std::vector<std::pair<std::string, std::uint64_t>> parts;
};

struct Energy {
  std::string defaults;
  Joules total;
  double power_w = 0.0;
  std::optional<double> pj_per_flop, pj_per_byte;
  std::vector<EnergyPart> parts;
  std::vector<EnergyEvent> events;
  std::vector<std::string> not_counted;
  std::optional<Joules> nobodys;
  std::optional<std::vector<EnergyLine>> lines;
  std::optional<TimeFs> bin;
};

}  // namespace kb::result
