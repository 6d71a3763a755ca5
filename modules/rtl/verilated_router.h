// Adapter for a Verilator model of a router. No SystemC header may be included before it: Verilator would take its time
// from the SystemC kernel.
#pragma once

#include <verilated.h>

#include <cstring>

#include "modules/rtl/router_model.h"
#include "modules/rtl/verilated_context.h"

namespace kb::modules {

// `Verilated` is Verilator's class for a module with the ports of modules/rtl/sv/router.sv and PORTS = 8.
template <typename Verilated>
class VerilatedRouter final : public IRouterModel {
 public:
  explicit VerilatedRouter(RtlFill fill) : top_(fill == RtlFill::zeros ? 0 : 1, "router") {}

  static RtlMaker<IRouterModel> maker() {
    return [](RtlFill fill) { return std::make_unique<VerilatedRouter>(fill); };
  }

  const Outputs& clock(const Inputs& inputs) override {
    const ScopedContext here(top_.context());
    Verilated& pins = *top_;
    pins.rst = inputs.reset;
    pins.fifo_depth = inputs.fifo_depth;
    pins.in_valid = inputs.in_valid;
    pins.out_ready = inputs.out_ready;
    if (inputs.in_valid != 0) std::memcpy(&pins.in_flit, inputs.in_flit.data(), sizeof inputs.in_flit);
    pins.clk = 0;
    pins.eval();
    out_.in_ready = pins.in_ready;
    out_.taken = static_cast<std::uint8_t>(inputs.in_valid & out_.in_ready);
    pins.clk = 1;
    pins.eval();
    out_.busy = pins.busy;
    out_.out_valid = pins.out_valid;
    if (out_.out_valid != 0) std::memcpy(out_.out_flit.data(), &pins.out_flit, sizeof out_.out_flit);
    return out_;
  }

 private:
  ModelInContext<Verilated> top_;
  Outputs out_;
};

}  // namespace kb::modules
