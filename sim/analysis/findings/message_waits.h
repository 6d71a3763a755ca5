// The waits of a run for messages between PEs, by receiving PE.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/topology/graph.h"

namespace kb::sim {

// A receive that took time.
struct MessageReceive {
  NodeId receiver, sender;  // their blocks
  TimeFs start = 0_fs, end = 0_fs;
  TimeFs sent = 0_fs;     // start of the message's send
  TimeFs arrived = 0_fs;  // arrival in its slot
};

class MessageWaits {
 public:
  // `receives` must outlive this object.
  MessageWaits(const std::deque<MessageReceive>& receives, const topology::Graph& graph);

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

 private:
  using Received = std::vector<const MessageReceive*>;

  const topology::Graph& graph_;
  std::map<PeCoord, Received> received_;  // in the order of their ends
};

}  // namespace kb::sim
