#include "platform/engine/built_in_engines.h"

#include "platform/ops/math_op.h"

namespace kb::engine {
namespace {

// Commands of built-in calls (tl.dot, tl.add), which the plan and the data engine implement directly.
CommandRow named(std::string name, std::vector<std::string> reads) {
  CommandRow command;
  command.name = std::move(name);
  command.reads = std::move(reads);
  return command;
}

EngineRow gemm_row() {
  EngineRow row;
  row.name = "gemm";
  row.label = "GEMM";
  row.text = "matrix products";
  row.sentence = "PE_GEMM computes.";
  row.phrase = "computed in PE_GEMM";
  row.advice = "this is the roof of the engines: use more PEs, a smaller type, or fewer operations";
  row.colour = "#d9822b";
  row.roof = {"mac_per_ns", "MAC", 2.0};
  row.commands = {named("gemm", {"a", "b"})};
  return row;
}

EngineRow math_row() {
  EngineRow row;
  row.name = "math";
  row.label = "MATH";
  row.text = "element-wise operations and reductions";
  row.sentence = "PE_MATH computes, PE_GEMM does not.";
  row.phrase = "computed in PE_MATH";
  row.advice =
      "this is the roof of PE_MATH: fuse operations (fma, epilogues of composites), use a smaller type or more PEs, or "
      "let it run beside PE_GEMM (shared_resource: none)";
  row.colour = "#e8b878";
  row.roof = {"elements_per_ns", "element", 1.0};
  for (int op = 0; op < kMathOps; ++op) {
    row.commands.push_back(named(std::string(math_op_name(static_cast<MathOp>(op))), {"inputs"}));
  }
  return row;
}

}  // namespace

std::vector<EngineRow> built_in_rows() {
  return {gemm_row(), math_row()};
}

}  // namespace kb::engine
