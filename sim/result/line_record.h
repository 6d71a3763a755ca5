// Where the time of kernels went, and what their transfers did, by line.
#pragma once

#include <cstdint>
#include <string>

#include "platform/account/resource_account.h"
#include "platform/base/units.h"
#include "platform/record/activity.h"

namespace kb::sim {

// A call in a line of a kernel's source, and the tensor that it transfers.
struct SourcePlace {
  std::string file;  // "" without a line: messages that distribute a launch, and what follows the kernel's function
  std::uint32_t line = 0;
  std::string call;    // "load"
  std::string range;   // "layer 3 / gather h"; "" outside of all ranges
  std::string tensor;  // "" without one

  std::string position() const;  // "gemm.cpp:41"; "" without a line
  std::string text() const;      // "gemm.cpp:41 load"
};

// Time of a kernel's thread at a line, of one share. Places are indices in the run's list.
struct LineTimeRecord {
  std::uint32_t line = 0;
  std::uint32_t held_by = 0;  // the line that issued what the thread waited for; `line` itself for its own call
  std::uint32_t share = 0;    // contract::share_index()
  TimeFs sum = 0_fs;          // over all PEs
  TimeFs last = 0_fs;         // on the PE that ended last
};

// What all resources of a role did for the transfers and commands of a line.
struct PlaceUseRecord {
  std::uint32_t place = 0;
  record::Role role{};
  account::Sums sums;
  std::uint32_t blocks = 0;  // that have one of these resources
  std::uint32_t most = 0;    // resource with the longest wait, an index in the run's list
  TimeFs most_wait = 0_fs;
};

}  // namespace kb::sim
