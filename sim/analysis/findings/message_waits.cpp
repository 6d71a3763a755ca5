#include "sim/analysis/findings/message_waits.h"

#include <algorithm>

#include "sim/analysis/findings/time_union.h"

namespace kb::sim {

namespace {

// The last waiting receive that ended at `time` or before.
template <typename Received>
const MessageReceive* last_late(const Received& received, TimeFs time) {
  auto at = std::upper_bound(received.begin(), received.end(), time,
                             [](TimeFs before, const MessageReceive* one) { return before < one->end; });
  while (at != received.begin()) {
    --at;
    if ((*at)->arrived > (*at)->start) return *at;
  }
  return nullptr;
}

}  // namespace

MessageWaits::MessageWaits(const std::deque<MessageReceive>& receives, const topology::Graph& graph) : graph_(graph) {
  std::vector<std::vector<const MessageReceive*>> by_node(graph.nodes.size());
  for (const MessageReceive& one : receives) by_node[one.receiver.value].push_back(&one);
  const auto ends_before = [](const MessageReceive* a, const MessageReceive* b) { return a->end < b->end; };
  for (std::size_t node = 0; node < by_node.size(); ++node) {
    std::vector<const MessageReceive*>& received = by_node[node];
    if (received.empty()) continue;
    if (!std::is_sorted(received.begin(), received.end(), ends_before))
      std::stable_sort(received.begin(), received.end(), ends_before);
    received_[graph.nodes[node].pe_coord()] = std::move(received);
  }
}

std::optional<MessageWaits::Peer> MessageWaits::most_awaited(const PeCoord& pe, TimeFs begin, TimeFs end) const {
  const auto of_pe = received_.find(pe);
  if (of_pe == received_.end()) return std::nullopt;
  const auto first = std::upper_bound(of_pe->second.begin(), of_pe->second.end(), begin,
                                      [](TimeFs time, const MessageReceive* one) { return time < one->end; });
  struct Awaited {
    TimeUnion time;
    std::size_t messages = 0;
  };
  std::map<NodeId, Awaited> senders;  // ordered, so that equal ones keep the order of the machine
  for (auto at = first; at != of_pe->second.end() && (*at)->end <= end; ++at) {
    const MessageReceive& receive = **at;
    Awaited& awaited = senders[receive.sender];
    awaited.time.add(std::max(begin, receive.start), receive.end);
    ++awaited.messages;
  }
  std::optional<Peer> most;
  for (auto& [node, awaited] : senders) {
    const TimeFs time = awaited.time.time();
    if (!most || time > most->time) most = {graph_.node(node).pe_coord(), time, awaited.messages};
  }
  return most;
}

std::vector<const MessageReceive*> MessageWaits::chain(const PeCoord& pe, TimeFs begin, TimeFs end) const {
  std::vector<const MessageReceive*> messages;
  PeCoord at = pe;
  for (TimeFs time = end;;) {
    const auto of_pe = received_.find(at);
    const MessageReceive* const message = of_pe == received_.end() ? nullptr : last_late(of_pe->second, time);
    if (message == nullptr || message->end <= begin) return messages;
    if (!messages.empty() && message->end >= messages.back()->end)
      return messages;  // times decrease, so that the loop ends
    messages.push_back(message);
    at = graph_.node(message->sender).pe_coord();
    time = message->sent;
  }
}

}  // namespace kb::sim
