#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "platform/plan/pipeline_plan.h"

namespace kb::modules {

class CommandTask;

// A composite command whose tiles are in the PE (P-31).
struct PipelineContext final {
  PipelineContext(CommandTask& composite, plan::PipelinePlan tiles) : command(&composite), plan(std::move(tiles)) {
    if (plan.reuses_a()) rows_read.resize(static_cast<std::size_t>(plan.depths()));
  }

  CommandTask* command;
  plan::PipelinePlan plan;
  std::uint64_t fed = 0;
  std::uint64_t completed = 0;

  // State of the retained row panel of A (P-102): its current size and, per K tile, the latest row of tiles (counted
  // from 1) whose A has been read.
  std::uint64_t kept_bytes = 0;
  std::vector<std::int64_t> rows_read;

  bool has_a(const plan::Tile& tile) const {
    return !plan.reuses_a() || tile.column == 0 || rows_read[static_cast<std::size_t>(tile.depth)] == tile.row + 1;
  }
};

}  // namespace kb::modules
