// An AXI4-Lite port for the registers of a device, for an RTL test bench (Verilator --sc) that drives them at pins:
//
//   kb::AxiLitePort registers("registers");
//   registers.initiator.bind(npu.registers());
//   registers.aclk(clk);            // and the other ports, to signals of the bench
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include "sim/ports/device/axi_words.h"

namespace kb {

// The subordinate side: 32 data bits, addresses are register offsets, one write and one read at a time. All outputs
// change after rising edges of aclk. An access takes effect at the edge that has taken its address and data; a write
// with an all-zero strobe is answered with an error, because registers are written as a whole. aresetn is ignored after
// it has been 1 for the first time; no access is taken before that.
class AxiLitePort final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<AxiLitePort> initiator{"initiator"};

  sc_core::sc_in<bool> aclk{"aclk"}, aresetn{"aresetn"};
  sc_core::sc_in<bool> awvalid{"awvalid"}, wvalid{"wvalid"}, bready{"bready"}, arvalid{"arvalid"}, rready{"rready"};
  sc_core::sc_in<std::uint32_t> awaddr{"awaddr"}, wdata{"wdata"}, wstrb{"wstrb"}, araddr{"araddr"};
  sc_core::sc_out<bool> awready{"awready"}, wready{"wready"}, bvalid{"bvalid"}, arready{"arready"}, rvalid{"rvalid"};
  sc_core::sc_out<std::uint32_t> bresp{"bresp"}, rdata{"rdata"}, rresp{"rresp"};

  explicit AxiLitePort(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(AxiLitePort);
    SC_THREAD(write_thread);
    SC_THREAD(read_thread);
  }

 private:
  void edge() { wait(aclk.posedge_event()); }
  void wait_for_reset() {
    do edge();
    while (!aresetn.read());
  }
  // Outputs change after an edge, regardless of the duration of the access.
  void next_edge_after(const sc_core::sc_time& taken) {
    if (sc_core::sc_time_stamp() != taken) edge();
  }

  void write_thread() {
    wait_for_reset();
    for (;;) {
      awready = true;
      wready = true;
      std::uint32_t address = 0, data = 0, strobes = 0;
      for (bool addressed = false, filled = false; !addressed || !filled;) {
        edge();
        if (!addressed && awvalid.read()) addressed = true, address = awaddr.read(), awready = false;
        if (!filled && wvalid.read()) filled = true, data = wdata.read(), strobes = wstrb.read(), wready = false;
      }
      const sc_core::sc_time taken = sc_core::sc_time_stamp();
      const AxiResponse response =
          strobes == kWhole ? access(tlm::TLM_WRITE_COMMAND, address, data) : AxiResponse::slave_error;
      next_edge_after(taken);
      bresp = static_cast<std::uint32_t>(response);
      bvalid = true;
      do edge();
      while (!bready.read());
      bvalid = false;
    }
  }

  void read_thread() {
    wait_for_reset();
    for (;;) {
      arready = true;
      do edge();
      while (!arvalid.read());
      arready = false;
      const sc_core::sc_time taken = sc_core::sc_time_stamp();
      std::uint32_t data = 0;
      const AxiResponse response = access(tlm::TLM_READ_COMMAND, araddr.read(), data);
      next_edge_after(taken);
      rdata = data;
      rresp = static_cast<std::uint32_t>(response);
      rvalid = true;
      do edge();
      while (!rready.read());
      rvalid = false;
    }
  }

  AxiResponse access(tlm::tlm_command command, std::uint32_t address, std::uint32_t& data) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
    payload.set_data_length(sizeof data);
    payload.set_streaming_width(sizeof data);
    sc_core::sc_time delay;
    initiator->b_transport(payload, delay);
    if (delay > sc_core::SC_ZERO_TIME) wait(delay);
    return axi_response(payload.get_response_status());
  }

  static constexpr std::uint32_t kWhole = 0xf;
};

}  // namespace kb
