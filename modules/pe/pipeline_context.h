#pragma once

#include <cstdint>
#include <utility>

#include "platform/plan/pipeline_plan.h"

namespace kb::modules {

class CommandTask;

// A composite command while its tiles go through the PE (P-31).
struct PipelineContext final {
  PipelineContext(CommandTask& composite, plan::PipelinePlan tiles) : command(&composite), plan(std::move(tiles)) {}

  CommandTask* command;
  plan::PipelinePlan plan;
  std::uint64_t fed = 0;
  std::uint64_t completed = 0;
};

}  // namespace kb::modules
