#pragma once

#include "modules/pe/accel_engine.h"

namespace kb::modules {

// MAC array, register file in and out.
// Models: the time of one matrix product, and that only one compute operation runs in a PE (accel_slot, P-39).
// Does not model: numbers (the data engine computes them), TCM traffic (P-4: PE_FETCH_STORE's).
// Timing: max(overhead_ns, m * k * n / mac_per_ns) from getting the slot (P-40). The defaults, 4096 MAC/ns, make a
// 32x64x32 tile take 16 ns.
class PeGemm final : public AccelEngine {
 public:
  PeGemm(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context);

 private:
  TimeFs work(const CommandTask& task) const override;

  double mac_per_ns_;
};

}  // namespace kb::modules
