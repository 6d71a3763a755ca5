#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/pe/pe_links.h"
#include "modules/pe/probe.h"
#include "modules/pe/queue_table.h"
#include "modules/pe/slot_access.h"
#include "modules/pe/slot_cost.h"
#include "modules/pe/vc_comm.h"
#include "platform/base/error.h"
#include "platform/contract/i_queue_endpoint.h"
#include "platform/contract/queues.h"
#include "platform/elab/i_queue_control.h"
#include "platform/params/pe_ipcq_params.h"

namespace kb::modules {

// Controls this PE's message queues: pointers, flow control and the wake-up of waiting kernels. PE_DMA's
// vc_comm moves the message contents.
//
// Models: the four counters of Q-14 per direction. A send waits while the peer's ring is full and is done when PE_DMA
// has its token. A receive takes the oldest message, pays the slot read, and is done when its credit has
// reached the sender. Receives of one direction are served one at a time, in posting order. A receive
// without a direction checks the directions in round robin, beginning after the last served one. Arrivals and
// credits are matched by ring address only.
//
// Does not model: message contents, and cycles of the bookkeeping beyond overhead_ns.
//
// Timing: a command takes effect at its arrival + overhead_ns. In poll mode a blocked sender continues at the next
// multiple of the poll interval after it began to wait. A credit takes the latency of the route from PE_DMA to PE_DMA,
// plus credit_bytes on every wire, without occupying the wires; with credits on the fabric it is a transaction of that
// size.
class PeIpcq final : public PeBlock,
                     public contract::IQueueEndpoint,
                     public elab::IQueueControl,
                     private IMessageReceiver,
                     private SlotAccess::IUser,
                     private elab::EventHandler {
 public:
  PeIpcq(const sc_core::sc_module_name& name, NodeId node, const params::PeIpcqParams& params, PeContext& pe,
         elab::BlockContext& context);

  void install(const contract::PeQueues& queues, const contract::QueuePlan& plan, const Senders& senders) override;
  void remove() override;

  void collect_statistics(std::vector<elab::Statistic>& statistics) const override {
    queues_.collect_statistics(statistics);
  }
  // Messages that have arrived and were never received.
  void collect_unconsumed(std::vector<std::string>& leftovers) const override {
    queues_.collect_unconsumed(coord(), leftovers);
  }
  // Blocked sends and receives, with the pointers of their queue.
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 private:
  using Queue = MessageQueue;
  using Token = MessageQueue::Token;
  using Waiting = MessageQueue::Waiting;
  using Write = MessageQueue::Write;
  using Receiving = MessageQueue::Receiving;
  enum class Event : std::uint8_t { command, poll, slot_read, credit };

  // PeLinks
  void on_task(CommandTask& task) override;
  // IMessageReceiver
  std::optional<TimeFs> visible_at(const payload::QueueTokenMsg& token, std::uint64_t inbound) override;
  void on_arrival(Token token, NodeId writer) override;
  // contract::IQueueEndpoint and IMessageReceiver
  void on_credit(std::uint64_t ring_pa, std::uint64_t consumed) override;
  void on_credit_delivered(std::uint64_t ring_pa) override;
  void on_slot_accessed(payload::Op op, std::size_t queue) override;
  void on_event(TimeFs now, std::uint64_t argument) override;
  void schedule(TimeFs at, Event event, std::size_t queue);

  void begin(CommandTask& task);
  void begin_send(CommandTask& task);
  void begin_receive(CommandTask& task);
  Queue& queue_of(const CommandTask& task);
  void watch_credits(Queue& queue);
  void show_credits(Queue& queue);
  void transmit(Queue& queue, const Waiting& send);
  void send_waiting(Queue& queue);
  TimeFs next_poll(const Waiting& sender) const;
  void poll(Queue& queue);
  bool slots_on_fabric(const Queue& queue) const;
  void begin_write(Queue& queue);
  void read_slot(Queue& queue, const payload::QueueTokenMsg& token, account::PlaceId place);
  void serve(Queue& queue);
  void serve_anybody();
  void slot_read(Queue& queue);
  void finish_receive(Queue& queue);
  void remove_all_but(const std::vector<contract::QueuePair>& kept, const Senders& senders);
  void add_queue(const contract::QueuePair& pair, const Senders& senders);
  void find_source(Queue& queue, const Senders& senders);
  TimeFs credit_latency(Queue& queue);
  std::vector<Extent> resolved(const CommandTask& task) const;
  const PeCoord& coord() { return pe().coord; }
  const PeCoord& coord() const { return pe().coord; }
  void complete(CommandTask& task);
  void fail(CommandTask& task, const Error& error);
  static Error queue_error(const std::string& text);

  Queue& own_ring(std::uint64_t pa);
  std::size_t index_of(const Queue& queue) const { return queues_.index_of(queue); }
  std::string pointer_table() const { return "queues of " + node_id() + ":" + queues_.table(); }

  params::PeIpcqParams params_;
  TimeFs overhead_;
  std::optional<SlotCost> slot_cost_;
  std::optional<SlotAccess> slot_access_;
  contract::QueuePlan rules_;  // the plan without its queues
  QueueTable queues_;
  std::map<std::string, Probe> credit_probes_;  // per direction; they survive the installation of a new plan
  SlidingDeque<CommandTask*> commands_;         // commands during overhead_ns
  SlidingDeque<Waiting> any_direction_;         // receives without a direction
  std::size_t last_served_ = 0;
};

}  // namespace kb::modules
