// Who waited for whose messages: the receives of a run, by the PE that received.
#pragma once

#include <cstddef>
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
};

class MessageWaits {
 public:
  // `receives` outlives it.
  MessageWaits(const std::vector<MessageReceive>& receives, const topology::Graph& graph);

  // The PE whose messages `pe` waited for longest within [begin, end).
  struct Peer {
    PeCoord sender;
    TimeFs time = 0_fs;  // under way, of all receives of its messages; they may overlap
    std::size_t messages = 0;
  };
  std::optional<Peer> most_awaited(const PeCoord& pe, TimeFs begin, TimeFs end) const;

 private:
  using Received = std::vector<const MessageReceive*>;

  const topology::Graph& graph_;
  std::map<PeCoord, Received> received_;  // in the order of their ends
};

}  // namespace kb::sim
