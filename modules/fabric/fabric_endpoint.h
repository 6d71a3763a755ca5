// A node where messages begin, end or are stored and forwarded whole: PCIE_EP, IO_CPU, M_CPU, SRAM, PE_DMA, PE_CPU.
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
// offers to the out-edge, transit of messages that are not for this node, initiation and completion of transactions.
// Timing of a message whose last flit arrives at t: handled (or offered to the next edge) at t + overhead_ns. Messages
// handled at one time keep their arrival order; what is issued here goes before what passes through.
// Derived blocks override on_request (a message for this node) and on_response (the answer to its own request).
class FabricEndpoint : public FabricNode, public elab::IRequestSource, private elab::EventHandler {
 public:
  // How a message takes its turn on the first wire. `fifo`: behind everything offered before. `slip`: a zero-byte
  // command leaves at the end of the flit in transfer (round-robin between the DMA channels of a PE).
  enum class FirstWire : std::uint8_t { fifo, slip };

  FabricEndpoint(const sc_core::sc_module_name& name, NodeId node, TimeFs overhead, elab::BlockContext& context);

  // From now on the messages issued here share the wire of a port in lanes, in turns flit by flit (WireLanes). Only one
  // port can have lanes.
  void use_lanes(std::uint16_t port);

  // Offers the request leg of a transaction whose route starts here to the first wire at absolute time `at` >= now().
  // Calls at one time keep their order. The caller owns the transaction and releases it after on_response. `lane`: 0 or
  // 1, of flits, where lanes are used.
  void issue(payload::Transaction& transaction, TimeFs at, FirstWire order = FirstWire::fifo, std::uint16_t lane = 0);

  // A posted request that was issued here has ended where its route ends; no response will come.
  void retire(const payload::Transaction& transaction);

  void inject(payload::Transaction& transaction, TimeFs at) override { issue(transaction, at); }
  TimeFs overhead() const override { return overhead_; }

  // Default: the requests issued here that have no response yet.
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 protected:
  // A request whose route ends here arrived completely at `arrived` (raw arrival of the last flit); called at
  // arrived + overhead_ns = now. Default: answers with status UNSUPPORTED_REQUEST.
  virtual void on_request(payload::Transaction& transaction, TimeFs arrived);
  // The response to a transaction issued here: now = arrival + overhead_ns; `transaction.delivered` and `.completed`
  // are filled in. The block releases the transaction. Default: releases it.
  virtual void on_response(payload::Transaction& transaction);
  // A message whose last flit is here: `message.time` = now. Default: handled after overhead_ns. SRAM, which serves one
  // message at a time, overrides it.
  virtual void on_arrival(const FlitStream& message);

  // Sends the response leg of a request that ended here at absolute time `at` >= now(); read data is offered
  // contiguously. transaction.status says how it went.
  void respond(payload::Transaction& transaction, TimeFs at);

 private:
  // A whole message offered to an out-edge at a time, in order of (time, arrival key).
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
  SortedQueue<FlitStream, StreamKey> arrivals_;  // last flits and zero-byte messages still to arrive
  SlidingDeque<FlitStream> handling_;            // arrived, paying the overhead
  SortedQueue<Offer, Offer::ByTurn> offers_;
  std::uint64_t offer_count_ = 0;
  TimeFs wake_time_ = kNever;
  std::unique_ptr<WireLanes> lanes_;  // none: everything in the order of the offers
  std::uint16_t lane_port_ = 0;
  std::vector<payload::Transaction*> issued_;  // without a response yet; transaction.initiator_slot is the index
};

}  // namespace kb::modules
