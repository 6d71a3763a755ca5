#include "modules/rtl/router_signals.h"

namespace kb::modules {

RouterSignals::RouterSignals(const sc_core::sc_module_name& name, const PinPlace& place, const RtlClock& clock,
                             IPinSource& source)
    : PinClock(name, place, clock, source) {}

void RouterSignals::show(const IRouterModel::Inputs& in, const IRouterModel::Outputs& before, std::uint8_t in_ready) {
  in_valid_ = in.in_valid;
  in_ready_ = in_ready;
  out_valid_ = before.out_valid;
  out_ready_ = in.out_ready;
  busy_ = before.busy;
  for (std::uint32_t i = 0; i < IRouterModel::kPorts; ++i) {
    if ((in.in_valid >> i & 1u) != 0) in_flit_[i] = in.in_flit[i];
    if ((before.out_valid >> i & 1u) != 0) out_flit_[i] = before.out_flit[i];
  }
}

}  // namespace kb::modules
