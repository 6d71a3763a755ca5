#include "modules/bridge/target_bridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "modules/bridge/debug_access.h"
#include "modules/bridge/error_cause.h"
#include "modules/bridge/payload_data.h"
#include "platform/base/error.h"

namespace kb::modules {
namespace {

// Arguments of outward calls and events; for END_REQ combined with the number of its request.
enum Step : std::uint64_t { kEndRequest = 0, kBeginResponse = 1, kEndResponse = 2, kSteps = 4 };

TimeFs time_of(const sc_core::sc_time& time) {
  return TimeFs(static_cast<std::int64_t>(time.value()));
}

TimeFs kernel_now() {
  return time_of(sc_core::sc_time_stamp());
}

const payload::FabricRoute& route_from(elab::Platform& platform, NodeId source, NodeId memory) {
  switch (platform.graph().node(source).kind) {
    case topology::NodeKind::pe_dma:
      return platform.routes().pe_dma(source, memory);
    case topology::NodeKind::m_cpu:
      return platform.routes().mcpu_dma(source, memory);
    default:
      return platform.routes().host_memory(source, memory);
  }
}

tlm::tlm_response_status status_of(const payload::Status& status) {
  if (status.ok) return tlm::TLM_OK_RESPONSE;
  if (status.code == "ADDRESS_ERROR") return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (status.code == "UNSUPPORTED_REQUEST") return tlm::TLM_COMMAND_ERROR_RESPONSE;
  return tlm::TLM_GENERIC_ERROR_RESPONSE;
}

}  // namespace

TargetBridge::TargetBridge(const sc_core::sc_module_name& name, const TargetParams& params,
                           const BridgeContext& context)
    : sc_core::sc_module(name),
      params_(params),
      context_(context),
      windows_(params.windows, sc_core::sc_module::name()),
      checker_(socket.name(), context.breach_report()),
      source_(context.platform.block_as<elab::IRequestSource>(params.attach)),
      initiator_text_(fmt::format("the initiator at socket {}", socket.name())),
      overhead_(0_fs),
      in_port_(context.mailbox.add_port()),
      out_port_(context.outward.add_port()) {
  const bool inside = context.platform.graph().node(params.attach).kind == topology::NodeKind::pe_dma;
  overhead_ = std::max(inside ? 0_fs : source_.overhead(), 1_fs);
  socket.bind(*this);
  declare_signals();
}

void TargetBridge::declare_signals() {
  if ((observer_ = context_.platform.context().observer) == nullptr) return;
  const std::string& node = context_.platform.graph().node(params_.attach).id;
  outstanding_signal_ = observer_->declare({node, basename(), "outstanding", 16, {}});
  stalled_signal_ = observer_->declare({node, basename(), "stalled", 1, {}});
}

TargetBridge::~TargetBridge() = default;

std::uint64_t TargetBridge::open(tlm::tlm_generic_payload& payload, Style style, TimeFs entered) {
  std::uint64_t slot = requests_.size();
  if (free_.empty()) {
    requests_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  Request& request = requests_[slot];
  request.payload = &payload;
  request.style = style;
  request.entered = entered;
  request.parts = 0;
  request.done = false;
  request.orphaned = false;
  show(outstanding_signal_, kernel_now(), ++open_);
  ++requests_count_;
  context_.mailbox.post(entered, in_port_, *this, slot);
  return slot;
}

void TargetBridge::close(std::uint64_t slot) {
  Request& request = requests_[slot];
  if (request.style == Style::blocking && !request.orphaned) --returning_;
  request.payload = nullptr;
  free_.push_back(slot);
  show(outstanding_signal_, kernel_now(), --open_);
  context_.settled();
}

void TargetBridge::on_inward(TimeFs, std::uint64_t slot) {
  Request& request = requests_[slot];
  if (request.payload == nullptr || request.done) return;
  request.plan = plan_access(*request.payload, windows_, context_.platform.routes().resolver(), params_.attach);
  if (!request.plan.ok()) {
    refuse(request, request.plan.status, request.plan.code, request.plan.message);
    complete(slot);
  } else if (request.plan.repeats == 0) {
    request.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    complete(slot);
  } else {
    request.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    inject(slot);
  }
}

// Wires transfer all bytes of an access, including disabled ones.
void TargetBridge::inject(std::uint64_t slot) {
  Request& request = requests_[slot];
  const payload::Op op = request.payload->is_read() ? payload::Op::read : payload::Op::write;
  const TimeFs at = time_sum(request.entered, overhead_);
  for (std::uint32_t i = 0; i < request.plan.repeats; ++i) {
    const std::uint64_t end = request.plan.bytes_of(i);
    for (const AccessPlan::Part& part : request.plan.parts) {
      if (part.offset >= end) break;
      const std::uint64_t nbytes = std::min(part.memory.nbytes, end - part.offset);
      payload::Transaction& transaction = context_.platform.pool().acquire(
          op, route_from(context_.platform, params_.attach, part.memory.memory), part.memory.pa, nbytes);
      transaction.hbm_offset = part.memory.hbm_offset;
      transaction.cookie = slot;
      transaction.initiator = this;
      ++request.parts;
      bytes_ += nbytes;
      source_.inject(transaction, at);
      transaction.issued = request.entered;
    }
  }
}

void TargetBridge::on_response(payload::Transaction& transaction) {
  const std::uint64_t slot = transaction.cookie;
  Request& request = requests_[slot];
  if (request.payload == nullptr || request.done) {  // abandoned
    context_.platform.pool().release(transaction);
    return;
  }
  if (!transaction.status.ok && request.payload->is_response_ok()) {
    refuse(request, status_of(transaction.status), transaction.status.code, transaction.status.message);
  }
  context_.platform.pool().release(transaction);
  if (--request.parts == 0) complete(slot);
}

std::string TargetBridge::origin(const payload::Transaction& transaction) const {
  return fmt::format(" ({} through socket {})", payload_text(*requests_[transaction.cookie].payload), socket.name());
}

void TargetBridge::refuse(Request& request, tlm::tlm_response_status status, const std::string& code,
                          const std::string& message) {
  request.payload->set_response_status(status);
  ++refused_;
  ErrorCause* const cause = request.payload->get_extension<ErrorCause>();
  if (cause == nullptr) return;
  cause->code = code;
  cause->message = fmt::format("socket {}: {}: {} (at {} ns)", socket.name(), payload_text(*request.payload), message,
                               format_ns(context_.platform.scheduler().now()));
}

void TargetBridge::move_data(Request& request) {
  if (request.payload->is_read()) {
    fill_payload(*request.payload, request.plan, context_.contents);
    return;
  }
  PayloadWrite write = write_of(*request.payload, request.plan);
  if (write.destination.empty()) return;
  context_.contents.write(params_.attach, std::move(write.destination), std::move(write.buffer), request.entered,
                          context_.platform.scheduler().now());
}

void TargetBridge::complete(std::uint64_t slot) {
  Request& request = requests_[slot];
  if (request.payload->is_response_ok() && request.plan.repeats > 0) {
    move_data(request);
    latency_.add(context_.platform.scheduler().now() - request.entered);
  }
  request.payload->set_dmi_allowed(false);
  request.done = true;
  if (request.orphaned) {
    close(slot);
    return;
  }
  if (request.style == Style::blocking) {
    ++returning_;
    context_.platform.scheduler().wake(*request.answered);
    return;
  }
  responses_.push_back(slot);
  if (!responding_) context_.outward.post(out_port_, *this, kBeginResponse);
}

void TargetBridge::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  checker_.blocking(payload);
  if (!abandoned_.empty()) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return;
  }
  const TimeFs entered = time_sum(kernel_now(), time_of(std::exchange(delay, sc_core::SC_ZERO_TIME)));
  const std::uint64_t slot = open(payload, Style::blocking, entered);
  Request& request = requests_[slot];
  if (request.answered == nullptr) request.answered = std::make_unique<sc_core::sc_event>();
  try {
    while (!request.done) sc_core::wait(*request.answered);
  } catch (...) {  // the thread is being killed, together with its payload
    orphan(slot);
    throw;
  }
  close(slot);
  checker_.blocking_returns(payload);
}

