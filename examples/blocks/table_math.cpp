#include "table_math.h"

#include <kernbench/platform/contract/composite_plan.h>

namespace example {

using kb::MathOp;

const kb::params::FieldTable& TableMathParams::fields() {
  using P = TableMathParams;
  static const kb::params::FieldTable table =
      kb::params::Fields<P>()
          .add("lanes", &P::lanes, kb::at_least(1, 4096), "elements per cycle")
          .add("clock_ghz", &P::clock, "cycles per ns")
          .add("simple_cycles", &P::simple_cycles, kb::at_least(1, 1000), "cycles of an addition per row of lanes")
          .add("function_cycles", &P::function_cycles, kb::at_least(1, 1000),
               "cycles of exp, log, sqrt, rsqrt, cos and sin")
          .add("division_cycles", &P::division_cycles, kb::at_least(1, 1000), "cycles of a division")
          .add("reduction_cycles", &P::reduction_cycles, kb::at_least(1, 1000),
               "cycles of sum, max and min along an axis")
          .table();
  return table;
}

namespace {

std::int64_t cycles_of(const TableMathParams& params, MathOp op) {
  switch (op) {
    case MathOp::exp:
    case MathOp::log:
    case MathOp::sqrt:
    case MathOp::rsqrt:
    case MathOp::cos:
    case MathOp::sin:
      return params.function_cycles;
    case MathOp::div:
      return params.division_cycles;
    default:
      return kb::is_reduction(op) ? params.reduction_cycles : params.simple_cycles;
  }
}

}  // namespace

TableMath::TableMath(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::PeMathParams& kind,
                     const TableMathParams& params, kb::modules::PeContext& pe, kb::elab::BlockContext& context)
    : AccelEngine(name, node, kind.overhead.time(), kind.queue_depth, kind.shared_resource, pe, context),
      lanes_(params.lanes),
      clock_(params.clock) {
  for (int op = 0; op < kb::kMathOps; ++op) {
    for (const MathOp pass : kb::math_passes(static_cast<MathOp>(op))) {
      cycles_[static_cast<std::size_t>(op)] += cycles_of(params, pass);
    }
  }
}

kb::TimeFs TableMath::work(kb::modules::CommandTask& task) {
  const kb::contract::Command& command = *task.command;
  const MathOp op = kb::contract::math_op_of(command, task.stage);
  const std::int64_t rows = (task.stage.elements + lanes_ - 1) / lanes_;
  return clock_.time(static_cast<double>(rows * cycles_[static_cast<std::size_t>(op)]));
}

}  // namespace example
