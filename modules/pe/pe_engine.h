#pragma once

#include "modules/pe/accel_engine.h"
#include "platform/ops/engine_rates.h"
#include "platform/params/pe_engine_params.h"

namespace kb::modules {

// An engine of a plug-in, with operands and result in the register file.
// Models: the time of one command, and that only one compute operation runs in a PE (accel_slot, P-39).
// Does not model: numbers (the data engine calls `compute` of the command's row), TCM traffic (P-4: PE_FETCH_STORE's).
// Timing: a command takes max(overhead_ns, work / elements_per_ns) from the time at which it gets the slot (P-105);
// work is given by `work` of the command's row, and the rate is that of the slowest dtype among inputs and result.
class PeEngine final : public AccelEngine {
 public:
  PeEngine(const sc_core::sc_module_name& name, NodeId node, const params::PeEngineParams& params, PeContext& pe,
           elab::BlockContext& context);

 private:
  TimeFs work(CommandTask& task) override;

  ElementRates elements_per_ns_;
};

}  // namespace kb::modules
