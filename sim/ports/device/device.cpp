#include "sim/ports/device/device.h"

#include <fmt/format.h>

#include "platform/base/error.h"
#include "sim/ports/device/device_impl.h"
#include "sim/ports/device/device_queue.h"

namespace kb {

void set_time_resolution() {
  std::string cause;
  try {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    return;
  } catch (const sc_core::sc_report& report) {
    cause = report.get_msg() == nullptr ? report.get_msg_type() : report.get_msg();
  }
  if (sc_core::sc_time::from_value(1).to_seconds() < 1.5e-15) return;  // the resolution is already right
  throw Error::configuration("kb::set_time_resolution() comes too late (" + cause + "), so that the resolution is " +
                             sc_core::sc_get_time_resolution().to_string() +
                             "; the first sc_time that is not zero fixes it, which may be a clock, a global object or "
                             "the default of an argument: "
                             "call it before them, first in sc_main()");
}

namespace {

// Ports of the additional interrupt lines.
std::vector<std::unique_ptr<Device::IrqPort>> make_interrupts(int lines) {
  if (lines < 1 || lines > static_cast<int>(KB_MAX_IRQ_LINES)) {
    throw Error::configuration(
        fmt::format("DeviceConfig::irqs is {}; it has to be from 1 to {}", lines, KB_MAX_IRQ_LINES));
  }
  std::vector<std::unique_ptr<Device::IrqPort>> ports;
  for (int line = 1; line < lines; ++line) {
    ports.push_back(std::make_unique<Device::IrqPort>(fmt::format("irq{}", line).c_str()));
  }
  return ports;
}

}  // namespace

Device::Device(const sc_core::sc_module_name& name, const DeviceConfig& config)
    : sc_core::sc_module(name), more_irqs_(make_interrupts(config.irqs)), impl_(std::make_unique<Impl>(*this, config)) {
  host_memory.bind(*this);
}

// The blocks are never destroyed: SystemC searches a list for every port of a destroyed module, which takes longer than
// the simulation for a large machine.
Device::~Device() {
  impl_.release();  // NOLINT(bugprone-unused-return-value)
}

Device::TargetSocket& Device::target(const std::string& name) {
  return impl_->target(name).socket;
}

Device::TargetSocket& Device::registers() {
  return impl_->registers();
}

Device::InitiatorSocket& Device::memory(const std::string& name) {
  return impl_->memory(name);
}

Device::IrqPort& Device::interrupt(int line) {
  if (line < 0 || line >= irq_lines()) {
    throw Error::configuration(fmt::format("{} has no interrupt line {}; there are {}, from 0 (DeviceConfig::irqs)",
                                           name(), line, irq_lines()));
  }
  return line == 0 ? irq : *more_irqs_[static_cast<std::size_t>(line) - 1];
}

void Device::run(HostProgram program) {
  impl_->run(std::move(program));
}

bool Device::idle() const {
  return impl_->idle();
}

const sc_core::sc_event& Device::idle_event() const {
  return impl_->idle_event();
}

const sc_core::sc_event& Device::failed_event() const {
  return impl_->failed_event();
}

bool Device::failed() const {
  return impl_->failure().has_value();
}

std::string Device::error() const {
  return impl_->failure() ? impl_->failure()->what() : "";
}

void Device::report_error(const std::string& code, const std::string& message) {
  impl_->report_error(code, message);
}

DeviceReport Device::finish() {
  return impl_->finish();
}

// host_memory only uses b_transport().
tlm::tlm_sync_enum Device::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time&) {
  impl_->host_memory_calls(payload, phase);
  return tlm::TLM_ACCEPTED;
}

void Device::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) {}

void Device::start_of_simulation() {
  impl_->start();
}

}  // namespace kb
