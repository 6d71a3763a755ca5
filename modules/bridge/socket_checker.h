// Checks the calls through a base-protocol socket against the rules of TLM-2.0 (IEEE 1666-2011, 15.2).
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>

#include "modules/bridge/outside_fault.h"

namespace kb::modules {

// Observes one socket from one side. Every violation is reported in a sentence that names socket, transaction and time:
// phases out of order, a second request before END_REQ, a second response before END_RESP, a payload without memory
// management or in use twice, attributes that change during a transaction, a response status that is not set.
class SocketChecker {
 public:
  // Without `report`, calls are not checked.
  SocketChecker(std::string socket, FaultReport report) : socket_(std::move(socket)), report_(std::move(report)) {}

  // Called before a call of nb_transport_fw (or _bw) is served, and with its return values.
  void forward(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  void forward_returns(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase, tlm::tlm_sync_enum status);
  void backward(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  void backward_returns(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                        tlm::tlm_sync_enum status);
  void blocking(const tlm::tlm_generic_payload& payload);
  void blocking_returns(const tlm::tlm_generic_payload& payload);

  std::size_t open() const { return open_.size(); }

 private:
  enum class State : std::uint8_t { request, accepted, response };
  struct Open {
    State state = State::request;
    // Attributes that must not change before the response; an interconnect may change the address.
    tlm::tlm_command command{};
    const unsigned char* data = nullptr;
    unsigned length = 0;
    unsigned streaming_width = 0;
    const unsigned char* enables = nullptr;
  };

  void begin_request(const tlm::tlm_generic_payload& payload);
  void end_request(const tlm::tlm_generic_payload& payload);
  void begin_response(const tlm::tlm_generic_payload& payload);
  void end_response(const tlm::tlm_generic_payload& payload);
  void complete(const tlm::tlm_generic_payload& payload);
  void check_status(const tlm::tlm_generic_payload& payload);
  Open* find(const tlm::tlm_generic_payload& payload, const char* phase);
  void breach(const tlm::tlm_generic_payload& payload, const std::string& what);

  std::string socket_;
  FaultReport report_;
  std::unordered_map<const tlm::tlm_generic_payload*, Open> open_;
  const tlm::tlm_generic_payload* requesting_ = nullptr;  // waits for END_REQ
  const tlm::tlm_generic_payload* responding_ = nullptr;  // waits for END_RESP
};

// "socket NAME: WHAT (write of 64 B at 0x1000, at 5 ns)"
OutsideFault breach_of(const std::string& socket, const std::string& what, const tlm::tlm_generic_payload& payload);
// "write of 64 B at 0x1000"
std::string payload_text(const tlm::tlm_generic_payload& payload);
// "TLM_ADDRESS_ERROR_RESPONSE"
std::string response_text(tlm::tlm_response_status status);

}  // namespace kb::modules
