// Faults of models that are connected to a device, and the messages that the device must give.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sim/ports/device/device.h"
#include "tests/machine/device/player.h"

namespace kb::test {

// A scripted external memory.
class ScriptedMemory final : public sc_core::sc_module {
 public:
  using Forward =
      std::function<tlm::tlm_sync_enum(ScriptedMemory&, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)>;
  using Access = std::function<void(tlm::tlm_generic_payload&)>;
  tlm_utils::simple_target_socket<ScriptedMemory> socket{"socket"};

  ScriptedMemory(const sc_core::sc_module_name& name, Forward forward, Access access)
      : sc_core::sc_module(name), forward_(std::move(forward)), access_(std::move(access)) {
    socket.register_nb_transport_fw(this, &ScriptedMemory::forward);
    socket.register_b_transport(this, &ScriptedMemory::access);
  }
  tlm::tlm_sync_enum back(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, double delay_ns = 0) {
    sc_core::sc_time delay = ns(delay_ns);
    return socket->nb_transport_bw(payload, phase, delay);
  }

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    return forward_(*this, payload, phase, delay);
  }
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time&) { access_(payload); }

  Forward forward_;
  Access access_;
};

// The models connected to one device; members that are empty are not connected.
struct Scene {
  DeviceConfig config = one_pe();
  std::function<void(Player&)> initiator;  // at the target "cpu0"
  std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)> answer;
  std::function<void(Player&)> driver;  // at the registers
  ScriptedMemory::Forward memory_by_phases;
  ScriptedMemory::Access memory, host_memory;
  Device::HostProgram program;
  std::function<void(Device&)> before;  // called before the simulation starts

  // The memory of the PE becomes the socket "dram", and an initiator writes 64 bytes to it.
  void make_memory(const std::string& attrs = "");
};

struct Misuse {
  enum class Ends {
    construction,  // Error before the simulation
    simulation,    // a SystemC error ends it
    goes_on,       // a SystemC warning; the device continues, for example after a wrong descriptor
    finish,        // known at finish() only
  };
  std::string name;
  Ends ends;
  std::string says;
  std::function<void(Scene&)> prepare;
  double until_ns = 1000;  // the message comes before this time
};

inline std::ostream& operator<<(std::ostream& out, const Misuse& misuse) {
  return out << misuse.name;
}

std::vector<Misuse> misuses_of_configuration();
std::vector<Misuse> misuses_of_initiators();
std::vector<Misuse> misuses_of_memories();
std::vector<Misuse> misuses_of_drivers();
std::vector<Misuse> misuses_of_programs();

}  // namespace kb::test
