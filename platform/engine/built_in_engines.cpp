#include "platform/engine/built_in_engines.h"

#include "platform/engine/engine_catalog.h"
#include "platform/params/pe_gemm_params.h"
#include "platform/params/pe_math_params.h"

namespace kb::engine {
namespace {

// Commands of built-in calls (tl.dot, tl.add), which the plan and the data engine implement directly.
CommandRow named(std::string name, CommandForm form, std::vector<std::string> reads) {
  CommandRow command;
  command.form = form;
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
  row.commands = {named(row.name, CommandForm::product, {"a", "b"})};
  row.attributes = &params::PeGemmParams::fields();
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
    row.commands.push_back(named(std::string(math_op_name(static_cast<MathOp>(op))), CommandForm::math_op, {"inputs"}));
  }
  row.attributes = &params::PeMathParams::fields();
  return row;
}

CommandRef command(EngineId engine, std::size_t index) {
  return {engine, &built_in_engines()->row(engine).commands[index]};
}

}  // namespace

std::vector<EngineRow> built_in_rows() {
  return {gemm_row(), math_row()};
}

CommandRef product_command() {
  return command(EngineId::gemm, 0);
}

CommandRef math_command(MathOp op) {
  return command(EngineId::math, static_cast<std::size_t>(op));
}

}  // namespace kb::engine
