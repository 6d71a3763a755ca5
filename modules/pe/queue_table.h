// The message queues of one PE with their pointers and look-up tables.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/fabric/sliding_deque.h"
#include "modules/pe/command_task.h"
#include "modules/pe/probe.h"
#include "platform/contract/i_queue_endpoint.h"
#include "platform/contract/queues.h"
#include "platform/elab/block.h"
#include "platform/payload/messages.h"

namespace kb::modules {

// One direction. All counters count messages since the installation.
struct MessageQueue {
  using Token = std::shared_ptr<const payload::QueueTokenMsg>;
  struct Waiting {
    CommandTask* task = nullptr;
    TimeFs since = 0_fs;
  };
  struct Write {  // an arrived message that is being written into its slot
    std::uint64_t slot_pa = 0, nbytes = 0;
    std::uint64_t inbound = 0;  // number that VcComm gave the message
    TimeFs since = 0_fs;        // start of the write
    account::PlaceId place{};   // the message's
  };
  enum class Receiving : std::uint8_t { no, reading, crediting };

  contract::QueuePair pair;
  std::uint64_t my_head = 0;          // number of sent messages
  std::uint64_t peer_tail_cache = 0;  // number of sent messages that are known to be consumed
  std::uint64_t my_tail = 0;          // number of messages consumed here
  std::uint64_t peer_head_cache = 0;  // number of messages that arrived here

  std::vector<Token> arrived;  // arrived and not consumed; at most one per slot of the ring
  SlidingDeque<Waiting> senders;
  SlidingDeque<Waiting> receivers;  // posted receives; the front one is in service unless `receiving` is no
  Receiving receiving = Receiving::no;
  TimeFs slot_written = 0_fs;  // end of the latest slot write (Q-61: one write at a time per queue)
  SlidingDeque<Write> writes;  // used only with slots on the fabric; the front one is in progress

  NodeId peer_dma;    // PE_DMA of the PE that owns `pair.peer`: destination of messages
  PeCoord source;     // PE that sends into `pair.own`
  NodeId source_dma;  // PE_DMA of `source`: destination of credits
  contract::IQueueEndpoint* credited = nullptr;
  Probe* credits = nullptr;              // signal of the known free slots of the peer's ring; null without a peer
  std::optional<TimeFs> credit_latency;  // computed at the first credit, because routing is slow on a large machine

  std::int64_t sent_bytes = 0, received_bytes = 0;
  TimeFs send_wait = 0_fs, receive_wait = 0_fs;

  // True when no message, credit or command is in flight.
  bool idle() const {
    return senders.empty() && receivers.empty() && arrived.empty() && writes.empty() && my_head == peer_tail_cache;
  }
  bool installed() const { return pair.own || pair.peer; }
  std::uint64_t free_slots() const { return pair.peer->n_slots - (my_head - peer_tail_cache); }
  // "'E': sent 4, 1 of them consumed, into 4 slots at sip0.cube1.pe0 PE_TCM +0x1000; arrived ..."
  std::string pointers() const;
};

// An index is valid while its queue is installed; statistics of a direction survive it. Iteration and size() include
// free places of removed queues.
class QueueTable {
 public:
  MessageQueue& add(const contract::QueuePair& pair);
  void remove(MessageQueue& queue);

  bool empty() const;
  std::size_t size() const { return queues_.size(); }
  MessageQueue& operator[](std::size_t index) { return queues_[index]; }
  std::vector<MessageQueue>::iterator begin() { return queues_.begin(); }
  std::vector<MessageQueue>::iterator end() { return queues_.end(); }
  std::vector<MessageQueue>::const_iterator begin() const { return queues_.begin(); }
  std::vector<MessageQueue>::const_iterator end() const { return queues_.end(); }
  std::size_t index_of(const MessageQueue& queue) const { return static_cast<std::size_t>(&queue - queues_.data()); }

  // Look-ups return null when there is no such queue. `pa` may be any address in a ring of this PE; `base_pa` is the
  // first address of a peer's ring.
  MessageQueue* in_direction(const std::string& direction);
  MessageQueue* of_own_ring(std::uint64_t pa);
  MessageQueue* into_ring(std::uint64_t base_pa);

  std::vector<std::string> directions() const;
  // Pointers of all queues, one line each.
  std::string table() const;
  // Text about messages in other queues, which a kernel that waits for this queue does not see.
  std::string unread_in_other_queues(const MessageQueue& listened) const;
  void collect_unconsumed(const PeCoord& pe, std::vector<std::string>& leftovers) const;
  void collect_statistics(std::vector<elab::Statistic>& statistics) const;

 private:
  struct Counts {
    std::string direction;
    std::int64_t sent = 0, sent_bytes = 0, received = 0, received_bytes = 0;
    TimeFs send_wait = 0_fs, receive_wait = 0_fs;
    void add(const MessageQueue& queue);
  };
  static Counts& counts_of(std::vector<Counts>& all, const std::string& direction);

  std::vector<MessageQueue> queues_;
  std::vector<Counts> removed_;                                      // statistics of removed queues, by direction
  std::map<std::uint64_t, std::size_t> by_own_ring_, by_peer_ring_;  // base address -> queue
};

}  // namespace kb::modules
