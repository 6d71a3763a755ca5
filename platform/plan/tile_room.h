// What a PE has for the tiles of its composites, and whether a plan fits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/base/dtype.h"

namespace kb::plan {

class PipelinePlan;

struct TileRoom {
  std::uint64_t register_file_bytes = UINT64_MAX;  // of PE_FETCH_STORE
  std::uint64_t buffer_bytes = UINT64_MAX;         // SchedulerReservedTCM
};

struct Misfit {
  std::string code;  // OUT_OF_REGISTERS, OUT_OF_SCRATCH
  std::string text;  // sizes and remedy
};

// Two tiles share the register file, because one computes while the next is fetched and the one before is stored
// (P-43); one tile's inputs and output need buffers (P-46). Returns no value when both fit.
std::optional<Misfit> misfit(const PipelinePlan& plan, Dtype acc, const TileRoom& room);

}  // namespace kb::plan
