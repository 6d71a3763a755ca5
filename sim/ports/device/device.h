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

// A part of the bus of an outside model, and the physical address of this machine that it stands for.
struct DeviceWindow {
  std::uint64_t bus = 0;
  std::uint64_t pa = 0;
  std::uint64_t size = 0;
};

// A base-protocol target socket of the device.
struct DeviceTarget {
  std::string name = "cpu0";
  std::string attach = "sip0.io0.pcie_ep";  // node that sends the requests: a pcie_ep, pe_dma or m_cpu
  std::vector<DeviceWindow> windows = {};   // none: bus addresses are physical addresses
  int max_outstanding = 64;                 // AT: requests that are accepted and not answered
  double accept_ns = 0.0;                   // AT: from BEGIN_REQ to END_REQ
};

struct DeviceConfig {
  std::string topology = {};                                       // file; empty: topology_text
  std::string topology_text = {};                                  // YAML
  std::vector<std::pair<std::string, std::string>> settings = {};  // dotted key and value, as --set
  std::vector<DeviceTarget> targets = {DeviceTarget{}};
  int irqs = 1;                // interrupt lines, up to 32; a descriptor names the one that it raises
  std::string data = "eager";  // "off", "replay" or "eager": whether memories have contents
  bool strict = false;         // reading unwritten memory is an error
  std::string oplog = {};      // operation log: SQLite for .sqlite, .sqlite3 and .db, else text; empty: none
  // Folder for what `kernbench run --record` writes: result.json, topology.json and ops.sqlite; empty: none. Outside
  // requests are summed up in it, so that it does not grow with them.
  std::string result = {};
  std::string wave = {};  // waveforms, FST if it ends in .fst, else VCD, below the device's name; empty: none
  std::vector<std::string> wave_filters = {};  // globs over "node.signal"; none: every signal
  std::string wave_detail = "wire";            // or "flit": every flit of every wire
  double wave_from_ns = 0.0;
  double wave_until_ns = 0.0;  // 0: to the end
  bool wave_strings = false;   // in a VCD: states have strings beside their numbers, which GTKWave reads
  std::string gtkw = {};       // a save file of GTKWave that shows what `wave` has; empty: none
  // Work that is open while nothing can happen inside for so long ends the run with an error that says who waits for
  // what; 0: no limit.
  double no_progress_ns = 1e6;
  // What becomes of the simulation when the device fails: "error" ends it with one SystemC error, "warning" goes on.
  // With "warning" a breach of the protocol or an error of an outside memory is told, and the device goes on, too.
  std::string on_failure = "error";
  bool may_end_early = false;  // work that is outstanding at finish() is a warning instead of a failure
  bool check_protocol = true;  // hold target and memory sockets against the rules of TLM-2.0
  // Lets the device run ahead of SystemC's time, for speed: where there is one sc_start() for everything and no process
  // acts at a time that no pending event of SystemC shows (no async_request_update()).
  bool free_running = false;
  const contract::IKernelCatalog* kernels = nullptr;  // null: the built-in kernels
  const elab::BlockCatalog* blocks = nullptr;         // besides the built-in ones
};

// What a device has to say at its end.
struct DeviceReport {
  struct Statistic {
    std::string block, name;
    std::int64_t value = 0;  // fs when the unit is "ns"
    std::string unit;
  };
  bool ok = true;                     // no failure, nothing outstanding, no problem
  std::string error_code;             // empty when ok
  std::string error_message;          // with the table of who waits for what, if something does
  std::vector<std::string> problems;  // what outside models did wrong: ten sentences of each kind, then their number
  std::vector<std::string> warnings;
  std::uint64_t events = 0;
  std::uint64_t launches = 0;
  std::vector<Statistic> statistics;  // of all blocks that did something, in their order
  std::string text;                   // for people
};

// Resolution of 1 fs, which the device needs; before the first sc_time or module of the simulation. Configuration Error
// when it comes too late.
void set_time_resolution();

// The whole machine. It never stops the simulation, and installs no report handler. Several can live in one simulation.
class Device final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  using HostProgram = std::function<void(sw::Runtime&)>;
  // All of them may stay unbound.
  using TargetSocket = tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  using InitiatorSocket =
      tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  using IrqPort = sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 0, sc_core::SC_ZERO_OR_MORE_BOUND>;

  // Throws kb::Error, a std::runtime_error, on a wrong configuration: every problem with file, line and key.
  Device(const sc_core::sc_module_name& name, const DeviceConfig& config);
  ~Device() override;

  // The socket of that name in DeviceConfig::targets. Error with the nearest name.
  TargetSocket& target(const std::string& name);
  // The control block through which a CPU launches kernels and copies (sim/ports/device/device_queue.h).
  TargetSocket& registers();
  // The socket of a block with impl tlm.memory, named by its attribute `socket`: where an outside memory is bound.
  InitiatorSocket& memory(const std::string& name);
  // The pins of a block from RTL with `attrs: { pins: true }`: a module whose children are signals, which pin() finds.
  // Configuration Error with the nearest node.
  sc_core::sc_module& pins(const std::string& node);
  InitiatorSocket host_memory{"host_memory"};  // where the device's DMA reads the queue and copies
  IrqPort irq{"irq"};                          // line 0: its IRQ_STATUS and IRQ_MASK have a bit in common
  // Ports of all lines (DeviceConfig::irqs), line 0 among them. Configuration Error for another one.
  IrqPort& interrupt(int line);
  int irq_lines() const { return 1 + static_cast<int>(more_irqs_.size()); }

  // A C++ program on the host side, in a thread of its own from the start of the simulation; one per device.
  void run(HostProgram program);

  // The device is at rest: no request of an outside model is open, every launch and the program have ended.
  bool idle() const;
  const sc_core::sc_event& idle_event() const;
  // An error has ended the run: requests are answered with generic errors from here on. When the open ones have been
  // answered, and the program has been unwound by a kb::Error, the device is idle, and idle_event and failed_event are
  // notified. One delta cycle later comes one SystemC report with the id "kernbench" (DeviceConfig::on_failure).
  bool failed() const;
  std::string error() const;
  const sc_core::sc_event& failed_event() const;

  // An error of the simulation around the device, such as a test bench that found wrong data: report and result of
  // finish() have it, unless the device itself has failed. The first one counts.
  void report_error(const std::string& code, const std::string& message);
  // After the last sc_start(): writes result, operation log and waveforms. Once.
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

// A signal of Device::pins(), to bind a port of a checker to: bool for one bit, std::uint32_t, std::uint64_t for longer
// ones, sc_bv<N> beyond 64 bits.
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
