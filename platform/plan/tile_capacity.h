// Capacity of a PE for the tiles of composites, and the check whether a plan fits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/base/dtype.h"

namespace kb::plan {

class PipelinePlan;

struct TileCapacity {
  std::uint64_t register_file_bytes = UINT64_MAX;  // register file of PE_FETCH_STORE
  std::uint64_t buffer_bytes = UINT64_MAX;         // SchedulerReservedTCM
};

struct CapacityError {
  std::string code;  // OUT_OF_REGISTERS, OUT_OF_SCRATCH
  std::string text;  // sizes and remedy
};

// Checks a plan. Two tiles share the register file, because one computes while the next is fetched and the previous one
// is stored (P-43); the inputs and the output of one tile need buffers (P-46). Returns no value when both fit.
std::optional<CapacityError> misfit(const PipelinePlan& plan, Dtype acc, const TileCapacity& room);

}  // namespace kb::plan
