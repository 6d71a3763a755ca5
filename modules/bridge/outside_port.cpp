#include "modules/bridge/outside_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/base/error.h"

namespace kb::modules {
namespace {

// Arguments of outward calls; other values are the slot whose response ends.
constexpr std::uint64_t kBeginRequest = ~std::uint64_t{0};
constexpr std::uint64_t kEndRequest = std::uint64_t{1} << 63;  // combined with the ticket of the accepted access
constexpr unsigned kSlotBits = 22;                             // bits of the slot in a ticket

TimeFs time_of(const sc_core::sc_time& time) {
  return TimeFs(static_cast<std::int64_t>(time.value()));
}

}  // namespace

OutsidePort::OutsidePort(const sc_core::sc_module_name& name, const OutsidePortParams& params, const elab::Block& owner,
                         IOutsideUser& user, OutsideModels& outside, elab::BlockContext& context)
    : sc_core::sc_module(name),
      params_(params),
      owner_(owner),
      user_(user),
      outside_(outside),
      scheduler_(context.scheduler),
      memory_text_(fmt::format("node {}: memory '{}'", owner.node_id(), params.socket)),
      observer_(context.observer) {
  if (!outside.ports.emplace(params.socket, this).second) {
    throw Error::configuration(fmt::format("node {}: another memory has the socket '{}', too; each needs its own",
                                           owner.node_id(), params.socket));
  }
  SC_HAS_PROCESS(OutsidePort);
  if (!params.phases) SC_THREAD(run_blocking);
  socket.bind(*this);
  if (observer_ == nullptr) return;
  stalled_signal_ = observer_->declare(owner.node_id(), "stalled", 1);
  open_signal_ = observer_->declare(owner.node_id(), "outstanding", 16);
}

OutsidePort::~OutsidePort() = default;

void OutsidePort::attach() {
  if (outside_.outward == nullptr) {
    throw Error::configuration(
        fmt::format("node {}: its memory '{}' stands outside of the machine, which is possible only where kernbench is "
                    "a kb::Device "
                    "in a program of your own; this one has no such memory",
                    owner_.node_id(), params_.socket));
  }
  if (socket.size() == 0) {
    throw Error::configuration(
        fmt::format("node {}: nothing is bound to its memory socket '{}'; bind a target to "
                    "memory(\"{}\") of the device",
                    owner_.node_id(), params_.socket, params_.socket));
  }
  in_port_ = outside_.mailbox->add_port();
  out_port_ = outside_.outward->add_port();
  checker_ = SocketChecker(name(), outside_.check_protocol ? outside_.report_fault : nullptr);
}

bool OutsidePort::has_room(const OutsideAccess& access) const {
  return access.write ? writes_ < params_.max_writes : reads_ < params_.max_reads;
}

void OutsidePort::push(OutsideAccess access) {
  access.pushed = scheduler_.now();
  queue_.push_back(access);
  pump();
}

// Issues the next access, if it is allowed.
void OutsidePort::pump() {
  if (!requesting_ && !queue_.empty() && has_room(queue_.front())) {
    requesting_ = true;
    if (params_.phases) {
      outside_.outward->post(out_port_, *this, kBeginRequest);
    } else {
      scheduler_.wake(work_);
    }
  }
  update_stall();
}

void OutsidePort::update_stall() {
  const TimeFs now = scheduler_.now();
  if (open_signal_ != contract::kNoSignal) observer_->change(open_signal_, now, reads_ + writes_);
  const bool stalls = !queue_.empty() && (requesting_ || !has_room(queue_.front()));
  if (stalls == (stalled_since_ != kNever)) return;
  if (stalls) {
    stalled_since_ = now;
  } else {
    stalled_ += now - std::exchange(stalled_since_, kNever);
  }
  if (stalled_signal_ != contract::kNoSignal) observer_->change(stalled_signal_, now, stalls ? 1 : 0);
}

TimeFs OutsidePort::stalled() const {
  return stalled_ + (stalled_since_ == kNever ? 0_fs : scheduler_.now() - stalled_since_);
}

std::uint64_t OutsidePort::take_slot(const OutsideAccess& access) {
  std::uint64_t index = slots_.size();
  if (free_.empty()) {
    slots_.emplace_back();
    slots_.back().payload = &payloads_.emplace_back(this);
    slot_of_[slots_.back().payload] = index;
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Slot& slot = slots_[index];
  slot.access = access;
  slot.ticket = accesses_ << kSlotBits | index;
  slot.state = State::requesting;
  slot.taken = slot.responding = slot.passed = false;
  slot.made = slot.access.issued = scheduler_.now();
  slot.bytes.assign(access.bytes, 0);
  tlm::tlm_generic_payload& payload = *slot.payload;
  payload.acquire();
  payload.set_command(access.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(access.address);
  payload.set_data_ptr(slot.bytes.data());
  payload.set_data_length(access.bytes);
  payload.set_streaming_width(access.bytes);
  payload.set_byte_enable_ptr(nullptr);
  if (access.write && params_.keeps_contents) disable_write(slot);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  ++(access.write ? writes_ : reads_);
  ++accesses_;
  return index;
}

// A memory that ignores byte enables writes its old contents. A memory without transport_dbg() is reported when
// contents are needed.
void OutsidePort::disable_write(Slot& slot) {
  static unsigned char disabled[] = {TLM_BYTE_DISABLED};
  debug_served(tlm::TLM_READ_COMMAND, slot.access.address, slot.bytes.data(), slot.bytes.size());
  slot.payload->set_byte_enable_ptr(disabled);
  slot.payload->set_byte_enable_length(sizeof disabled);
}

std::uint64_t OutsidePort::debug_served(tlm::tlm_command command, std::uint64_t address, unsigned char* bytes,
                                        std::uint64_t nbytes) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 30;  // maximum of one call, whose length has 32 bits
  std::uint64_t served = 0;
  while (served < nbytes) {
    const auto part = static_cast<unsigned>(std::min(nbytes - served, kMax));
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address + served);
    payload.set_data_ptr(bytes + served);
    payload.set_data_length(part);
    payload.set_streaming_width(part);
    unsigned now = 0;
    call_foreign(memory_text_, [&] { now = std::min(socket->transport_dbg(payload), part); });
    served += now;
    if (now < part) break;
  }
  return served;
}

void OutsidePort::debug(tlm::tlm_command command, std::uint64_t address, unsigned char* bytes, std::uint64_t nbytes) {
  const std::uint64_t served = debug_served(command, address, bytes, nbytes);
  if (served == nbytes) return;
  throw Error::program(
      "MEMORY_ERROR",
      fmt::format("node {}: memory '{}' {} {} of {} at {:#x} by transport_dbg, through which its contents go with "
                  "`data: through`; the target has to serve it, or use `data: engine`",
                  owner_.node_id(), params_.socket, command == tlm::TLM_READ_COMMAND ? "gives" : "takes", served,
                  format_bytes(nbytes), address));
}

void OutsidePort::on_outward(std::uint64_t argument) {
  if (argument == kBeginRequest) {
    begin_request();
  } else if ((argument & kEndRequest) != 0) {
    end_request(argument & ~kEndRequest);
  } else {
    end_response(argument, sc_core::SC_ZERO_TIME);
  }
}

void OutsidePort::begin_request() {
  const std::uint64_t slot = take_slot(queue_.front());
  queue_.pop_front();
  update_stall();
  tlm::tlm_generic_payload& payload = *slots_[slot].payload;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  checker_.forward(payload, phase);
  tlm::tlm_sync_enum status = tlm::TLM_ACCEPTED;
  call_foreign(memory_text_, [&] { status = socket->nb_transport_fw(payload, phase, delay); });
  checker_.forward_returns(payload, phase, status);
  if (status == tlm::TLM_COMPLETED) {
    slots_[slot].responding = true;
    post(kAnswered, slot, delay);
  } else if (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
    respond(slot, delay);
    if (params_.early_end) end_response(slot, delay);
  } else if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
    take(slot, delay);
  }
}

