// The device's registers on the bus of a CPU.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/bridge/bridge_context.h"
#include "modules/bridge/socket_checker.h"
#include "sim/ports/device/device.h"
#include "sim/ports/device/device_queue.h"

namespace kb::sim {

// The registers take no time; a bus model in front of them may. An access takes effect at the time of its call plus its
// delay, for b_transport() and for phases: without a delay nb_transport_fw() completes immediately, with a delay
// BEGIN_RESP follows at that time. Accesses must be whole registers; others get the error response of the TLM standard.
class RegisterFile final : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
 public:
  // `written` is called after every write has taken effect.
  RegisterFile(const sc_core::sc_module_name& name, std::function<void(std::uint32_t offset)> written,
               const modules::BridgeContext& context, std::uint32_t irq_lines);

  Device::TargetSocket socket{"socket"};

  std::uint32_t get(std::uint32_t offset) const { return values_[offset / 4]; }
  void set(std::uint32_t offset, std::uint32_t value) { values_[offset / 4] = value; }
  std::uint32_t irq_lines() const { return get(KB_REG_IRQ_LINES); }
  std::uint64_t reads() const { return reads_; }
  std::uint64_t writes() const { return writes_; }

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;

 private:
  tlm::tlm_response_status access(tlm::tlm_generic_payload& payload);
  tlm::tlm_response_status counted_access(tlm::tlm_generic_payload& payload);
  void write(std::uint32_t offset, std::uint32_t value);
  void answer();
  void send_response();
  void end_response();

  std::function<void(std::uint32_t)> written_;
  modules::SocketChecker checker_;
  std::function<void(std::exception_ptr)> failed_;
  std::vector<std::uint32_t> values_;
  std::uint64_t reads_ = 0, writes_ = 0;            // accesses, including refused ones
  tlm::tlm_generic_payload* pending_ = nullptr;     // accepted, waiting for its time
  tlm::tlm_generic_payload* responding_ = nullptr;  // waiting for END_RESP
  bool due_ = false;                                // the time of pending_ has been reached
  sc_core::sc_event due_event_, ended_event_;
};

}  // namespace kb::sim
