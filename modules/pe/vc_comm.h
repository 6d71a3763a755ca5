#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "platform/elab/block.h"
#include "platform/elab/event_scheduler.h"
#include "platform/payload/messages.h"
#include "platform/payload/transaction.h"

namespace kb::modules {

class PeDma;
struct PeContext;

// Receiver of the messages of a vc_comm: PE_IPCQ.
class IMessageReceiver {
 public:
  // The last byte of a message has arrived. Returns the time at which the message will be written to its slot,
  // or no value when that is not known yet; VcComm::written(inbound) is then called later. Model Error when the slot
  // belongs to no ring of this PE.
  virtual std::optional<TimeFs> visible_at(const payload::QueueTokenMsg& token, std::uint64_t inbound) = 0;
  // The message is written: contents and arrival become visible in this call. `writer` is the sending node.
  virtual void on_arrival(std::shared_ptr<const payload::QueueTokenMsg> token, NodeId writer) = 0;
  // A credit has arrived for a ring to which this PE sends.
  virtual void on_credit(std::uint64_t ring_pa, std::uint64_t consumed) = 0;

 protected:
  ~IMessageReceiver() = default;
};

// The virtual channel of PE_DMA for messages between PEs (Q-52 .. Q-56).
//
// Models: one write transaction per message, in the order of send(), outside the channels of loads and
// stores; arrival, slot write and visibility as one step; credits that travel over the fabric.
// Timing: a message is offered to the first wire at send + overhead_ns of PE_DMA. It queues after earlier messages and
// is interleaved with the flits of stores, so that an outstanding store does not block it. It is handled
// overhead_ns after its last flit has arrived, and is visible after the slot write.
class VcComm final : private payload::IInitiator, private elab::EventHandler {
 public:
  // `pe` holds the receiver of arriving messages.
  VcComm(PeDma& dma, const PeContext& pe, elab::BlockContext& context) : dma_(dma), pe_(pe), context_(context) {}

  // Must be called before the first message: its flits alternate with the flits of stores on the first wire.
  void activate(NodeId peer);
  NodeId dma_node() const;
  PeDma& dma() { return dma_; }

  // `peer` is the PE_DMA of the receiving PE; `token.place` is that of the running kernel.
  void send(payload::QueueTokenMsg token, NodeId peer);
  // `place`: that of the consumed message.
  void send(const payload::QueueCreditMsg& credit, std::uint64_t nbytes, NodeId peer, account::PlaceId place);

  // The message with this visible_at() number is in its slot.
  void written(std::uint64_t inbound);

  // Takes an arriving request that is a message or a credit; returns false for any other request.
  bool accept(payload::Transaction& transaction);

  std::uint64_t in_flight() const { return in_flight_; }  // sent messages that have not arrived
  void collect_statistics(std::vector<elab::Statistic>& statistics) const;

 private:
  struct Posted {
    std::shared_ptr<const payload::Message> message;
    std::uint64_t address = 0;
    std::uint64_t nbytes = 0;
    account::PlaceId place;
  };
  void issue(Posted posted, NodeId peer);
  void conclude(payload::Transaction& transaction);
  bool accept_credit(payload::Transaction& transaction);
  void on_response(payload::Transaction& transaction) override;
  std::string origin(const payload::Transaction& transaction) const override;  // " (message 3 of sip0.cube0.pe0)"
  void on_event(TimeFs now, std::uint64_t slot) override;
  IMessageReceiver& receiver() const;

  PeDma& dma_;
  const PeContext& pe_;
  elab::BlockContext& context_;
  // messages that are being written to their slots; indexed by event argument
  std::vector<payload::Transaction*> inbound_;
  std::vector<std::uint64_t> free_inbound_;
  std::uint64_t in_flight_ = 0;
  std::int64_t sent_ = 0, received_ = 0, credits_ = 0;
  std::int64_t bytes_sent_ = 0;
};

}  // namespace kb::modules
