#include "sim/ports/device/register_file.h"

#include <cstring>
#include <utility>

namespace kb::sim {
namespace {

bool is_irq_status(std::uint32_t offset) {
  return offset == KB_REG_IRQ_STATUS || (offset >= KB_REG_IRQ_STATUS_OF(1) && offset % 8 == 0);
}

bool read_only(std::uint32_t offset) {
  return offset == KB_REG_IRQ_LINES || offset == KB_REG_ID || offset == KB_REG_VERSION || offset == KB_REG_DONE_COUNT ||
         offset == KB_REG_STATUS;
}

}  // namespace

RegisterFile::RegisterFile(const sc_core::sc_module_name& name, std::function<void(std::uint32_t)> written,
                           const modules::BridgeContext& context, std::uint32_t irq_lines)
    : sc_core::sc_module(name),
      written_(std::move(written)),
      checker_(socket.name(), context.breach_report()),
      failed_(context.failed),
      values_(KB_REG_IRQ_STATUS_OF(irq_lines) / 4) {
  SC_HAS_PROCESS(RegisterFile);
  SC_METHOD(answer);
  dont_initialize();
  sensitive << due_event_;
  SC_METHOD(end_response);
  dont_initialize();
  sensitive << ended_event_;
  set(KB_REG_ID, KB_ID_VALUE);
  set(KB_REG_VERSION, KB_QUEUE_VERSION);
  set(KB_REG_IRQ_LINES, irq_lines);
  socket.bind(*this);
}

tlm::tlm_response_status RegisterFile::access(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const std::uint32_t length = payload.get_data_length();
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (length == 0 || payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  const std::uint64_t end = values_.size() * 4;
  if (address % 4 != 0 || address >= end) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (length % 4 != 0 || payload.get_streaming_width() < length) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (length > end - address) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const auto first = static_cast<std::uint32_t>(address);
  if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), &values_[first / 4], length);
    return tlm::TLM_OK_RESPONSE;
  }
  for (std::uint32_t at = 0; at < length; at += 4) {
    if (read_only(first + at)) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  for (std::uint32_t at = 0; at < length; at += 4) {
    std::uint32_t value = 0;
    std::memcpy(&value, payload.get_data_ptr() + at, sizeof value);
    write(first + at, value);
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status RegisterFile::counted_access(tlm::tlm_generic_payload& payload) {
  reads_ += payload.is_read() ? 1 : 0;
  writes_ += payload.is_write() ? 1 : 0;
  return access(payload);
}

void RegisterFile::write(std::uint32_t offset, std::uint32_t value) {
  if (is_irq_status(offset)) {
    set(offset, get(offset) & ~value);
  } else {
    set(offset, offset == KB_REG_ERROR ? KB_ERROR_NONE : value);
  }
  if (offset == KB_REG_ERROR) set(KB_REG_STATUS, get(KB_REG_STATUS) & ~KB_STATUS_ERROR);
  written_(offset);
}

void RegisterFile::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  checker_.blocking(payload);
  if (delay > sc_core::SC_ZERO_TIME) sc_core::wait(std::exchange(delay, sc_core::SC_ZERO_TIME));
  payload.set_dmi_allowed(false);
  payload.set_response_status(counted_access(payload));
  checker_.blocking_returns(payload);
}

tlm::tlm_sync_enum RegisterFile::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  checker_.forward(payload, phase);
  if (phase == tlm::END_RESP && responding_ == &payload) {
    ended_event_.notify(delay);
    return tlm::TLM_COMPLETED;
  }
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  payload.set_dmi_allowed(false);
  const bool breach = pending_ != nullptr || !payload.has_mm();
  if (delay > sc_core::SC_ZERO_TIME && !breach) {
    payload.acquire();
    pending_ = &payload;
    due_event_.notify(delay);
    return tlm::TLM_ACCEPTED;
  }
  payload.set_response_status(pending_ != nullptr || delay > sc_core::SC_ZERO_TIME ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                                                                   : counted_access(payload));
  checker_.forward_returns(payload, phase, tlm::TLM_COMPLETED);
  return tlm::TLM_COMPLETED;
}

// The response implies END_REQ. It is delayed until the previous response has ended; the access is not.
void RegisterFile::answer() {
  if (!due_) pending_->set_response_status(counted_access(*pending_));
  due_ = responding_ != nullptr;
  if (due_) return;
  responding_ = std::exchange(pending_, nullptr);
  modules::call_guarded(failed_, [this] { send_response(); });
}

void RegisterFile::send_response() {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  checker_.backward(*responding_, phase);
  tlm::tlm_sync_enum status = tlm::TLM_ACCEPTED;
  modules::call_foreign(std::string("the initiator at socket ") + socket.name(),
                        [&] { status = socket->nb_transport_bw(*responding_, phase, delay); });
  if (status == tlm::TLM_ACCEPTED) return;  // END_RESP comes on the forward path
  checker_.backward_returns(*responding_, phase, status);
  if (status == tlm::TLM_COMPLETED || phase == tlm::END_RESP) ended_event_.notify(delay);
}

void RegisterFile::end_response() {
  std::exchange(responding_, nullptr)->release();
  if (due_) answer();
}

// A debugger can only read, because a write could start work.
unsigned RegisterFile::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() || access(payload) != tlm::TLM_OK_RESPONSE) return 0;
  return payload.get_data_length();
}

bool RegisterFile::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  payload.set_dmi_allowed(false);
  dmi.allow_none();
  return false;
}

}  // namespace kb::sim
