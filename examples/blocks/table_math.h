// A MATH engine with its own table of costs.
#pragma once

#include <kernbench/modules/pe/accel_engine.h>
#include <kernbench/modules/pe/catalog.h>
#include <kernbench/platform/elab/registry.h>
#include <kernbench/platform/ops/op_types.h>
#include <kernbench/platform/params/pe_math_params.h>

#include <array>
#include <cstdint>

namespace example {

// Parameters of this engine, in addition to those of every PE_MATH.
struct TableMathParams {
  std::int64_t lanes = 64;            // elements per cycle
  kb::Gigahertz clock{1.5};           // cycles per ns
  std::int64_t simple_cycles = 1;     // per row of lanes: add, mul, max, ...
  std::int64_t function_cycles = 4;   // exp, log, sqrt, cos, sin
  std::int64_t division_cycles = 8;   // div
  std::int64_t reduction_cycles = 2;  // sum, max, min along an axis

  static const kb::params::FieldTable& fields();
};

// Timing: max(overhead_ns, passes * ceil(elements / lanes) * cycles of each pass / clock_ghz) from getting the slot.
// Unlike the built-in engine it works on whole rows of lanes: 65 elements on 64 lanes take two.
class TableMath final : public kb::modules::AccelEngine {
 public:
  TableMath(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::PeMathParams& kind,
            const TableMathParams& params, kb::modules::PeContext& pe, kb::elab::BlockContext& context);

 private:
  kb::TimeFs work(kb::modules::CommandTask& task) override;

  std::int64_t lanes_;
  kb::Gigahertz clock_;
  std::array<std::int64_t, kb::kMathOps> cycles_{};  // per row of lanes, summed over the passes of the operation
};

// Used by the plug-in and by its test.
inline kb::elab::BlockDefinition table_math() {
  return {kb::topology::NodeKind::pe_math, "custom.table_math", TableMathParams::fields(),
          kb::modules::make_custom_pe_factory<TableMath, kb::params::PeMathParams, TableMathParams>()};
}

}  // namespace example
