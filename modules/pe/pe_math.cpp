#include "modules/pe/pe_math.h"

#include <algorithm>
#include <string>

namespace kb::modules {
namespace {

double elements(const Shape& shape) {
  double count = 1.0;
  for (const std::int64_t dimension : shape) count *= static_cast<double>(dimension);
  return count;
}

}  // namespace

PeMath::PeMath(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context)
    : AccelEngine(name, node, context),
      elements_per_ns_(node_record().number("elements_per_cycle") * node_record().number("clock_ghz")) {
  for (int op = 0; op < kMathOps; ++op) {
    const std::string key = "weight_" + std::string(math_op_name(static_cast<MathOp>(op)));
    weights_[static_cast<std::size_t>(op)] = node_record().number_or(key, 1.0);
  }
}

TimeFs PeMath::work(const contract::Command& command) const {
  double most = elements(command.out.shape);
  for (const OperandRef& input : command.inputs) most = std::max(most, elements(input.shape));
  return work_time(most * weights_[static_cast<std::size_t>(command.math_op)], elements_per_ns_);
}

}  // namespace kb::modules
