// Adapter for a Verilator model of an AXI4 RAM with the usual ports of such IP. No SystemC header may be included
// before it: Verilator would take its time from the SystemC kernel.
#pragma once

#include <verilated.h>

#include <cstring>

#include "modules/rtl/axi.h"
#include "modules/rtl/verilated_context.h"

namespace kb::modules {

// `Verilated` is Verilator's class for a module with clk, rst (active high) and the AXI4 signals s_axi_awid,
// s_axi_awaddr, .. s_axi_rready, and data of 8 to 512 bits. kAddressBits and kIdBits are its ADDR_WIDTH and ID_WIDTH,
// which the class does not provide.
template <typename Verilated, std::uint32_t kAddressBits, std::uint32_t kIdBits>
class VerilatedAxiRam final : public IAxiMemory {
 public:
  static_assert(kAddressBits >= 1 && kAddressBits < 64, "ADDR_WIDTH of 1 to 63");
  static_assert(kIdBits >= 1 && kIdBits <= AxiPort::kMaxIdBits, "ID_WIDTH of 1 to 8");

  explicit VerilatedAxiRam(RtlFill fill) : top_(fill == RtlFill::zeros ? 0 : 1, "axi_ram") {}

  static RtlMaker<IAxiMemory> maker() {
    return [](RtlFill fill) { return std::make_unique<VerilatedAxiRam>(fill); };
  }

  AxiPort port() const override {
    AxiPort port;
    port.beat_bytes = kBeatBytes;
    port.address_bits = kAddressBits;
    port.id_bits = kIdBits;
    port.contents_bytes = std::uint64_t{1} << kAddressBits;
    port.strobes = true;
    port.busy = false;
    return port;
  }

  void reset(const Straps&) override {
    top_->rst = 1;
    for (int edge = 0; edge < 2; ++edge) settle({}), rise();
    top_->rst = 0;
  }

  AxiMemoryPins settle(const AxiManagerPins& manager) override {
    const ScopedContext here(top_.context());
    Verilated& pins = *top_;
    drive_addresses(pins, manager);
    pins.s_axi_wvalid = manager.wvalid;
    pins.s_axi_wlast = manager.wlast;
    assign(pins.s_axi_wstrb, manager.wstrb);
    if (manager.wvalid) std::memcpy(&pins.s_axi_wdata, manager.wdata.data(), kBeatBytes);
    pins.s_axi_bready = manager.bready;
    pins.s_axi_rready = manager.rready;
    pins.clk = 0;
    pins.eval();
    return read_back(pins);
  }

  void rise() override {
    const ScopedContext here(top_.context());
    top_->clk = 1;
    top_->eval();
  }

  bool busy() override { return false; }

 private:
  static constexpr std::uint32_t kBeatBytes = sizeof(Verilated::s_axi_wdata);
  static_assert(kBeatBytes <= AxiPort::kMaxBeatBytes && (kBeatBytes & (kBeatBytes - 1)) == 0,
                "DATA_WIDTH of 8, 16, 32, .. 512");

  // Ports of 1 to 64 bits have unsigned types of several widths.
  template <typename Port>
  static void assign(Port& port, std::uint64_t value) {
    port = static_cast<Port>(value);
  }

  static void drive_addresses(Verilated& pins, const AxiManagerPins& manager) {
    constexpr std::uint8_t kIncrementing = 1;
    pins.s_axi_arvalid = manager.arvalid;
    assign(pins.s_axi_arid, manager.arid);
    assign(pins.s_axi_araddr, manager.araddr);
    pins.s_axi_arlen = manager.arlen;
    pins.s_axi_arsize = manager.arsize;
    pins.s_axi_arburst = kIncrementing;
    pins.s_axi_arlock = pins.s_axi_arcache = pins.s_axi_arprot = 0;
    pins.s_axi_awvalid = manager.awvalid;
    assign(pins.s_axi_awid, manager.awid);
    assign(pins.s_axi_awaddr, manager.awaddr);
    pins.s_axi_awlen = manager.awlen;
    pins.s_axi_awsize = manager.awsize;
    pins.s_axi_awburst = kIncrementing;
    pins.s_axi_awlock = pins.s_axi_awcache = pins.s_axi_awprot = 0;
  }

  static AxiMemoryPins read_back(Verilated& pins) {
    AxiMemoryPins out;
    out.arready = pins.s_axi_arready;
    out.rvalid = pins.s_axi_rvalid;
    out.rid = static_cast<std::uint8_t>(pins.s_axi_rid);
    out.rresp = pins.s_axi_rresp;
    out.rlast = pins.s_axi_rlast;
    if (out.rvalid) std::memcpy(out.rdata.data(), &pins.s_axi_rdata, kBeatBytes);
    out.awready = pins.s_axi_awready;
    out.wready = pins.s_axi_wready;
    out.bvalid = pins.s_axi_bvalid;
    out.bid = static_cast<std::uint8_t>(pins.s_axi_bid);
    out.bresp = pins.s_axi_bresp;
    return out;
  }

  ModelInContext<Verilated> top_;
};

}  // namespace kb::modules