void TargetBridge::orphan(std::uint64_t slot) {
  Request& request = requests_[slot];
  if (request.done) {
    close(slot);
    return;
  }
  request.payload = &orphan_;
  request.plan.repeats = 0;
  request.orphaned = true;
}

tlm::tlm_sync_enum TargetBridge::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  checker_.forward(payload, phase);
  const TimeFs at = time_sum(kernel_now(), time_of(delay));
  if (phase == tlm::BEGIN_REQ) {
    const tlm::tlm_sync_enum status = begin_request(payload, at);
    checker_.forward_returns(payload, phase, status);
    return status;
  }
  if (phase == tlm::END_RESP) {
    if (!responding_ || ending_ || requests_[responses_.front()].payload != &payload) {
      violation(payload, "END_RESP for a transaction that has no response");
      return tlm::TLM_COMPLETED;
    }
    end_response_at(at);
    return tlm::TLM_COMPLETED;
  }
  return tlm::TLM_ACCEPTED;  // an ignorable phase
}

tlm::tlm_sync_enum TargetBridge::begin_request(tlm::tlm_generic_payload& payload, TimeFs at) {
  if (accepting_ != kNone || !payload.has_mm() || !abandoned_.empty()) {
    if (abandoned_.empty()) {
      violation(payload, accepting_ != kNone ? "BEGIN_REQ before END_REQ of the request before it"
                                             : "BEGIN_REQ with a payload that has no memory manager");
    }
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  payload.acquire();
  accepting_ = open(payload, Style::phases, at);
  accept_scheduled_ = false;
  ++accept_number_;
  accept_at_ = time_sum(at, params_.accept);
  if (in_flight_ >= params_.max_outstanding) show(stalled_signal_, accept_at_, 1);
  try_accept();
  return tlm::TLM_ACCEPTED;
}

void TargetBridge::try_accept() {
  if (accepting_ == kNone || accept_scheduled_ || in_flight_ >= params_.max_outstanding) return;
  accept_scheduled_ = true;
  elab::EventScheduler& scheduler = context_.platform.scheduler();
  const std::uint64_t argument = accept_number_ * kSteps + kEndRequest;
  if (accept_at_ <= scheduler.present() || !abandoned_.empty()) {
    context_.outward.post(out_port_, *this, argument);
  } else {
    scheduler.schedule(accept_at_, *this, argument);
  }
}

void TargetBridge::on_event(TimeFs, std::uint64_t argument) {
  if (argument % kSteps == kEndResponse) {
    end_response();
  } else {
    context_.outward.post(out_port_, *this, argument);
  }
}

void TargetBridge::on_outward(std::uint64_t argument) {
  if (argument % kSteps == kBeginResponse) {
    send_response();
  } else if (accepting_ != kNone && argument / kSteps == accept_number_) {
    accept_scheduled_ = false;
    send_end_request(std::exchange(accepting_, kNone));
  }
}

tlm::tlm_sync_enum TargetBridge::call_initiator(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  tlm::tlm_sync_enum status = tlm::TLM_ACCEPTED;
  call_foreign(initiator_text_, [&] { status = socket->nb_transport_bw(payload, phase, delay); });
  return status;
}

void TargetBridge::send_end_request(std::uint64_t slot) {
  count_accepted(kernel_now());
  tlm::tlm_generic_payload& payload = *requests_[slot].payload;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  checker_.backward(payload, phase);
  const tlm::tlm_sync_enum status = call_initiator(payload, phase, delay);
  checker_.backward_returns(payload, phase, status);
}

void TargetBridge::send_response() {
  if (responding_ || responses_.empty()) return;
  const std::uint64_t slot = responses_.front();
  if (slot == accepting_) {  // answered before it was accepted: BEGIN_RESP implies END_REQ
    accepting_ = kNone;
    count_accepted(kernel_now());
  }
  responding_ = true;
  tlm::tlm_generic_payload& payload = *requests_[slot].payload;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  checker_.backward(payload, phase);
  const tlm::tlm_sync_enum status = call_initiator(payload, phase, delay);
  if (status == tlm::TLM_ACCEPTED) return;  // END_RESP comes on the forward path, or has come during the call
  checker_.backward_returns(payload, phase, status);
  if (status == tlm::TLM_UPDATED && phase != tlm::END_RESP) return;
  end_response_at(time_sum(kernel_now(), time_of(delay)));
}

// An engine that has stopped handles no events.
void TargetBridge::end_response_at(TimeFs at) {
  if (at > kernel_now() && abandoned_.empty()) {
    ending_ = true;
    context_.platform.scheduler().schedule(at, *this, kEndResponse);
  } else {
    end_response();
  }
}

void TargetBridge::end_response() {
  const std::uint64_t slot = responses_.front();
  responses_.pop_front();
  responding_ = ending_ = false;
  --in_flight_;
  tlm::tlm_generic_payload* const payload = requests_[slot].payload;
  close(slot);
  payload->release();
  try_accept();
  if (!responses_.empty()) context_.outward.post(out_port_, *this, kBeginResponse);
}

unsigned TargetBridge::transport_dbg(tlm::tlm_generic_payload& payload) {
  return debug_access(payload, windows_, context_.platform.routes().resolver(), context_.contents);
}

bool TargetBridge::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  payload.set_dmi_allowed(false);
  dmi.allow_none();
  return false;
}

void TargetBridge::violation(const tlm::tlm_generic_payload& payload, const std::string& what) const {
  if (context_.check_protocol) return;  // the checker has reported it
  context_.report_fault(breach_of(socket.name(), what, payload));
}

void TargetBridge::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  for (const Request& request : requests_) {
    if (request.payload == nullptr) continue;
    waits.push_back({fmt::format("socket {}", socket.name()),
                     request.done && request.style == Style::phases ? "END_RESP of " + payload_text(*request.payload)
                                                                    : "answer to " + payload_text(*request.payload),
                     request.entered});
  }
}

void TargetBridge::abandon(const std::string& cause) {
  abandoned_ = cause;
  if (ending_) end_response();
  for (std::uint64_t slot = 0; slot < requests_.size(); ++slot) {
    Request& request = requests_[slot];
    if (request.payload == nullptr || request.done) continue;
    refuse(request, tlm::TLM_GENERIC_ERROR_RESPONSE, "MODEL_ERROR", cause);
    complete(slot);
  }
}

}  // namespace kb::modules
