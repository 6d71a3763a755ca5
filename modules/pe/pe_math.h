#pragma once

#include <array>

#include "modules/pe/accel_engine.h"
#include "platform/ops/engine_rates.h"
#include "platform/params/pe_math_params.h"

namespace kb::modules {

// Element-wise, reduction and SIMD unit, register file in and out.
// Models: the time of one operation, and that only one compute operation runs in a PE (accel_slot, P-39).
// Does not model: numbers (the data engine computes them), TCM traffic (P-4: PE_FETCH_STORE's).
// Timing: max(overhead_ns, weight(op) * elements / elements_per_ns) from getting the slot (P-41), with elements = the
// largest of the inputs and the output, so that a reduction costs what it reads, and the rate of the slowest dtype
// among them. Throughput is continuous: 96 elements on 64 lanes take 1.5 cycles. weight(op) is the parameter
// weight_<op> (weight_exp, ...); when absent, 1 for an operation of one pass and else the sum over its passes
// (math_passes). An epilogue costs what its operation does on the accumulator: bias add, relu relu, scale and dequant
// mul.
class PeMath final : public AccelEngine {
 public:
  PeMath(const sc_core::sc_module_name& name, NodeId node, const params::PeMathParams& params, PeContext& pe,
         elab::BlockContext& context);

 private:
  TimeFs work(CommandTask& task) override;

  ElementRates elements_per_ns_;
  std::array<double, kMathOps> weights_{};
};

}  // namespace kb::modules
