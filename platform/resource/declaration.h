// What a block declares of a resource: everything that statistics, series, waveforms, findings and pages say of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/energy/coefficient.h"
#include "platform/record/activity.h"

namespace kb::resource {

using record::Role;

// What kind of reason a wait has; causes themselves are the block's own.
enum class CauseClass : std::uint8_t {
  full,      // no place is free
  order,     // something else has to be first
  rate,      // the data take their time
  conflict,  // two uses exclude each other
  refresh,   // the resource is out of service
  other,
};

struct Cause {
  std::string name;  // of statistics: "row"
  CauseClass what{};
  std::string sentence;  // inside a sentence about an access: "another row was open"
  std::string remedy{};  // what helps against it, in a finding: "give rows another pitch"; "" for the usual words
};

// When a block tells a use, for waveforms, whose past is written while the simulation runs.
enum class Told : std::uint8_t {
  late,      // at most Resource::kMostLate after the use or its wait began; what lies before that is not shown
  ahead,     // before the use and its waits begin
  by_block,  // the block itself says what is final (Resource::show_until)
};

struct Declaration {
  std::string name;  // of statistics and series: "bank"
  Role role{};
  std::uint32_t units = 1;  // that can be busy at once, numbered from 0; each has a series of its own
  std::string sentence;     // what a busy unit does: "A row is open or being changed."
  std::vector<Cause> causes{};
  Told told = Told::late;
  // What a use, and a byte of one, cost: energy::Coefficient::of_pj(). Counted on machines with `energy:`.
  std::optional<energy::Coefficient> energy_per_use{}, energy_per_byte{};

  // Name of a unit in series, statistics, signals and log: "bank3", or "bank" when there is one.
  std::string label(std::uint32_t unit) const { return units > 1 ? name + std::to_string(unit) : name; }
};

}  // namespace kb::resource
