// A peer in another process as a part of the simulation.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>

#include "platform/base/error.h"
#include "sim/ports/device/device.h"
#include "sim/ports/remote/connection.h"

namespace kb::remote {

// Device numbers in packets.
inline constexpr std::uint32_t kMemory = 0, kRegisters = 1, kInterrupt = 2, kHostMemory = 3;

// The first packet of this side in a session.
std::string hello();

// Reads one packet at a time and executes it in simulated time:
// - A read or write with stamp t enters the machine at max(t, now); its answer, with its own time as stamp, is sent
//   before the next packet is read. A posted write has no answer and is not waited for.
// - After a packet with stamp t, simulated time advances to t + quantum before the next packet is read; a sync is
//   answered at t.
// - An interrupt, and an access of the device to host memory, is sent when it happens. The peer answers accesses while
//   it waits for its own request; the stamp of the answer is the end of the access.
// The result depends only on the packets and their order.
class RemotePort final : public sc_core::sc_module,
                         public tlm::tlm_bw_transport_if<>,
                         public tlm::tlm_fw_transport_if<>,
                         public tlm::tlm_mm_interface {
 public:
  // Returns the next peer, once per session; null when there is none.
  using NextPeer = std::function<std::unique_ptr<Connection>()>;
  RemotePort(const sc_core::sc_module_name& name, Device& device, const std::string& target, NextPeer next_peer,
             const sc_core::sc_time& quantum);
  ~RemotePort() override;

  // `warn` is called once, with a line, when a peer writes the doorbell while posted writes to memory are under way.
  void on_warning(std::function<void(const std::string&)> warn) { warn_ = std::move(warn); }
  std::uint64_t packets() const { return packets_; }
  // Protocol violation of the peer that ended the session.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  void run();
  void begin_session();
  void session();
  bool greet();
  bool next(Packet& packet);
  void act(const Packet& packet);
  void bus_access(const Packet& packet);
  void register_access(const Packet& packet);
  void answer_bus(const Packet& request, tlm::tlm_response_status status, std::string data);
  void warn_of_posted_writes(const Packet& doorbell);
  void prepare(const Packet& packet, tlm::tlm_generic_payload& payload, std::string& data, std::string& enables);
  void send_interrupt();
  void run_to(std::uint64_t time_ns);
  std::uint64_t now_ns() const;
  void end(const std::string& code, const std::string& text);

  // Responses of the machine.
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void free(tlm::tlm_generic_payload* payload) override;
  // Accesses of the machine to host memory.
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

  struct Open;

  tlm::tlm_initiator_socket<32> memory_{"memory"}, registers_{"registers"};
  tlm::tlm_target_socket<32> host_memory_{"host_memory"};
  sc_core::sc_signal<bool> irq_{"irq"};
  NextPeer next_peer_;
  std::unique_ptr<Connection> connection_;  // of the current session
  sc_core::sc_time quantum_;
  std::deque<Packet> deferred_;                          // received while waiting for an answer of the peer
  bool extended_ = false;                                // the peer supports byte enables
  const tlm::tlm_generic_payload* accepting_ = nullptr;  // waiting for END_REQ
  const tlm::tlm_generic_payload* awaited_ = nullptr;    // waiting for an answer
  bool peer_gone_ = false;
  sc_core::sc_event accepted_, answered_;
  std::function<void(const std::string&)> warn_;
  std::uint64_t posted_writes_ = 0;  // to memory, that have not ended
  std::uint32_t next_id_ = 1;
  std::uint64_t packets_ = 0;
  std::optional<Error> failure_;
};

}  // namespace kb::remote
