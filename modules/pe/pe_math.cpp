#include "modules/pe/pe_math.h"

#include <algorithm>

#include "platform/contract/command.h"
#include "platform/contract/composite_plan.h"

namespace kb::modules {

namespace {

double weight_of(const params::PeMathParams& params, MathOp op) {
  const auto written = [&](MathOp which) { return params.weights[static_cast<std::size_t>(which)]; };
  double passes = 0.0;
  for (const MathOp pass : math_passes(op)) passes += written(pass).value_or(1.0);
  return written(op).value_or(passes);
}

}  // namespace

PeMath::PeMath(const sc_core::sc_module_name& name, NodeId node, const params::PeMathParams& params, PeContext& pe,
               elab::BlockContext& context)
    : AccelEngine(name, node, params.overhead.time(), params.queue_depth, params.shared_resource, pe, context),
      elements_per_ns_(params.elements_per_ns) {
  for (int op = 0; op < kMathOps; ++op) {
    weights_[static_cast<std::size_t>(op)] = weight_of(params, static_cast<MathOp>(op));
  }
}

TimeFs PeMath::work(CommandTask& task) {
  const contract::Command& command = *task.command;
  const MathOp op = contract::math_op_of(command, task.stage);
  const bool to_epilogues = !task.stage.is_epilogue && !command.epilogues.empty();
  ElementRate rate = elements_per_ns_.of(to_epilogues ? command.acc_dtype : command.out.dtype);
  if (task.stage.is_epilogue) {
    rate = elements_per_ns_.of(epilogue_dtype(command.epilogues, task.stage.epilogue, command.acc_dtype));
  } else {
    for (const OperandRef& input : command.inputs) rate = std::min(rate, elements_per_ns_.of(input.dtype));
    if (command.positions) rate = std::min(rate, elements_per_ns_.of(command.positions->dtype));
  }
  return rate.time(static_cast<double>(task.stage.elements) * weights_[static_cast<std::size_t>(op)]);
}

}  // namespace kb::modules
