// What a block declares of a resource: everything that statistics, series, waveforms, findings and pages say of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
};

struct Declaration {
  std::string name;  // of statistics and series: "bank"
  Role role{};
  std::uint32_t units = 1;  // that can be busy at once, numbered from 0; each has a series of its own
  std::string sentence;     // what a busy unit does: "A row is open or being changed."
  std::vector<Cause> causes{};
};

}  // namespace kb::resource
