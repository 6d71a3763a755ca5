#pragma once

#include <array>

#include "modules/pe/accel_engine.h"
#include "platform/ops/engine_rates.h"
#include "platform/params/pe_math_params.h"

namespace kb::modules {

// The element-wise, reduction and SIMD unit, with operands and result in the register file.
// Models: the time of one operation. Only one compute operation runs in a PE (accel_slot, P-39).
// Does not model: data (computed by the data engine), TCM traffic (P-4: modelled by PE_FETCH_STORE).
// Timing: max(overhead_ns, weight(op) * elements / elements_per_ns) after acquiring the slot (P-41). elements is the
// largest size among inputs and output, so that a reduction costs the elements that it reads; the rate is that of the
// slowest dtype among them. Throughput is continuous: 96 elements on 64 lanes take 1.5 cycles. weight(op) is the
// parameter weight_<op> (weight_exp, ...); without it, 1 for an operation of one pass, otherwise the sum over its
// passes (math_passes). An epilogue costs the same as its operation on the accumulator: bias costs add, relu costs
// relu, scale and dequant cost mul.
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
