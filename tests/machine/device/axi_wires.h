// Wires between two ports of AXI4.
#pragma once

#include "sim/ports/device/axi_memory_port.h"
#include "sim/ports/device/axi_port.h"

namespace kb::test {

template <unsigned kBits>
struct AxiWires {
  using Number = sc_core::sc_signal<std::uint32_t>;
  using Flag = sc_core::sc_signal<bool>;
  sc_core::sc_signal<std::uint64_t> awaddr{"awaddr"}, araddr{"araddr"};
  sc_core::sc_signal<AxiWord<kBits>> wdata{"wdata"}, rdata{"rdata"};
  sc_core::sc_signal<AxiWord<kBits / 8>> wstrb{"wstrb"};
  Number awid{"awid"}, awlen{"awlen"}, awsize{"awsize"}, awburst{"awburst"}, arid{"arid"}, arlen{"arlen"};
  Number arsize{"arsize"}, arburst{"arburst"}, bid{"bid"}, bresp{"bresp"}, rid{"rid"}, rresp{"rresp"};
  Flag awvalid{"awvalid"}, awready{"awready"}, wvalid{"wvalid"}, wready{"wready"}, wlast{"wlast"}, bvalid{"bvalid"};
  Flag bready{"bready"}, arvalid{"arvalid"}, arready{"arready"}, rvalid{"rvalid"}, rready{"rready"}, rlast{"rlast"};
  Flag aresetn{"aresetn"};
  sc_core::sc_clock aclk{"aclk", sc_core::sc_time(1, sc_core::SC_NS)};

  template <typename Port>
  void connect(Port& port) {
    port.aclk(aclk), port.aresetn(aresetn);
    port.awvalid(awvalid), port.awready(awready), port.awaddr(awaddr), port.awid(awid), port.awlen(awlen);
    port.awsize(awsize), port.awburst(awburst), port.wvalid(wvalid), port.wready(wready), port.wdata(wdata);
    port.wstrb(wstrb), port.wlast(wlast), port.bvalid(bvalid), port.bready(bready), port.bid(bid), port.bresp(bresp);
    port.arvalid(arvalid), port.arready(arready), port.araddr(araddr), port.arid(arid), port.arlen(arlen);
    port.arsize(arsize), port.arburst(arburst), port.rvalid(rvalid), port.rready(rready), port.rdata(rdata);
    port.rid(rid), port.rresp(rresp), port.rlast(rlast);
  }
};

}  // namespace kb::test
