// Total cost of one kind of operation in a run, over all PEs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/base/ids.h"
#include "platform/base/units.h"

namespace kb::sim {

struct OperationCost {
  std::string name;  // as in the operation log: "dma_read", "gemm_f16", "exp"
  std::uint64_t count = 0;
  TimeFs time = 0_fs;
  // Waiting time: the time of a transfer beyond its serialisation on the PE's wire, or the whole time of a receive;
  // zero for an engine. No value for a composite, in which engines and transfers overlap.
  std::optional<TimeFs> waiting = 0_fs;
  TimeFs longest = 0_fs;  // the longest single operation (the first of equal ones), with its start and PE
  TimeFs longest_start = 0_fs;
  PeCoord longest_at;
};

}  // namespace kb::sim
