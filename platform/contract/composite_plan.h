// The tile plan of a composite command (chapter 06, section 4).
#pragma once

#include "platform/contract/command.h"
#include "platform/plan/pipeline_plan.h"

namespace kb::contract {

// For CommandKind::composite_gemm and composite_math.
plan::PipelinePlan composite_plan(const Command& command);

}  // namespace kb::contract
