// The tile plan of a composite command (P-19 .. P-28).
#pragma once

#include "platform/contract/command.h"
#include "platform/plan/pipeline_plan.h"
#include "platform/plan/tile_room.h"

namespace kb::contract {

// The plan of a composite_gemm or composite_math command on a PE with that room for tiles.
plan::PipelinePlan composite_plan(const Command& command, const plan::TileRoom& room);

// The operation of a MATH stage: the command's, or that of one of its epilogues.
MathOp math_op_of(const Command& command, const plan::Stage& stage);

}  // namespace kb::contract
