// The waits of a run for messages between PEs, by receiving PE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/contract/barrier_scope.h"
#include "platform/topology/graph.h"

namespace kb::sim {

// A receive of a message.
struct MessageReceive {
  NodeId receiver, sender;  // their blocks
  TimeFs start = 0_fs, end = 0_fs;
  TimeFs sent = 0_fs;     // start of the message's send
  TimeFs arrived = 0_fs;  // arrival in its slot

  // Whether the receiver waited for the message, and not the message for its receiver.
  bool is_late() const { return arrived > start; }
};

// A send that waited for a free slot.
struct SlotWait {
  NodeId at;
  std::uint64_t slot = 0;  // its address
  TimeFs start = 0_fs, end = 0_fs;
};

// A PE's wait at a barrier.
struct BarrierWait {
  NodeId at;
  contract::BarrierScope scope = contract::BarrierScope::cube;
  TimeFs start = 0_fs, end = 0_fs;
};

class MessageWaits {
 public:
  // `receives` must outlive this object, and so must `slot_waits`.
  MessageWaits(const std::deque<MessageReceive>& receives, const topology::Graph& graph,
               const std::deque<SlotWait>& slot_waits = {});

  // The PE for whose messages `pe` waited longest within [begin, end).
  struct Peer {
    PeCoord sender;
    TimeFs time = 0_fs;  // time with at least one pending receive from this PE
    std::size_t messages = 0;
  };
  std::optional<Peer> most_awaited(const PeCoord& pe, TimeFs begin, TimeFs end) const;

  // The chain of waits of `pe` back to its origin: the last message that it waited for within [begin, end), then the
  // last message that the sender had waited for before its send, and so on. It ends at messages from before `begin`.
  std::vector<const MessageReceive*> chain(const PeCoord& pe, TimeFs begin, TimeFs end) const;

  // The receives of `pe` that end within (begin, end] and found their message in its slot: they take the time of the
  // slot and the credit.
  std::vector<const MessageReceive*> prompt_receives(const PeCoord& pe, TimeFs begin, TimeFs end) const;
  // All receives of `pe` that end within (begin, end].
  std::vector<const MessageReceive*> receives(const PeCoord& pe, TimeFs begin, TimeFs end) const;
  // Time within [begin, end) in which at least one send of `pe` waited for a free slot.
  TimeFs waited_for_slots(const PeCoord& pe, TimeFs begin, TimeFs end) const;

 private:
  using Received = std::vector<const MessageReceive*>;
  using Sent = std::vector<const SlotWait*>;

  const topology::Graph& graph_;
  std::map<PeCoord, Received> received_;  // in the order of their ends
  std::map<PeCoord, Sent> sent_;          // likewise
};

}  // namespace kb::sim
