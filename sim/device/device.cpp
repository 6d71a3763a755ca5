#include "sim/device/device.h"

#include "platform/base/error.h"
#include "sim/device/device_impl.h"

namespace kb {

void set_time_resolution() {
  std::string cause;
  try {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    return;
  } catch (const sc_core::sc_report& report) {
    cause = report.get_msg() == nullptr ? report.get_msg_type() : report.get_msg();
  }
  if (sc_core::sc_time::from_value(1).to_seconds() < 1.5e-15) return;  // it is right already
  throw Error::configuration("kb::set_time_resolution() comes too late (" + cause + "), so that the resolution is " +
                             sc_core::sc_get_time_resolution().to_string() +
                             "; the first sc_time that is not zero fixes it, which may be a clock, a global object or "
                             "the default of an argument: "
                             "call it before them, first in sc_main()");
}

Device::Device(const sc_core::sc_module_name& name, const DeviceConfig& config)
    : sc_core::sc_module(name), impl_(std::make_unique<Impl>(*this, config)) {
  host_memory.bind(*this);
}

// The blocks are never destroyed: SystemC looks for every port of a dying module in one list, which for a large machine
// takes longer than the simulation.
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

DeviceReport Device::finish() {
  return impl_->finish();
}

// host_memory is used by b_transport() alone.
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
