// Adapter for a Verilator model of a MAC array. No SystemC header may be included before it: Verilator would take its
// time from the SystemC kernel.
#pragma once

#include <verilated.h>

#include <cstring>

#include "modules/rtl/mac_array.h"
#include "modules/rtl/verilated_context.h"

namespace kb::modules {

// `Verilated` is Verilator's class for a module with the ports of modules/rtl/sv/mac_array.sv.
template <typename Verilated>
class VerilatedMacArray final : public IMacArray {
 public:
  explicit VerilatedMacArray(RtlFill fill) : top_(fill == RtlFill::zeros ? 0 : 1, "mac_array") {}

  static RtlMaker<IMacArray> maker() {
    return [](RtlFill fill) { return std::make_unique<VerilatedMacArray>(fill); };
  }

  Outputs clock(const Inputs& inputs) override {
    const ScopedContext here(top_.context());
    Verilated& pins = *top_;
    pins.rst = inputs.reset;
    pins.start = inputs.start;
    pins.m_blocks = inputs.m_blocks;
    pins.n_blocks = inputs.n_blocks;
    pins.k = inputs.k;
    std::memcpy(&pins.a, inputs.a.data(), sizeof inputs.a);
    std::memcpy(&pins.b, inputs.b.data(), sizeof inputs.b);
    pins.clk = 0;
    pins.eval();
    pins.clk = 1;
    pins.eval();
    Outputs out;
    out.busy = pins.busy;
    out.in_ready = pins.in_ready;
    out.skewed = pins.skewed;
    out.block_m = pins.block_m;
    out.block_n = pins.block_n;
    out.step = pins.step;
    out.out_valid = pins.out_valid;
    out.out_row = pins.out_row;
    if (out.out_valid) std::memcpy(out.sums.data(), &pins.sums, sizeof out.sums);
    return out;
  }

 private:
  ModelInContext<Verilated> top_;
};

}  // namespace kb::modules
