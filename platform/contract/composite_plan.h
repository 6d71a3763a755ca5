// The tile plan of a composite command (P-19 .. P-28).
#pragma once

#include "platform/contract/command.h"
#include "platform/plan/pipeline_plan.h"

namespace kb::contract {

// The plan of a composite_gemm or composite_math command.
plan::PipelinePlan composite_plan(const Command& command);

}  // namespace kb::contract
