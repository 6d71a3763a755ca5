// Accesses of the device to outside memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tlm>
#include <utility>
#include <vector>

#include "modules/bridge/socket_checker.h"
#include "platform/base/units.h"
#include "sim/ports/device/device.h"

namespace kb::sim {

// Blocking transfers of at most kBurst bytes each; must be called from an SC_THREAD.
class HostDma {
 public:
  static constexpr std::uint32_t kBurst = 4096;  // a page, so that bus models need not split it

  // `breach` receives protocol violations; may be empty.
  HostDma(Device::InitiatorSocket& socket, modules::FaultReport breach)
      : socket_(socket),
        memory_text_(std::string("the memory at ") + socket.name()),
        checker_(socket.name(), std::move(breach)) {}

  struct Traffic {
    std::uint64_t bursts = 0, bytes = 0;
    TimeFs time = 0_fs;  // total time until the answers
  };
  const Traffic& reads() const { return reads_; }
  const Traffic& writes() const { return writes_; }
  bool bound() const { return socket_.size() > 0; }
  // Return false when host memory answers with an error, which status() returns.
  bool read(std::uint64_t address, std::byte* bytes, std::uint64_t count);
  bool write(std::uint64_t address, const std::byte* bytes, std::uint64_t count);
  tlm::tlm_response_status status() const { return status_; }
  // Handles a backward call of host memory. It never carries an answer, because transfers are blocking.
  void backward(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
    checker_.backward(payload, phase);
  }
  std::uint64_t fault_address() const { return fault_address_; }
  // Description of the unanswered access, or "".
  std::string waits_for() const;
  TimeFs waits_since() const { return since_; }

 private:
  bool transfer(tlm::tlm_command command, std::uint64_t address, unsigned char* bytes, std::uint64_t count);

  Device::InitiatorSocket& socket_;
  std::string memory_text_;  // name of the memory for messages
  modules::SocketChecker checker_;
  tlm::tlm_response_status status_ = tlm::TLM_OK_RESPONSE;
  std::uint64_t fault_address_ = 0;
  const tlm::tlm_generic_payload* open_ = nullptr;  // unanswered access, made at since_
  TimeFs since_ = 0_fs;
  Traffic reads_, writes_;
};

}  // namespace kb::sim
