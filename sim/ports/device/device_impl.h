// Implementation of kb::Device.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/catalog.h"
#include "modules/bridge/target_bridge.h"
#include "platform/base/error.h"
#include "platform/observe/output_set.h"
#include "platform/topology/topology.h"
#include "sim/ports/device/control_block.h"
#include "sim/ports/device/device.h"
#include "sim/ports/device/device_contents.h"
#include "sim/ports/device/device_record.h"
#include "sim/ports/device/failure_path.h"
#include "sim/ports/device/watchdog.h"
#include "sim/run/driver/data_model.h"
#include "sim/run/driver/simulation.h"
#include "sim/run/driver/wave_recording.h"
#include "sim/run/host/host_port.h"

namespace kb {

struct Device::Impl final : private elab::IOutboundCall, private sim::IFailureActions {
 public:
  Impl(Device& device, const DeviceConfig& config);
  ~Impl();

  modules::TargetBridge& target(const std::string& name);
  TargetSocket& registers() { return control_->registers.socket; }
  InitiatorSocket& memory(const std::string& name);
  sc_core::sc_module& pins(const std::string& node);
  void host_memory_calls(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
    control_->host_memory_calls(payload, phase);
  }
  void run(HostProgram program);
  void start();
  bool idle() const;
  const sc_core::sc_event& idle_event() const { return idle_event_; }
  const sc_core::sc_event& failed_event() const { return failures_.failed_event(); }
  const std::optional<Error>& failure() const { return failures_.failure(); }
  void report_error(const std::string& code, const std::string& message);
  DeviceReport finish();

 private:
  modules::BridgeContext bridge_context();
  void make_targets();
  std::size_t open_outside() const;
  bool returns_now() const;
  void on_outward(std::uint64_t) override {}  // only posted to trigger on_done() after the program's end
  void on_drained();
  void on_ended();
  void settled();
  void on_silence();
  void find_host_failure();
  void find_late_failure(DeviceReport& report);
  void stop_engine(const std::string& cause, sc_core::sc_event& stopped) override;
  void abandon(const std::string& cause) override;
  std::size_t unfinished() const override;
  void announce() override;
  std::string waits_text() const;
  void complete(DeviceReport& report) const;
  void write_result(const DeviceReport& report, TimeFs end);
  std::string report_text(const DeviceReport& report) const;
  std::vector<sim::FigureRecord> outside_figures() const;

  Device& device_;
  DeviceConfig config_;
  elab::BlockCatalog blocks_;
  topology::LoadedTopology topology_;
  sim::FailurePath failures_;
  kernels::KernelCatalog kernels_;
  observe::OutputSet outputs_;
  sim::SimulationOptions options_;
  std::optional<sim::DeviceRecord> record_;
  std::optional<sim::WaveRecording> waves_;
  std::unique_ptr<sim::DataModel> data_;
  std::unique_ptr<sim::DeviceContents> contents_;
  std::unique_ptr<elab::Platform> platform_;
  std::unique_ptr<elab::OutboundCallQueue> outward_;
  std::unique_ptr<elab::InboundCallQueue> mailbox_;
  std::unique_ptr<sim::HostPort> host_;
  std::map<std::string, std::unique_ptr<modules::TargetBridge>> targets_;
  std::unique_ptr<sim::ControlBlock> control_;
  std::unique_ptr<sim::Watchdog> watchdog_;
  sc_core::sc_event idle_event_{"idle_event"};
  std::uint32_t own_port_ = 0;
  bool idle_ = true;
  bool finished_ = false;
  std::optional<Error> outside_error_;
};

}  // namespace kb
