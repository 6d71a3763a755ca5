#include "sim/ports/remote/remote_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/base/error.h"
#include "sim/ports/device/device_queue.h"

namespace kb::remote {
namespace {

constexpr std::uint64_t kFsPerNs = 1'000'000;
constexpr std::uint64_t kLastNs = 9'000'000'000'000;  // maximum simulated time

BusResponse response_of(tlm::tlm_response_status status) {
  if (status == tlm::TLM_OK_RESPONSE) return BusResponse::ok;
  return status == tlm::TLM_ADDRESS_ERROR_RESPONSE ? BusResponse::address_error : BusResponse::generic_error;
}

}  // namespace

std::string hello() {
  Packet packet;
  packet.header.kind = static_cast<std::uint32_t>(PacketKind::hello);
  packet.major = kVersionMajor;
  packet.minor = kVersionMinor;
  packet.capabilities = {kCanExtendedLayout, kCanByteEnables, kCanPostedWires};
  return encode(packet, false);
}

// A payload with its data.
struct RemotePort::Open : tlm::tlm_generic_payload {
  explicit Open(tlm::tlm_mm_interface* manager) : tlm::tlm_generic_payload(manager) {}
  std::string data, enables;
  bool posted = false;
};

RemotePort::RemotePort(const sc_core::sc_module_name& name, Device& device, const std::string& target,
                       NextPeer next_peer, const sc_core::sc_time& quantum)
    : sc_core::sc_module(name), next_peer_(std::move(next_peer)), quantum_(quantum) {
  SC_HAS_PROCESS(RemotePort);
  SC_THREAD(run);
  SC_METHOD(send_interrupt);
  sensitive << irq_;
  dont_initialize();
  memory_.bind(*this);
  registers_.bind(*this);
  host_memory_.bind(*this);
  memory_.bind(device.target(target));
  registers_.bind(device.registers());
  device.host_memory.bind(host_memory_);
  device.irq.bind(irq_);
}

RemotePort::~RemotePort() = default;

std::uint64_t RemotePort::now_ns() const {
  return (sc_core::sc_time_stamp().value() + kFsPerNs - 1) / kFsPerNs;
}

void RemotePort::run_to(std::uint64_t time_ns) {
  const sc_core::sc_time until = sc_core::sc_time::from_value(time_ns * kFsPerNs);
  if (until > sc_core::sc_time_stamp()) wait(until - sc_core::sc_time_stamp());
}

void RemotePort::end(const std::string& code, const std::string& text) {
  if (!failure_) failure_.emplace(ErrorFamily::program, code, text);
  peer_gone_ = true;
}

void RemotePort::run() {
  while (!failure_ && (connection_ = next_peer_()) != nullptr) {
    begin_session();
    try {
      session();
    } catch (const Error& error) {
      end(error.code(), error.what());
    }
  }
  sc_core::sc_stop();
}

// Discards answers to posted writes and pending packets of the previous peer.
void RemotePort::begin_session() {
  deferred_.clear();
  extended_ = peer_gone_ = false;
  accepting_ = awaited_ = nullptr;
}

bool RemotePort::greet() {
  Packet peer;
  if (!next(peer)) return false;
  if (!peer.header.is(PacketKind::hello)) {
    end("PROTOCOL_ERROR",
        fmt::format("the peer's first packet is {}; a session begins with hello", kind_text(peer.header.kind)));
    return false;
  }
  if (peer.major != kVersionMajor) {
    end("PROTOCOL_ERROR",
        fmt::format("the peer speaks Remote-Port {}.{}; this is {}.{}, and the first number must be the same",
                    peer.major, peer.minor, kVersionMajor, kVersionMinor));
    return false;
  }
  extended_ = peer.can(kCanExtendedLayout);
  return true;
}

void RemotePort::session() {
  if (!greet()) return;
  if (irq_.read()) send_interrupt();  // it was raised in an earlier session
  Packet packet;
  std::uint64_t grant = 0;
  while (!peer_gone_ && next(packet)) {
    if (packet.time_ns > kLastNs) {
      end("PROTOCOL_ERROR", fmt::format("the stamp {} ns of the peer's packet {} is beyond the end of simulated time",
                                        packet.time_ns, packet.header.id));
      return;
    }
    act(packet);
    grant = std::max<std::uint64_t>(grant, packet.time_ns + quantum_.value() / kFsPerNs);
    run_to(grant);
  }
}

bool RemotePort::next(Packet& packet) {
  if (!deferred_.empty()) {
    packet = std::move(deferred_.front());
    deferred_.pop_front();
    return true;
  }
  std::optional<Packet> received = connection_->receive();
  if (!received) return false;
  ++packets_;
  packet = std::move(*received);
  return true;
}

void RemotePort::act(const Packet& packet) {
  const Header& header = packet.header;
  if (header.is_response()) {
    end("PROTOCOL_ERROR",
        fmt::format("the peer answers packet {}, which nobody has sent or has been answered", header.id));
  } else if (header.is(PacketKind::read) || header.is(PacketKind::write)) {
    if (header.device == kMemory) {
      bus_access(packet);
    } else if (header.device == kRegisters) {
      register_access(packet);
    } else {
      end("PROTOCOL_ERROR",
          fmt::format("the peer's packet {} is for device {}; 0 is memory, 1 the registers", header.id, header.device));
    }
  } else if (header.is(PacketKind::sync)) {
    run_to(packet.time_ns);
    Packet answer;
    answer.header = header;
    answer.header.flags |= kIsResponse;
    answer.time_ns = now_ns();
    peer_gone_ = !connection_->send(encode(answer, extended_)) || peer_gone_;
  } else if (header.is(PacketKind::interrupt)) {
    end("PROTOCOL_ERROR",
        fmt::format("the peer's packet {} raises interrupt line {}, but the device has no interrupt inputs", header.id,
                    packet.line));
  } else if (header.is(PacketKind::hello)) {
    end("PROTOCOL_ERROR", fmt::format("the peer's packet {} is a second hello", header.id));
  }
}

void RemotePort::prepare(const Packet& packet, tlm::tlm_generic_payload& payload, std::string& data,
                         std::string& enables) {
  const bool write = packet.header.is(PacketKind::write);
  data = write ? packet.data : std::string(packet.length, '\0');
  enables = packet.enables;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(packet.address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
  payload.set_data_length(packet.length);
  payload.set_streaming_width(packet.streaming_width != 0 ? packet.streaming_width : packet.length);
  payload.set_byte_enable_ptr(enables.empty() ? nullptr : reinterpret_cast<unsigned char*>(enables.data()));
  payload.set_byte_enable_length(static_cast<unsigned>(enables.size()));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

// Uses phases, so that a posted write enters before later packets.
void RemotePort::bus_access(const Packet& packet) {
  auto* const open = new Open(this);  // deleted by free()
  open->acquire();
  prepare(packet, *open, open->data, open->enables);
  const sc_core::sc_time at = sc_core::sc_time::from_value(packet.time_ns * kFsPerNs);
  sc_core::sc_time delay = at > sc_core::sc_time_stamp() ? at - sc_core::sc_time_stamp() : sc_core::SC_ZERO_TIME;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  accepting_ = open;
  const bool posted = packet.header.is(PacketKind::write) && (packet.header.flags & kPosted) != 0;
  open->posted = posted;
  if (posted) {
    ++posted_writes_;
  } else {
    open->acquire();
    awaited_ = open;
  }
  const bool completed = memory_->nb_transport_fw(*open, phase, delay) == tlm::TLM_COMPLETED;
  if (completed) {
    accepting_ = nullptr;
    if (posted) --posted_writes_;
    open->release();
  }
  while (accepting_ == open) wait(accepted_);
  if (posted) return;
  while (!completed && awaited_ == open) wait(answered_);
  answer_bus(packet, open->get_response_status(), packet.header.is(PacketKind::read) ? open->data : "");
  open->release();
}

tlm::tlm_sync_enum RemotePort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time&) {
  if (accepting_ == &payload) {  // an answer implies END_REQ
    accepting_ = nullptr;
    accepted_.notify(sc_core::SC_ZERO_TIME);
  }
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  if (&payload == awaited_) awaited_ = nullptr;
  if (static_cast<const Open&>(payload).posted) --posted_writes_;
  answered_.notify(sc_core::SC_ZERO_TIME);
  payload.release();
  return tlm::TLM_COMPLETED;
}

void RemotePort::free(tlm::tlm_generic_payload* payload) {
  delete static_cast<Open*>(payload);
}

void RemotePort::register_access(const Packet& packet) {
  tlm::tlm_generic_payload payload;
  std::string data, enables;
  prepare(packet, payload, data, enables);
  run_to(packet.time_ns);
  if (payload.is_write() && packet.address == KB_REG_DOORBELL) warn_of_posted_writes(packet);
  sc_core::sc_time delay;
  registers_->b_transport(payload, delay);
  if (packet.header.is(PacketKind::write) && (packet.header.flags & kPosted) != 0) return;
  answer_bus(packet, payload.get_response_status(), packet.header.is(PacketKind::read) ? data : "");
}

// A launch does not wait for posted writes, and computes with the old contents when it overtakes them.
void RemotePort::warn_of_posted_writes(const Packet& doorbell) {
  if (posted_writes_ == 0 || !warn_) return;
  warn_(
      fmt::format("the peer's packet {} writes the doorbell at {} ns while {} of its posted writes to memory {} under "
                  "way; a launch may overtake them and read what was there before: let writes of what it reads be "
                  "answered (no posted flag) before the doorbell",
                  doorbell.header.id, now_ns(), posted_writes_, posted_writes_ == 1 ? "is" : "are"));
  warn_ = nullptr;
}

void RemotePort::answer_bus(const Packet& request, tlm::tlm_response_status status, std::string data) {
  Packet answer;
  answer.header = request.header;
  answer.header.flags |= kIsResponse;
  answer.time_ns = now_ns();
  answer.attributes = static_cast<std::uint64_t>(response_of(status)) << kResponseShift;
  answer.address = request.address;
  answer.length = request.length;
  answer.streaming_width = request.streaming_width;
  answer.data = std::move(data);
  peer_gone_ = !connection_->send(encode(answer, extended_)) || peer_gone_;
}

// A posted packet: the peer does not answer.
void RemotePort::send_interrupt() {
  if (connection_ == nullptr) return;
  Packet packet;
  packet.header.kind = static_cast<std::uint32_t>(PacketKind::interrupt);
  packet.header.id = next_id_++;
  packet.header.flags = kPosted;
  packet.header.device = kInterrupt;
  packet.time_ns = now_ns();
  packet.value = irq_.read() ? 1 : 0;
  peer_gone_ = !connection_->send(encode(packet, extended_)) || peer_gone_;
}

void RemotePort::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (delay > sc_core::SC_ZERO_TIME) wait(std::exchange(delay, sc_core::SC_ZERO_TIME));
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (peer_gone_) return;
  Packet packet;
  packet.header.kind = static_cast<std::uint32_t>(payload.is_read() ? PacketKind::read : PacketKind::write);
  packet.header.id = next_id_++;
  packet.header.device = kHostMemory;
  packet.time_ns = now_ns();
  packet.address = payload.get_address();
  packet.length = packet.streaming_width = payload.get_data_length();
  if (payload.is_write()) packet.data.assign(reinterpret_cast<char*>(payload.get_data_ptr()), packet.length);
  try {
    if (!connection_->send(encode(packet, extended_))) peer_gone_ = true;
    while (!peer_gone_) {
      std::optional<Packet> received = connection_->receive();
      if (!received) {
        end("PROTOCOL_ERROR",
            fmt::format("the peer closed the connection and owes the answer to packet {}, a {} of host "
                        "memory",
                        packet.header.id, kind_text(packet.header.kind)));
        break;
      }
      ++packets_;
      if (!received->header.is_response() || received->header.id != packet.header.id) {
        deferred_.push_back(std::move(*received));
        continue;
      }
      const std::uint64_t now = now_ns();
      if (received->time_ns > now && received->time_ns <= kLastNs) {
        delay = sc_core::sc_time::from_value((received->time_ns - now) * kFsPerNs);
      }
      if (received->response() == BusResponse::address_error) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      } else if (received->response() == BusResponse::ok &&
                 (payload.is_write() || received->data.size() == packet.length)) {
        if (payload.is_read()) std::copy(received->data.begin(), received->data.end(), payload.get_data_ptr());
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
      }
      return;
    }
  } catch (const Error& error) {
    end(error.code(), error.what());
  }
}

tlm::tlm_sync_enum RemotePort::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
  payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);  // the device only uses b_transport()
  return tlm::TLM_COMPLETED;
}

}  // namespace kb::remote