// END_REQ of the slot's access was called or returned.
void OutsidePort::take(std::uint64_t slot, const sc_core::sc_time& delay) {
  slots_[slot].taken = true;
  post(kAccepted, slot, delay);
  outside_.outward->post_after(delay, out_port_, *this, kEndRequest | slots_[slot].ticket);
}

// The next access follows one delta cycle after the time of END_REQ. One femtosecond later, when the machine is
// notified, would be a cycle later for a clocked memory.
void OutsidePort::end_request(std::uint64_t ticket) {
  Slot* const slot = find(ticket);
  if (slot == nullptr || slot->state != State::requesting || std::exchange(slot->passed, true)) return;
  scheduler_.present();
  requesting_ = !queue_.empty() && has_room(queue_.front());
  if (requesting_) begin_request();
  update_stall();
}

// Null when the access has ended: a memory may announce END_REQ for a later time than its answer.
OutsidePort::Slot* OutsidePort::find(std::uint64_t ticket) {
  Slot& slot = slots_[ticket & ((std::uint64_t{1} << kSlotBits) - 1)];
  return slot.ticket == ticket ? &slot : nullptr;
}

// BEGIN_RESP of the slot's access was called or returned. The payload is kept until END_RESP has been sent.
void OutsidePort::respond(std::uint64_t slot, const sc_core::sc_time& delay) {
  slots_[slot].responding = true;
  post(kAnswered, slot, delay);
  slots_[slot].payload->acquire();
  if (!params_.early_end) outside_.outward->post_after(delay, out_port_, *this, slot);
  if (slots_[slot].taken) return;
  // the response implies END_REQ
  outside_.outward->post_after(delay, out_port_, *this, kEndRequest | slots_[slot].ticket);
}

