#include "platform/contract/composite_plan.h"

#include <optional>
#include <utility>
#include <vector>

#include "platform/engine/command_ref.h"

namespace kb::contract {
namespace {

plan::OperandLayout layout_of(const Command& command, std::size_t input) {
  return {command.inputs.at(input).transposed, command.strided.at(input)};
}

}  // namespace

plan::PipelinePlan composite_plan(const Command& command, const plan::TileCapacity& room) {
  const TileShape& shape = command.tile_shape;
  std::vector<plan::EpilogueStep> epilogues;
  for (const Epilogue& epilogue : command.epilogues) epilogues.push_back(plan::epilogue_step(epilogue));
  if (form_of(command) == engine::CommandForm::math_op) {
    return plan::math_plan({command.m, command.n, command.inputs.at(0).dtype, command.out.dtype, command.pinned[0],
                            command.strided[0], command.out_pinned, std::move(epilogues)},
                           shape);
  }
  std::optional<std::uint64_t> reuse_buffer_bytes;
  if (command.reuse_a == ReuseA::automatic) reuse_buffer_bytes = room.buffer_bytes;
  return plan::gemm_plan({command.m, command.k, command.n, command.inputs.at(0).dtype, command.inputs.at(1).dtype,
                          command.out.dtype, command.pinned[0], command.pinned[1], std::move(epilogues),
                          layout_of(command, 0), layout_of(command, 1), command.out_pinned, reuse_buffer_bytes},
                         shape);
}

MathOp math_op_of(const Command& command, const plan::Stage& stage) {
  return stage.is_epilogue ? kb::math_op_of(command.epilogues.at(stage.epilogue)) : command.math_op;
}

}  // namespace kb::contract
