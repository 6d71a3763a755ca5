#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include "tests/machine/device/initiators.h"

#include <algorithm>
#include <utility>

#include "modules/bridge/error_cause.h"

namespace kb::test {

void fill_payload(Transfer& transfer, tlm::tlm_generic_payload& payload) {
  payload.set_command(transfer.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(transfer.address);
  payload.set_data_ptr(transfer.data.data());
  payload.set_data_length(static_cast<unsigned>(transfer.data.size()));
  payload.set_streaming_width(transfer.streaming_width != 0 ? transfer.streaming_width
                                                            : static_cast<unsigned>(transfer.data.size()));
  payload.set_byte_enable_ptr(transfer.enables.empty() ? nullptr : transfer.enables.data());
  payload.set_byte_enable_length(static_cast<unsigned>(transfer.enables.size()));
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

LtInitiator::LtInitiator(const sc_core::sc_module_name& name, std::vector<Transfer> transfers, sc_core::sc_time early)
    : sc_core::sc_module(name), transfers_(std::move(transfers)), early_(early) {
  SC_HAS_PROCESS(LtInitiator);
  SC_THREAD(start);
  socket.bind(*this);
}

void LtInitiator::start() {
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    const sc_core::sc_time call = transfers_[i].at < early_ ? sc_core::SC_ZERO_TIME : transfers_[i].at - early_;
    if (call > sc_core::sc_time_stamp()) wait(call - sc_core::sc_time_stamp());
    sc_core::sc_spawn([this, i] { transfer(i); });
  }
}

void LtInitiator::transfer(std::size_t index) {
  Transfer& transfer = transfers_[index];
  tlm::tlm_generic_payload payload;
  fill_payload(transfer, payload);
  ErrorCause cause;
  payload.set_extension(&cause);
  sc_core::sc_time delay = transfer.at - sc_core::sc_time_stamp();
  socket->b_transport(payload, delay);
  payload.clear_extension(&cause);
  transfer.cause = cause.message;
  transfer.completed = sc_core::sc_time_stamp() + delay;
  transfer.status = payload.get_response_status();
}

tlm::tlm_sync_enum LtInitiator::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  return tlm::TLM_COMPLETED;
}

AtInitiator::AtInitiator(const sc_core::sc_module_name& name, std::vector<Transfer> transfers, sc_core::sc_time early,
                         bool vary_responses)
    : sc_core::sc_module(name), transfers_(std::move(transfers)), early_(early), vary_responses_(vary_responses) {
  SC_HAS_PROCESS(AtInitiator);
  SC_THREAD(run);
  SC_METHOD(end_responses);
  sensitive << answered_;
  dont_initialize();
  socket.bind(*this);
}

void AtInitiator::run() {
  for (Transfer& transfer : transfers_) {
    const sc_core::sc_time call = transfer.at < early_ ? sc_core::SC_ZERO_TIME : transfer.at - early_;
    if (call > sc_core::sc_time_stamp()) wait(call - sc_core::sc_time_stamp());
    while (accepting_) wait(accepted_);
    tlm::tlm_generic_payload& payload = payloads_.emplace_back(this);
    payload.acquire();
    fill_payload(transfer, payload);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay =
        transfer.at > sc_core::sc_time_stamp() ? transfer.at - sc_core::sc_time_stamp() : sc_core::SC_ZERO_TIME;
    accepting_ = true;
    ++open_;
    if (socket->nb_transport_fw(payload, phase, delay) != tlm::TLM_COMPLETED) continue;
    accepting_ = false;
    transfer.completed = sc_core::sc_time_stamp() + delay;
    transfer.status = payload.get_response_status();
  }
}

tlm::tlm_sync_enum AtInitiator::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ) {
    accepting_ = false;
    accepted_.notify(sc_core::SC_ZERO_TIME);
    return tlm::TLM_ACCEPTED;
  }
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  const auto found = std::find_if(transfers_.begin(), transfers_.end(),
                                  [&](const Transfer& t) { return t.data.data() == payload.get_data_ptr(); });
  found->completed = sc_core::sc_time_stamp() + delay;
  found->status = payload.get_response_status();
  const std::uint64_t variant = vary_responses_ ? responses_++ % 3 : 0;
  if (variant == 2) {
    to_end_.push_back(&payload);
    answered_.notify(sc_core::SC_ZERO_TIME);
    return tlm::TLM_ACCEPTED;
  }
  payload.release();
  if (variant == 0) return tlm::TLM_COMPLETED;
  phase = tlm::END_RESP;
  return tlm::TLM_UPDATED;
}

void AtInitiator::end_responses() {
  while (!to_end_.empty()) {
    tlm::tlm_generic_payload& payload = *to_end_.front();
    to_end_.pop_front();
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay;
    socket->nb_transport_fw(payload, phase, delay);
    payload.release();
  }
}

void AtInitiator::free(tlm::tlm_generic_payload*) {
  --open_;
}

}  // namespace kb::test
