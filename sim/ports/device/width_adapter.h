// Adapts sockets of other widths to the device's: BUSWIDTH is part of a socket's type, so that sockets of 64 or 512
// bits do not bind to those of 32.
//
//   kb::WidthAdapter<128, 32> wide("wide");     // an initiator of 128 bits at a target of the device
//   cpu.socket.bind(wide.target);
//   wide.initiator.bind(npu.target("cpu0"));
//   kb::WidthAdapter<32, 512> to_dram("to_dram");  // a memory of 512 bits behind the device
//   npu.memory("dram").bind(to_dram.target);
//   to_dram.initiator.bind(dram.socket);
#pragma once

#include <systemc>
#include <tlm>

namespace kb {

// Forwards every call with the same payload in the same delta cycle. The socket width has no effect on times, because
// wires of the machine are modelled by their bandwidth.
template <unsigned FromBits, unsigned ToBits>
class WidthAdapter final : public sc_core::sc_module,
                           private tlm::tlm_fw_transport_if<>,
                           private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_target_socket<FromBits> target{"target"};
  tlm::tlm_initiator_socket<ToBits> initiator{"initiator"};

  explicit WidthAdapter(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    target.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    initiator.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return initiator->nb_transport_fw(payload, phase, delay);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    initiator->b_transport(payload, delay);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override { return initiator->transport_dbg(payload); }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
    return initiator->get_direct_mem_ptr(payload, dmi);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return target->nb_transport_bw(payload, phase, delay);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    target->invalidate_direct_mem_ptr(first, last);
  }
};

}  // namespace kb
