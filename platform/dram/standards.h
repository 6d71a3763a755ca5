// Presets of HBM generations: geometry, timing and where each value comes from (depth of C-DRAM-1 and C-DRAM-10).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/units.h"
#include "platform/dram/constraints.h"

namespace kb::dram {

inline constexpr int kPcs = 2;                     // pseudo-channels of a channel
inline constexpr std::uint64_t kAccessBytes = 32;  // data of one column command
inline constexpr int kColumnBits = 5;              // a row of a pseudo-channel has 1 KiB

struct Geometry {
  int sids = 1;         // stack IDs; 3 is possible
  int bank_groups = 4;  // of a SID; power of two
  int banks = 4;        // of a bank group; power of two
  std::uint64_t rows = 1;

  int banks_per_pc() const { return sids * bank_groups * banks; }
  int banks_of_channel() const { return kPcs * banks_per_pc(); }
  std::uint64_t bytes_per_pc() const;
};

struct Standard {
  std::string name;
  TimeFs tck = 0_fs;
  Timing timing;
  Geometry geometry;
  // In half ticks: how long ACT, and PRE or a refresh, holds the row bus, and the distance of the edges at which PRE
  // can begin. All other commands begin at whole ticks.
  int act_halves = 4, pre_halves = 2, pre_step = 2;
  std::map<std::string, std::string> sources;  // by key of the timing; "" for all others

  // How long a command holds its bus, in half ticks.
  int length(Command command) const;
  // Distance of the edges at which a command can begin, in half ticks.
  int step(Command command) const { return command == Command::pre ? pre_step : 2; }
  const std::string& source_of(const std::string& key) const;
  // Bandwidth of a pseudo-channel: 32 B in each BL.
  double channel_gbs() const;
};

// Names of presets, oldest generation first.
std::vector<std::string> standard_names();
// Configuration Error for an unknown name.
Standard standard(const std::string& name);

// Keys of timing values: "CL", "RCDRD", ...
std::vector<std::string> timing_keys();
int& timing_value(Timing& timing, const std::string& key);  // configuration Error for an unknown key
// Replaces a value; its source is `source`.
void override_timing(Standard& standard, const std::string& key, int ticks, const std::string& source = "configured");

// Configuration Error with every contradiction of the values, as tRC < tRAS + tRP, and a geometry that cannot be.
void check(const Standard& standard);

}  // namespace kb::dram
