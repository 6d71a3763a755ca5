// What one kind of operation cost in a run, all PEs together.
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
  // Beyond what the bytes of a transfer take on the wire of the PE; all the time of a receive; nothing for an engine.
  // Not known of a composite, within which engines and transfers overlap.
  std::optional<TimeFs> waiting = 0_fs;
  TimeFs longest = 0_fs;  // of a single one, the first of equal ones,
  TimeFs longest_start = 0_fs;
  PeCoord longest_at;
};

}  // namespace kb::sim
