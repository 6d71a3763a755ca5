// kernbench as a module of another SystemC simulation:
//
//   #include <kernbench/device.h>
//   int sc_main(int, char**) {
//     kb::set_time_resolution();
//     kb::Device device("npu", {"machine.yaml"});
//     MyCpu cpu("cpu");
//     cpu.socket.bind(device.target("cpu0"));
//     sc_core::sc_start();
//   }
//
// The guide is docs/guides/embedding.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "modules/bridge/error_cause.h"

namespace kb::contract {
class IKernelCatalog;
}
namespace kb::elab {
class BlockCatalog;
}
namespace kb::sw {
class Runtime;
}

namespace kb {

// A window of an outside bus, and its physical address in this machine.
struct DeviceWindow {
  std::uint64_t bus = 0;
  std::uint64_t pa = 0;
  std::uint64_t size = 0;
};

// A base-protocol target socket of the device.
struct DeviceTarget {
  std::string name = "cpu0";
  std::string attach = "sip0.io0.pcie_ep";  // node that issues the requests: a pcie_ep, pe_dma or m_cpu
  std::vector<DeviceWindow> windows = {};   // empty: bus addresses are physical addresses
  int max_outstanding = 64;                 // AT: maximum number of requests that are accepted and not answered
  double accept_ns = 0.0;                   // AT: time from BEGIN_REQ to END_REQ
};

struct DeviceConfig {
  std::string topology = {};                                       // file name; empty: use topology_text
  std::string topology_text = {};                                  // YAML
  std::vector<std::pair<std::string, std::string>> settings = {};  // dotted keys and values, as in --set
  std::vector<DeviceTarget> targets = {DeviceTarget{}};
  int irqs = 1;                // number of interrupt lines, up to 32; a descriptor selects the line that it raises
  std::string data = "eager";  // data mode: "off", "replay" or "eager"
  bool strict = false;         // reading unwritten memory is an error
  std::string oplog = {};      // operation log: SQLite for .sqlite, .sqlite3 and .db, otherwise text; empty: none
  // Folder for the files of `kernbench run --record`: result.json, topology.json and ops.sqlite; empty: none. They
  // contain only sums over outside requests, so that their size does not depend on the number of requests.
  std::string result = {};
  // waveform file: FST for .fst, otherwise VCD, with the device's name as outer scope; empty: none
  std::string wave = {};
  std::vector<std::string> wave_filters = {};  // globs over "node.signal"; empty: all signals
  std::string wave_detail = "wire";            // or "flit": every flit of every wire
  double wave_from_ns = 0.0;
  double wave_until_ns = 0.0;  // 0: until the end
  bool wave_strings = false;   // VCD: writes state names as strings in addition to numbers, for GTKWave
  std::string gtkw = {};       // GTKWave save file for the recorded waveforms; empty: none
  // Ends the run with an error and a table of waits when no event has happened inside the device for this time while
  // work is open; 0: no limit.
  double no_progress_ns = 1e6;
  // Effect of a failure of the device: "error" ends the simulation with one SystemC error, "warning" continues it. With
  // "warning", protocol violations and errors of outside memories are only reported, and the device continues as well.
  std::string on_failure = "error";
  bool may_end_early = false;  // outstanding work at finish() is a warning instead of a failure
  bool check_protocol = true;  // check target and memory sockets against the rules of TLM-2.0
  // Lets the device run ahead of SystemC time, for speed. Requires a single sc_start(), and that no process acts at a
  // time without a pending SystemC event (no async_request_update()).
  bool free_running = false;
  const contract::IKernelCatalog* kernels = nullptr;  // null: the built-in kernels
  const elab::BlockCatalog* blocks = nullptr;         // in addition to the built-in ones
};

// Final report of a device.
struct DeviceReport {
  struct Statistic {
    std::string block, name;
    std::int64_t value = 0;  // fs when the unit is "ns"
    std::string unit;
  };
  bool ok = true;                     // no failure, no outstanding work, no problem
  std::string error_code;             // empty when ok
  std::string error_message;          // includes the table of waits, if any
  std::vector<std::string> problems;  // faults of outside models: ten sentences per kind, then a count
  std::vector<std::string> warnings;
  std::uint64_t events = 0;
  std::uint64_t launches = 0;
  std::vector<Statistic> statistics;  // of all active blocks, in block order
  std::string text;                   // as text
};

// Sets the time resolution of 1 fs, which the device needs. Must be called before the first sc_time or module of the
// simulation; otherwise configuration Error.
void set_time_resolution();

// The whole machine as a module. It never stops the simulation and installs no report handler. A simulation can have
// several devices.
class Device final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  using HostProgram = std::function<void(sw::Runtime&)>;
  // All sockets may stay unbound.
  using TargetSocket = tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  using InitiatorSocket =
      tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  using IrqPort = sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 0, sc_core::SC_ZERO_OR_MORE_BOUND>;