void OutsidePort::end_response(std::uint64_t slot, sc_core::sc_time delay) {
  tlm::tlm_generic_payload& payload = *slots_[slot].payload;
  tlm::tlm_phase phase = tlm::END_RESP;
  checker_.forward(payload, phase);
  call_foreign(memory_text_, [&] { socket->nb_transport_fw(payload, phase, delay); });
  payload.release();
}

void OutsidePort::run_blocking() {
  call_guarded(outside_.failed, [this] { serve_blocking(); });
}

void OutsidePort::serve_blocking() {
  while (true) {
    while (!requesting_ || queue_.empty()) wait(work_);
    const std::uint64_t slot = take_slot(queue_.front());
    queue_.pop_front();
    update_stall();
    tlm::tlm_generic_payload& payload = *slots_[slot].payload;
    sc_core::sc_time delay;
    checker_.blocking(payload);
    call_foreign(memory_text_, [&] { socket->b_transport(payload, delay); });
    checker_.blocking_returns(payload);
    post(kAccepted, slot, sc_core::SC_ZERO_TIME);
    post(kAnswered, slot, delay);
    while (slots_[slot].state == State::requesting) wait(work_);
  }
}

tlm::tlm_sync_enum OutsidePort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  checker_.backward(payload, phase);
  if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  const auto found = slot_of_.find(&payload);
  if (found == slot_of_.end() || slots_[found->second].state == State::free || slots_[found->second].responding) {
    problem(payload, "an answer to an access that was not made, or has been answered");
    return tlm::TLM_ACCEPTED;
  }
  const std::uint64_t slot = found->second;
  if (phase == tlm::END_REQ) {
    if (slots_[slot].taken) {
      problem(payload, "a second END_REQ");
    } else {
      take(slot, delay);
    }
    return tlm::TLM_ACCEPTED;
  }
  if (!params_.early_end) {
    respond(slot, delay);
    return tlm::TLM_ACCEPTED;
  }
  slots_[slot].responding = true;
  post(kAnswered, slot, delay);
  checker_.backward_returns(payload, phase, tlm::TLM_COMPLETED);
  return tlm::TLM_COMPLETED;
}

void OutsidePort::post(Event event, std::uint64_t slot, const sc_core::sc_time& delay) {
  const TimeFs now = time_of(sc_core::sc_time_stamp());
  outside_.mailbox->post(time_sum(now, time_of(delay)), in_port_, *this, slots_[slot].ticket * kEvents + event);
}

void OutsidePort::on_inward(TimeFs, std::uint64_t argument) {
  Slot* const found = find(argument / kEvents);
  if (found == nullptr) return;
  Slot& slot = *found;
  if (slot.state == State::requesting) {  // an answer implies END_REQ
    slot.state = State::accepted;
    if (!slot.passed) requesting_ = false;
    if (!params_.phases) scheduler_.wake(work_);
    user_.on_accepted(slot.access);
  }
  if (argument % kEvents == kAnswered && slot.state == State::accepted) {
    const OutsideAccess access = slot.access;
    const tlm::tlm_response_status status = slot.payload->get_response_status();
    --(access.write ? writes_ : reads_);
    slot.state = State::answered;
    slot.payload->release();
    user_.on_answered(access, status);
  }
  pump();
  outside_.settled();
}

// The target may hold the payload after it has answered.
void OutsidePort::free(tlm::tlm_generic_payload* payload) {
  payload->reset();
  const std::uint64_t slot = slot_of_.at(payload);
  slots_[slot].state = State::free;
  free_.push_back(slot);
}

void OutsidePort::problem(const tlm::tlm_generic_payload& payload, const std::string& what) const {
  if (outside_.check_protocol) return;  // the checker has reported it
  outside_.report_fault(breach_of(name(), what, payload));
}

void OutsidePort::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  for (const Slot& slot : slots_) {
    if (slot.state == State::free || slot.state == State::answered) continue;
    waits.push_back({owner_.node_id(),
                     fmt::format("{} of memory '{}' to {}",
                                 slot.state == State::requesting && params_.phases ? "END_REQ" : "answer",
                                 params_.socket, payload_text(*slot.payload)),
                     slot.made});
  }
}

}  // namespace kb::modules
