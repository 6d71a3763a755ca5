#include "modules/pe/pe_math.h"

#include <string>

namespace kb::modules {

PeMath::PeMath(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context)
    : AccelEngine(name, node, context),
      elements_per_ns_(node_record().number("elements_per_cycle") * node_record().number("clock_ghz")) {
  for (int op = 0; op < kMathOps; ++op) {
    const std::string key = "weight_" + std::string(math_op_name(static_cast<MathOp>(op)));
    weights_[static_cast<std::size_t>(op)] = node_record().number_or(key, 1.0);
  }
}

TimeFs PeMath::work(const CommandTask& task) const {
  const contract::Command& command = *task.command;
  const MathOp op = command.kind == contract::CommandKind::composite_gemm
                        ? math_op_of(command.epilogues.at(task.stage.epilogue).op)
                        : command.math_op;
  return work_time(static_cast<double>(task.stage.elements) * weights_[static_cast<std::size_t>(op)], elements_per_ns_);
}

}  // namespace kb::modules
