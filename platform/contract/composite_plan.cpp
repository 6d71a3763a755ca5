#include "platform/contract/composite_plan.h"

#include <utility>
#include <vector>

namespace kb::contract {
namespace {

plan::OperandLayout layout_of(const Command& command, std::size_t input) {
  return {command.inputs.at(input).transposed, command.strided.at(input)};
}

}  // namespace

plan::PipelinePlan composite_plan(const Command& command) {
  const plan::TileShape& shape = command.tile_shape;
  if (command.kind == CommandKind::composite_math) {
    return plan::math_plan({command.m, command.n, command.inputs.at(0).dtype, command.out.dtype, command.pinned[0],
                            command.strided[0], command.out_pinned},
                           shape);
  }
  std::vector<plan::EpilogueStep> epilogues;
  for (const Epilogue& epilogue : command.epilogues) epilogues.push_back(plan::epilogue_step(epilogue));
  return plan::gemm_plan({command.m, command.k, command.n, command.inputs.at(0).dtype, command.inputs.at(1).dtype,
                          command.out.dtype, command.pinned[0], command.pinned[1], std::move(epilogues),
                          layout_of(command, 0), layout_of(command, 1), command.out_pinned},
                         shape);
}

}  // namespace kb::contract
