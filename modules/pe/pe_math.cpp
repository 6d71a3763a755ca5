#include "modules/pe/pe_math.h"

#include <algorithm>
#include <string>

namespace kb::modules {

PeMath::PeMath(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context)
    : AccelEngine(name, node, context), elements_per_ns_(node_record().rates("elements_per_ns", RateUnit::elements)) {
  for (int op = 0; op < kMathOps; ++op) weights_[static_cast<std::size_t>(op)] = weight_of(static_cast<MathOp>(op));
}

double PeMath::weight_of(MathOp op) const {
  const auto written = [&](MathOp which, double otherwise) {
    return node_record().number_or("weight_" + std::string(math_op_name(which)), otherwise);
  };
  double passes = 0.0;
  for (const MathOp pass : math_passes(op)) passes += written(pass, 1.0);
  return written(op, passes);
}

TimeFs PeMath::work(CommandTask& task) {
  const contract::Command& command = *task.command;
  MathOp op = command.math_op;
  double rate = elements_per_ns_.of(command.out.dtype);
  if (command.kind == contract::CommandKind::composite_gemm) {
    op = math_op_of(command.epilogues.at(task.stage.epilogue).op);
    rate = elements_per_ns_.of(epilogue_dtype(command.epilogues, task.stage.epilogue, command.acc_dtype));
  } else {
    for (const OperandRef& input : command.inputs) rate = std::min(rate, elements_per_ns_.of(input.dtype));
  }
  return work_time(static_cast<double>(task.stage.elements) * weights_[static_cast<std::size_t>(op)], rate);
}

}  // namespace kb::modules
