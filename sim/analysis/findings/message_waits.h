// Who waited for whose messages: the receives of a run, by the PE that received.
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
  TimeFs sent = 0_fs;     // when its message was, by the start of the send,
  TimeFs arrived = 0_fs;  // and when that was in its slot
};

class MessageWaits {
 public:
  // `receives` outlives it.
  MessageWaits(const std::deque<MessageReceive>& receives, const topology::Graph& graph);

  // The PE whose messages `pe` waited for longest within [begin, end).
  struct Peer {
    PeCoord sender;
    TimeFs time = 0_fs;  // while at least one receive of its messages was under way
    std::size_t messages = 0;
  };
  std::optional<Peer> most_awaited(const PeCoord& pe, TimeFs begin, TimeFs end) const;

  // Who made `pe` wait, back to the origin: the last message that it waited for within [begin, end), the last one that
  // the sender of that had waited for before it sent, and so on. Messages from before `begin` end the chain.
  std::vector<const MessageReceive*> chain(const PeCoord& pe, TimeFs begin, TimeFs end) const;

 private:
  using Received = std::vector<const MessageReceive*>;

  const topology::Graph& graph_;
  std::map<PeCoord, Received> received_;  // in the order of their ends
};

}  // namespace kb::sim
