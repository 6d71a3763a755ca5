// A node at which messages begin, end, or are stored and forwarded: PCIE_EP, IO_CPU, M_CPU, SRAM, PE_DMA, PE_CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "modules/fabric/fabric_node.h"
#include "modules/fabric/sorted_queue.h"
#include "modules/fabric/wire_lanes.h"
#include "platform/elab/i_request_source.h"

namespace kb::modules {

// Models: re-assembly of flits (F-38), `overhead_ns` once per message with overlapping messages (F-39), contiguous
// offers to the out-edge, transit of messages for other nodes, initiation and completion of transactions.
// Timing of a message whose last flit arrives at t: it is handled (or offered to the next edge) at t + overhead_ns.
// Messages that are handled at the same time keep their arrival order; messages issued here precede those in transit.
// Derived blocks override on_request (a message for this node) and on_response (the answer to its own request).
class FabricEndpoint : public FabricNode, public elab::IRequestSource, private elab::EventHandler {
 public:
  // Order of a message on the first wire. `fifo`: after everything offered before. `slip`: a zero-byte command leaves
  // at the end of the flit in transfer (round robin between the DMA channels of a PE).
  enum class FirstWire : std::uint8_t { fifo, slip };

  FabricEndpoint(const sc_core::sc_module_name& name, NodeId node, TimeFs overhead, elab::BlockContext& context);

  // From now on, messages issued here use two lanes of the port's wire, interleaved flit by flit (WireLanes). Only one
  // port can have lanes.
  void use_lanes(std::uint16_t port);

  // Offers the request leg of a transaction whose route starts here to the first wire at absolute time `at` >= now().
  // Calls with equal times keep their order. The caller owns the transaction and releases it after on_response. `lane`:
  // 0 or 1, for flits on a port with lanes.
  void issue(payload::Transaction& transaction, TimeFs at, FirstWire order = FirstWire::fifo, std::uint16_t lane = 0);

  // Ends a posted request that was issued here and has reached its destination; it has no response.
  void retire(const payload::Transaction& transaction);

  void inject(payload::Transaction& transaction, TimeFs at) override { issue(transaction, at); }
  TimeFs overhead() const override { return overhead_; }

  // Default: lists the requests issued here that have no response yet.
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 protected:
  // Handles a request that ends here. `arrived` is the arrival of its last flit; called at arrived + overhead_ns = now.
  // Default: answers with status UNSUPPORTED_REQUEST.
  virtual void on_request(payload::Transaction& transaction, TimeFs arrived);
  // Handles the response to a transaction issued here: now = arrival + overhead_ns; `transaction.delivered` and
  // `.completed` are set. The block releases the transaction. Default: releases it.
  virtual void on_response(payload::Transaction& transaction);
  // Called when the last flit of a message arrives: `message.time` = now. Default: handles the message after
  // overhead_ns. SRAM overrides it, because it serves one message at a time.
  virtual void on_arrival(const FlitStream& message);

  // Sends the response leg of a request that ended here at absolute time `at` >= now(); read data is offered
  // contiguously. transaction.status holds the result.
  void respond(payload::Transaction& transaction, TimeFs at);

 private:
  // A whole message offered to an out-edge, in order of (time, arrival key).
  struct Offer {
    TimeFs at = 0_fs;
    ArrivalKey key;
    payload::Transaction* transaction = nullptr;
    payload::Leg leg = payload::Leg::request;
    std::uint16_t hop = 0;
    std::uint16_t port = 0;
    FirstWire order{};
    std::uint16_t lane = 0;

    struct ByTurn {
      std::pair<TimeFs, ArrivalKey> operator()(const Offer& offer) const { return {offer.at, offer.key}; }
    };
  };

  void on_flits(FlitStream& flits) final;
  void on_message(payload::Transaction& transaction, const FlitStream& message) final;
  void on_rollback(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg, std::uint32_t first) final;
  void roll_back(const FlitStream& flits) final;
  void on_event(TimeFs now, std::uint64_t argument) final;

  void handle(const FlitStream& message);
  void insert_arrival(const FlitStream& message);
  void log_arrival(const FlitStream& message) const;
  void insert_offer(const Offer& offer);
  void send_offer(const Offer& offer);
  void send_in_turn(const FlitStream& stream);
  void wake_at(TimeFs at);
  void schedule_wake();

  TimeFs overhead_;
  SortedQueue<FlitStream, StreamKey> arrivals_;  // last flits and zero-byte messages that have not arrived yet
  SlidingDeque<FlitStream> handling_;            // arrived, during overhead_ns
  SortedQueue<Offer, Offer::ByTurn> offers_;
  std::uint64_t offer_count_ = 0;
  TimeFs wake_time_ = kNever;
  std::unique_ptr<WireLanes> lanes_;  // null: all messages in the order of the offers
  std::uint16_t lane_port_ = 0;
  std::vector<payload::Transaction*> issued_;  // without a response; transaction.initiator_slot is the index
};

}  // namespace kb::modules
