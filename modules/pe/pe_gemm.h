#pragma once

#include "modules/pe/accel_engine.h"
#include "platform/base/granularity.h"
#include "platform/ops/engine_rates.h"
#include "platform/params/pe_gemm_params.h"

namespace kb::modules {

// The MAC array, with operands and result in the register file.
// Models: the time of one matrix product. Only one compute operation runs in a PE (accel_slot, P-39).
// Does not model: data (computed by the data engine), TCM traffic (P-4: modelled by PE_FETCH_STORE).
// Timing: max(overhead_ns, macs / mac_per_ns) after acquiring the slot (P-40), with the rate of the inputs' dtype. macs
// = m * k * n, each rounded up to gemm_granularity (P-28), for a command and for a tile of a composite alike. With the
// defaults, 4096 MAC/ns for f16, a 32x64x32 tile takes 16 ns, and so does any smaller product.
class PeGemm final : public AccelEngine {
 public:
  PeGemm(const sc_core::sc_module_name& name, NodeId node, const params::PeGemmParams& params, PeContext& pe,
         elab::BlockContext& context);
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;

 private:
  TimeFs work(CommandTask& task) override;

  MacRates mac_per_ns_;
  Granularity granularity_;
  std::int64_t macs_ = 0;
  std::int64_t useful_macs_ = 0;
};

}  // namespace kb::modules
