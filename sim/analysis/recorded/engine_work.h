// What the engines of the PEs computed in a window of time, and their limits: the roofs of a roofline.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platform/data/op_log_database.h"
#include "platform/engine/engine_id.h"
#include "sim/analysis/recorded/machine.h"

namespace kb::analysis {

struct EngineWork {
  std::string name;       // "gemm"
  double operations = 0;  // a multiply-accumulate is two
  double padded = 0;      // with those of elements that only pad a tile
  double peak = 0;        // operations per ns of all PEs together; 0 when unknown
};

// The engine that executes operations of a kind; no value for operations of other blocks.
std::optional<engine::EngineId> engine_of(const data::OpLogNames::Operation& operation);

// A row for each engine of the machine, in its order. The peak is that of the dtype of the first products in `names`,
// because tiles have no dtype.
std::vector<EngineWork> engine_work(const Machine& machine, const std::vector<data::OpWork>& work,
                                    const data::OpLogNames& names, std::size_t pes);

}  // namespace kb::analysis
