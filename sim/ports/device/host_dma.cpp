#include "sim/ports/device/host_dma.h"

#include <algorithm>
#include <utility>

namespace kb::sim {
namespace {

TimeFs kernel_now() {
  return TimeFs(static_cast<std::int64_t>(sc_core::sc_time_stamp().value()));
}

// Resets the pointer in its destructor, also when the thread is killed.
class Pending {
 public:
  Pending(const tlm::tlm_generic_payload*& place, const tlm::tlm_generic_payload& payload) : place_(place) {
    place_ = &payload;
  }
  ~Pending() { place_ = nullptr; }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

 private:
  const tlm::tlm_generic_payload*& place_;
};

}  // namespace

bool HostDma::transfer(tlm::tlm_command command, std::uint64_t address, unsigned char* bytes, std::uint64_t count) {
  Traffic& traffic = command == tlm::TLM_READ_COMMAND ? reads_ : writes_;
  while (count > 0) {
    since_ = kernel_now();
    const auto part = static_cast<unsigned>(std::min<std::uint64_t>(count, kBurst - address % kBurst));
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes);
    payload.set_data_length(part);
    payload.set_streaming_width(part);
    const Pending pending(open_, payload);
    sc_core::sc_time delay;
    checker_.blocking(payload);
    modules::call_foreign(memory_text_, [&] { socket_->b_transport(payload, delay); });
    checker_.blocking_returns(payload);
    if (delay > sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    ++traffic.bursts;
    traffic.bytes += part;
    accumulate(traffic.time, kernel_now() - since_);
    status_ = payload.get_response_status();
    if (status_ != tlm::TLM_OK_RESPONSE) {
      fault_address_ = address;
      return false;
    }
    address += part;
    bytes += part;
    count -= part;
  }
  return true;
}

std::string HostDma::waits_for() const {
  return open_ == nullptr ? "" : "answer of " + memory_text_ + " to " + modules::payload_text(*open_);
}

bool HostDma::read(std::uint64_t address, std::byte* bytes, std::uint64_t count) {
  return transfer(tlm::TLM_READ_COMMAND, address, reinterpret_cast<unsigned char*>(bytes), count);
}

bool HostDma::write(std::uint64_t address, const std::byte* bytes, std::uint64_t count) {
  std::vector<std::byte> copy(bytes, bytes + count);  // a target must not change the data, but gets a non-const pointer
  return transfer(tlm::TLM_WRITE_COMMAND, address, reinterpret_cast<unsigned char*>(copy.data()), count);
}

}  // namespace kb::sim
