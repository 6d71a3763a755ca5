#include "modules/bridge/socket_checker.h"

#include <fmt/format.h>

#include "platform/base/units.h"

namespace kb::modules {

std::string payload_text(const tlm::tlm_generic_payload& payload) {
  const char* const command = payload.is_read() ? "read" : (payload.is_write() ? "write" : "ignored command");
  return fmt::format("{} of {} at {:#x}", command, format_bytes(payload.get_data_length()), payload.get_address());
}

OutsideFault breach_of(const std::string& socket, const std::string& what, const tlm::tlm_generic_payload& payload) {
  const std::string rule = fmt::format("socket {}: {}", socket, what);
  return {OutsideFault::Kind::breach, rule,
          fmt::format("{} ({}, at {})", rule, payload_text(payload), sc_core::sc_time_stamp().to_string())};
}

std::string response_text(tlm::tlm_response_status status) {
  tlm::tlm_generic_payload payload;
  payload.set_response_status(status);
  return payload.get_response_string();
}

void SocketChecker::breach(const tlm::tlm_generic_payload& payload, const std::string& what) {
  report_(breach_of(socket_, what, payload));
}

void SocketChecker::forward(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  if (!report_) return;
  if (phase == tlm::BEGIN_REQ) {
    begin_request(payload);
  } else if (phase == tlm::END_RESP) {
    end_response(payload);
  } else if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) {
    breach(payload, fmt::format("{} came on the forward path", phase.get_name()));
  }
}

void SocketChecker::forward_returns(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                                    tlm::tlm_sync_enum status) {
  if (!report_ || status == tlm::TLM_ACCEPTED) return;
  if (status == tlm::TLM_COMPLETED) {
    complete(payload);
  } else if (phase == tlm::END_REQ) {
    end_request(payload);
  } else if (phase == tlm::BEGIN_RESP) {
    begin_response(payload);
  }
}

void SocketChecker::backward(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  if (!report_) return;
  if (phase == tlm::END_REQ) {
    end_request(payload);
  } else if (phase == tlm::BEGIN_RESP) {
    begin_response(payload);
  } else if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP) {
    breach(payload, fmt::format("{} came on the backward path", phase.get_name()));
  }
}

void SocketChecker::backward_returns(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                                     tlm::tlm_sync_enum status) {
  if (!report_ || status == tlm::TLM_ACCEPTED) return;
  const auto found = open_.find(&payload);
  if (found == open_.end()) return;
  if (found->second.state != State::response) {
    if (status == tlm::TLM_COMPLETED) breach(payload, "the initiator completes a transaction that has no response yet");
  } else if (status == tlm::TLM_COMPLETED || phase == tlm::END_RESP) {
    end_response(payload);
  }
}

void SocketChecker::begin_request(const tlm::tlm_generic_payload& payload) {
  if (!payload.has_mm()) breach(payload, "BEGIN_REQ with a payload that has no memory manager");
  if (requesting_ != nullptr) breach(payload, "a second BEGIN_REQ before END_REQ of the first one");
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) {
    breach(payload, "the response status is " + payload.get_response_string() +
                        " and not TLM_INCOMPLETE_RESPONSE when the request begins");
  }
  const Open record{State::request,
                    payload.get_command(),
                    payload.get_data_ptr(),
                    payload.get_data_length(),
                    payload.get_streaming_width(),
                    payload.get_byte_enable_ptr()};
  if (!open_.emplace(&payload, record).second) {
    breach(payload, "BEGIN_REQ with a payload whose transaction has not ended");
  }
  requesting_ = &payload;
}

SocketChecker::Open* SocketChecker::find(const tlm::tlm_generic_payload& payload, const char* phase) {
  const auto found = open_.find(&payload);
  if (found != open_.end()) return &found->second;
  breach(payload, fmt::format("{} for a transaction that has not begun or has ended", phase));
  return nullptr;
}

void SocketChecker::end_request(const tlm::tlm_generic_payload& payload) {
  Open* const record = find(payload, "END_REQ");
  if (record == nullptr) return;
  if (record->state != State::request) {
    breach(payload, "a second END_REQ");
    return;
  }
  record->state = State::accepted;
  if (requesting_ == &payload) requesting_ = nullptr;
}

void SocketChecker::begin_response(const tlm::tlm_generic_payload& payload) {
  Open* const record = find(payload, "BEGIN_RESP");
  if (record == nullptr) return;
  if (record->state == State::response) {
    breach(payload, "a second BEGIN_RESP");
    return;
  }
  if (responding_ != nullptr) breach(payload, "a second BEGIN_RESP before END_RESP of the first one");
  if (requesting_ == &payload) requesting_ = nullptr;  // the response implies END_REQ
  check_status(payload);
  const bool same = record->command == payload.get_command() && record->data == payload.get_data_ptr() &&
                    record->length == payload.get_data_length() &&
                    record->streaming_width == payload.get_streaming_width() &&
                    record->enables == payload.get_byte_enable_ptr();
  if (!same) breach(payload, "an attribute of the payload has changed since BEGIN_REQ");
  record->state = State::response;
  responding_ = &payload;
}

void SocketChecker::check_status(const tlm::tlm_generic_payload& payload) {
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
    breach(payload, "the response has the status TLM_INCOMPLETE_RESPONSE");
  }
}

void SocketChecker::end_response(const tlm::tlm_generic_payload& payload) {
  const Open* const record = find(payload, "END_RESP");
  if (record == nullptr) return;
  if (record->state != State::response) breach(payload, "END_RESP before BEGIN_RESP");
  if (responding_ == &payload) responding_ = nullptr;
  if (requesting_ == &payload) requesting_ = nullptr;
  open_.erase(&payload);
}

void SocketChecker::complete(const tlm::tlm_generic_payload& payload) {
  const auto found = open_.find(&payload);
  if (found == open_.end()) return;  // end of a response
  check_status(payload);
  if (responding_ == &payload) responding_ = nullptr;
  if (requesting_ == &payload) requesting_ = nullptr;
  open_.erase(found);
}

void SocketChecker::blocking(const tlm::tlm_generic_payload& payload) {
  if (!report_) return;
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) {
    breach(payload, "the response status is " + payload.get_response_string() +
                        " and not TLM_INCOMPLETE_RESPONSE when b_transport is called");
  }
}

void SocketChecker::blocking_returns(const tlm::tlm_generic_payload& payload) {
  if (report_) check_status(payload);
}

}  // namespace kb::modules
