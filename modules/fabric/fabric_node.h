// Base class of all fabric blocks: ports, sockets, the sending side of its edges, and the four AT timing points.
#pragma once

#include <tlm>
#include <vector>

#include "modules/fabric/flit_stream.h"
#include "modules/fabric/wire.h"
#include "platform/elab/block.h"
#include "platform/payload/protocol.h"
#include "platform/payload/transaction.h"

namespace kb::modules {

// A base class before the transport interfaces in the list of bases: it keeps the large sockets out of the cache lines
// that every call reads. On a large machine, most of a node's memory has left the cache between two of its events.
struct FabricSockets {
  tlm::tlm_initiator_socket<32, payload::FabricProtocol, 0> out{"out"};
  tlm::tlm_target_socket<32, payload::FabricProtocol, 0> in{"in"};
};

// A port represents one neighbour: the edge to it (a Wire) and the edge from it. Requests to the neighbour use this
// node's initiator socket, responses to it use the backward path of the neighbour's; both share the port's wire.
//
// The sockets are standard TLM sockets, bound once per neighbour. A call does not identify its socket: the in-port
// follows from the transaction's route, so that a hop costs one virtual call.
class FabricNode : public elab::Block,
                   public elab::FabricSide,
                   public FabricSockets,
                   private IWireUser,
                   private contract::IDeferredSignals,
                   public tlm::tlm_fw_transport_if<payload::FabricProtocol>,
                   public tlm::tlm_bw_transport_if<payload::FabricProtocol> {
 public:
  // The neighbour of a port and the interfaces that this node calls. A monitor may replace them after elaboration.
  struct Link {
    NodeId neighbour;
    tlm::tlm_fw_nonblocking_transport_if<>* forward = nullptr;
    tlm::tlm_bw_nonblocking_transport_if<>* backward = nullptr;
  };

  FabricNode(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context);

  std::uint16_t port_count() const { return static_cast<std::uint16_t>(ports_.size()); }
  Link& link(std::uint16_t port) { return ports_[port].link; }

  void bind_out(EdgeId edge, elab::Block& neighbour) override;
  elab::FabricSide* fabric_side() final { return this; }
  void conclude() override;
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;

  // Number of flit-hops that this node has sent (for speed figures); retires all wires up to now.
  std::uint64_t flit_hops();

 protected:
  // Called for announced arrivals. Times are absolute and not before now; in_port, hop and leg of the stream are set.
  virtual void on_flits(FlitStream& flits) = 0;
  virtual void on_message(payload::Transaction& transaction, const FlitStream& message) = 0;
  // Called when announced flits of a leg with index >= first are rolled back. The transaction's segment holds their
  // number, and window_of() returns their arrival times.
  virtual void on_rollback(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg,
                           std::uint32_t first) = 0;

  // Delays the latest segments of some legs until flush(), because the next commit may continue one of them. It is
  // created on the stack, which is in the cache, for each wake.
  class SegmentBuffer {
   public:
    explicit SegmentBuffer(FabricNode& node) : node_(node) { node.outbox_ = this; }
    ~SegmentBuffer() { node_.outbox_ = nullptr; }
    SegmentBuffer(const SegmentBuffer&) = delete;
    SegmentBuffer& operator=(const SegmentBuffer&) = delete;

    void add(std::uint16_t port, payload::Transaction& transaction, const payload::Segment& segment);
    void flush();

   private:
    struct Held {
      payload::Transaction* transaction;
      payload::Segment segment;
      std::uint16_t port;
    };
    static constexpr std::size_t kMaxHeld = 8;  // a search in more would not pay

    FabricNode& node_;
    std::size_t count_ = 0;
    union {  // uninitialised, because initialising costs more than its use
      Held held_[kMaxHeld];
    };
  };

  // All commits of one wake go to its outbox, which merges them into as few segments as possible. The overload for a
  // single stream accepts one whose last flit is shorter.
  void commit(const FlitStream* streams, std::size_t count, TimeFs floor);
  void commit(const FlitStream& flits, TimeFs floor);
  // Calls f(stream) for the whole stream, or for its full flits and its shorter last flit.
  template <typename F>
  void split_by_size(const FlitStream& flits, F&& f) const;
  void cut(std::uint16_t port, const ArrivalKey& limit);
  void send_message(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg, std::uint16_t hop,
                    TimeFs ready, const ArrivalKey& key);
  void slip_message(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg, std::uint16_t hop,
                    TimeFs ready);
  // Ends the run because this transaction would exceed the end of simulated time.
  void pass_end(const payload::Transaction& transaction) const;
  // Sends END_REQ or END_RESP for a leg whose last flit has arrived.
  void send_end(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg);

  // When the first waiting flit of a wire was ready; kNever when no flit waits.
  virtual TimeFs first_waiting(std::uint16_t /*port*/) const { return kNever; }
  // Reports waveforms; a node with more signals than those of its wires overrides it.
  TimeFs report_until(TimeFs now) override;

  // Reinserts flits of a committed stream that cut() has rolled back.
  virtual void roll_back(const FlitStream& flits) = 0;

  TimeFs now() const { return scheduler_.now(); }
  bool logged() const { return logged_; }
  Wire& wire_at(std::uint16_t port) { return ports_[port].wire; }
  const Wire& wire_at(std::uint16_t port) const { return ports_[port].wire; }
  // Arrival times of rolled-back flits, decoded from the segment of a rollback.
  static TimeWindow window_of(const payload::Segment& rollback) {
    return {rollback.time, rollback.time + rollback.spacing};
  }
  // Port of the neighbour from which a leg came to this node.
  static std::uint16_t previous_port(const payload::Transaction& transaction, payload::Leg leg, std::uint16_t hop) {
    const payload::FabricRoute::Ports ports = transaction.hops[hop];
    return leg == payload::Leg::request ? ports.reverse : ports.forward;
  }
  // Out-port of a leg at this node; kNoPort when the leg ends here.
  static std::uint16_t next_port(const payload::Transaction& transaction, payload::Leg leg, std::uint16_t hop) {
    const payload::FabricRoute::Ports ports = transaction.hops[hop];
    return leg == payload::Leg::request ? ports.forward : ports.reverse;
  }

  void end_of_elaboration() override;

 private:
  // Four cache lines; the first one holds rarely used members.
  struct alignas(64) Port {
    int out_index = -1;  // index in socket `out`; -1: unbound
    int in_index = -1;   // index in socket `in`; -1: unbound
    Wire wire;
    Link link;
  };
  static_assert(sizeof(Port) == 256);

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;
  tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  void log_header(const FlitStream& header) const;
  void follow_message(std::uint16_t port, const payload::Transaction& transaction, payload::Leg leg, std::uint16_t hop,
                      TimeFs ready, TimeFs arrived);
  void on_committed(const FlitStream& flits, const payload::Segment& segment) override;
  void on_cut(const FlitStream& rolled_back, const TimeWindow& window) override;
  void flush() {
    if (outbox_ != nullptr) outbox_->flush();
  }
  void prefetch_neighbour(std::uint16_t port) const;
  void announce(std::uint16_t port, payload::Transaction& transaction, const payload::Segment& segment);
  void transmit(std::uint16_t port, payload::Transaction& transaction, const payload::Segment& segment,
                const tlm::tlm_phase& phase);

  const elab::EventScheduler& scheduler_;  // copy of the context's reference, for the cache
  const bool logged_;                      // copy of logs(info), for the cache
  const bool followed_;                    // whether a hop observer is attached; for the cache
  std::vector<Port> ports_;
  int bound_out_ = 0, bound_in_ = 0;

  SegmentBuffer* outbox_ = nullptr;  // outbox of the current wake; may be null

  // Rollbacks of the current cuts, merged into one SHORTEN per leg.
  struct Rollback {
    payload::Transaction* transaction = nullptr;
    payload::Segment segment;
  };
  std::vector<Rollback> rollbacks_;
  std::size_t rollback_base_ = 0;
};

template <typename F>
void FabricNode::split_by_size(const FlitStream& flits, F&& f) const {
  const std::uint32_t last = flits.transaction->last_flit_bytes;
  if (flits.flit_bytes != 0 || !flits.has_last_flit() || last == ports_.front().wire.params().flit_bytes) {
    f(flits);
    return;
  }
  FlitStream body = flits;
  FlitStream tail = flits.tail(flits.count - 1);
  tail.flit_bytes = static_cast<std::uint16_t>(last);
  if (--body.count > 0) f(body);
  f(tail);
}

}  // namespace kb::modules
