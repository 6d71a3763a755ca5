// Adapter for a Verilator model of an AXI4 memory. No SystemC header may be included before it: Verilator would take
// its time from the SystemC kernel.
#pragma once

#include <verilated.h>

#include <cstring>

#include "modules/rtl/axi.h"
#include "modules/rtl/verilated_context.h"

namespace kb::modules {

// `Verilated` is Verilator's class for a module with the ports of modules/rtl/sv/axi_memory.sv: complete beats of 64
// bytes, and busy. `contents_bytes` is the memory's size, a power of two.
template <typename Verilated>
class VerilatedAxiMemory final : public IAxiMemory {
 public:
  static constexpr std::uint64_t kContentsBytes = 64 * 1024;  // size of axi_memory.sv

  explicit VerilatedAxiMemory(RtlFill fill, std::uint64_t contents_bytes = kContentsBytes)
      : top_(fill == RtlFill::zeros ? 0 : 1, "axi_memory"), contents_bytes_(contents_bytes) {}

  static RtlMaker<IAxiMemory> maker(std::uint64_t contents_bytes = kContentsBytes) {
    return [contents_bytes](RtlFill fill) { return std::make_unique<VerilatedAxiMemory>(fill, contents_bytes); };
  }

  AxiPort port() const override {
    AxiPort port;
    port.contents_bytes = contents_bytes_;
    return port;
  }

  void reset(const Straps& straps) override {
    top_->read_latency = straps.read_latency;
    top_->write_latency = straps.write_latency;
    top_->aresetn = 0;
    for (int edge = 0; edge < 2; ++edge) settle({}), rise();
    top_->aresetn = 1;
  }

  AxiMemoryPins settle(const AxiManagerPins& manager) override {
    const ScopedContext here(top_.context());
    Verilated& pins = *top_;
    pins.arvalid = manager.arvalid;
    pins.arid = manager.arid;
    pins.araddr = manager.araddr;
    pins.arlen = manager.arlen;
    pins.rready = manager.rready;
    pins.awvalid = manager.awvalid;
    pins.awid = manager.awid;
    pins.awaddr = manager.awaddr;
    pins.awlen = manager.awlen;
    pins.wvalid = manager.wvalid;
    pins.wlast = manager.wlast;
    if (manager.wvalid) std::memcpy(&pins.wdata, manager.wdata.data(), sizeof manager.wdata);
    pins.bready = manager.bready;
    pins.aclk = 0;
    pins.eval();
    AxiMemoryPins out;
    out.arready = pins.arready;
    out.rvalid = pins.rvalid;
    out.rid = pins.rid;
    out.rresp = pins.rresp;
    out.rlast = pins.rlast;
    if (out.rvalid) std::memcpy(out.rdata.data(), &pins.rdata, sizeof out.rdata);
    out.awready = pins.awready;
    out.wready = pins.wready;
    out.bvalid = pins.bvalid;
    out.bid = pins.bid;
    out.bresp = pins.bresp;
    out.busy = pins.busy;
    return out;
  }

  void rise() override {
    const ScopedContext here(top_.context());
    top_->aclk = 1;
    top_->eval();
  }

  bool busy() override { return top_->busy; }

 private:
  ModelInContext<Verilated> top_;
  std::uint64_t contents_bytes_;
};

}  // namespace kb::modules
