// The pins of a router as SystemC signals.
#pragma once

#include <cstdint>
#include <systemc>

#include "modules/rtl/pin_clock.h"
#include "modules/rtl/router_model.h"

namespace kb::modules {

// The ports of modules/rtl/sv/router.sv; the flit of each port is a separate signal: in_flit_0, .. out_flit_7. Sets of
// one-bit wires are numbers with one bit per port. Invalid signals keep their values.
class RouterSignals final : public PinClock {
 public:
  RouterSignals(const sc_core::sc_module_name& name, const PinPlace& place, const RtlClock& clock, IPinSource& source);

  // Writes the inputs before an edge, the outputs after the previous edge, and in_ready of this one. Called in a
  // SystemC process.
  void show(const IRouterModel::Inputs& in, const IRouterModel::Outputs& before, std::uint8_t in_ready);

 private:
  using Number = sc_core::sc_signal<std::uint32_t>;
  using Flit = sc_core::sc_signal<std::uint64_t>;

  Number in_valid_{"in_valid"}, in_ready_{"in_ready"}, out_valid_{"out_valid"}, out_ready_{"out_ready"};
  sc_core::sc_vector<Flit> in_flit_{"in_flit", IRouterModel::kPorts}, out_flit_{"out_flit", IRouterModel::kPorts};
  sc_core::sc_signal<bool> busy_{"busy"};
};

}  // namespace kb::modules
