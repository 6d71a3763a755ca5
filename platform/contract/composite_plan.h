// The tile plan of a composite command (P-19 .. P-28).
#pragma once

#include "platform/contract/command.h"
#include "platform/plan/pipeline_plan.h"
#include "platform/plan/tile_capacity.h"

namespace kb::contract {

// Plans a composite_gemm or composite_math command for a PE with this room for tiles.
plan::PipelinePlan composite_plan(const Command& command, const plan::TileCapacity& room);

// Operation of a MATH stage: the one of the command or of one of its epilogues.
MathOp math_op_of(const Command& command, const plan::Stage& stage);

}  // namespace kb::contract