  // Throws kb::Error, a std::runtime_error, for a wrong configuration, with all problems by file, line and key.
  Device(const sc_core::sc_module_name& name, const DeviceConfig& config);
  ~Device() override;

  // The socket with this name in DeviceConfig::targets. Error with the nearest name.
  TargetSocket& target(const std::string& name);
  // The control block, with which a CPU launches kernels and copies data (sim/ports/device/device_queue.h).
  TargetSocket& registers();
  // The socket for an outside memory of a block with impl tlm.memory; `name` is the block's attribute `socket`.
  InitiatorSocket& memory(const std::string& name);
  // The pins of an RTL block with `attrs: { pins: true }`: a module with the signals as children, for pin().
  // Configuration Error with the nearest node.
  sc_core::sc_module& pins(const std::string& node);
  InitiatorSocket host_memory{"host_memory"};  // for the device's DMA: descriptor queue and copies
  IrqPort irq{"irq"};                          // line 0: IRQ_STATUS & IRQ_MASK is not zero
  // Port of an interrupt line (DeviceConfig::irqs), including line 0. Configuration Error for an unknown line.
  IrqPort& interrupt(int line);
  int irq_lines() const { return 1 + static_cast<int>(more_irqs_.size()); }

  // Runs a C++ host program in a separate thread from the start of the simulation; one per device.
  void run(HostProgram program);

  // The device is idle when no request of an outside model is open and all launches and the host program have ended.
  bool idle() const;
  const sc_core::sc_event& idle_event() const;
  // True after an error has ended the run: requests are then answered with generic errors. When open requests are
  // answered and the host program is unwound by a kb::Error, the device is idle, and idle_event and failed_event are
  // notified. One delta cycle later, one SystemC report with the id "kernbench" follows (DeviceConfig::on_failure).
  bool failed() const;
  std::string error() const;
  const sc_core::sc_event& failed_event() const;

  // Reports an error of the surrounding simulation, such as wrong data in a test bench. It appears in the report and in
  // the result of finish(), unless the device itself has failed. Only the first call counts.
  void report_error(const std::string& code, const std::string& message);
  // Writes result, operation log and waveforms. Must be called once, after the last sc_start().
  DeviceReport finish();

 private:
  struct Impl;
  void start_of_simulation() override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

  std::vector<std::unique_ptr<IrqPort>> more_irqs_;
  std::unique_ptr<Impl> impl_;
};

// A signal of Device::pins(), for binding a checker's port: bool for one bit, std::uint32_t, std::uint64_t for longer
// signals, sc_bv<N> above 64 bits.
template <typename T>
const sc_core::sc_signal_in_if<T>& pin(const sc_core::sc_module& pins, const std::string& name) {
  std::string names;
  for (sc_core::sc_object* const child : pins.get_child_objects()) {
    const auto* const found = dynamic_cast<const sc_core::sc_signal_in_if<T>*>(child);
    if (found != nullptr && name == child->basename()) return *found;
    if (dynamic_cast<sc_core::sc_interface*>(child) != nullptr) names += std::string(" ") + child->basename();
  }
  throw std::invalid_argument("no signal '" + name + "' of this type among the pins" + names + " of " + pins.name());
}

}  // namespace kb
