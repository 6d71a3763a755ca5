#include "sim/findings/message_waits.h"

#include <algorithm>

namespace kb::sim {

MessageWaits::MessageWaits(const std::vector<MessageReceive>& receives, const topology::Graph& graph) : graph_(graph) {
  for (const MessageReceive& one : receives) received_[graph.node(one.receiver).pe_coord()].push_back(&one);
  for (auto& [pe, of_pe] : received_) {
    std::stable_sort(of_pe.begin(), of_pe.end(),
                     [](const MessageReceive* a, const MessageReceive* b) { return a->end < b->end; });
  }
}

std::optional<MessageWaits::Peer> MessageWaits::most_awaited(const PeCoord& pe, TimeFs begin, TimeFs end) const {
  const auto of_pe = received_.find(pe);
  if (of_pe == received_.end()) return std::nullopt;
  const auto first = std::upper_bound(of_pe->second.begin(), of_pe->second.end(), begin,
                                      [](TimeFs time, const MessageReceive* one) { return time < one->end; });
  std::map<NodeId, Peer> senders;  // so that the order of equal ones is that of the machine
  for (auto at = first; at != of_pe->second.end() && (*at)->end <= end; ++at) {
    const MessageReceive& receive = **at;
    Peer& peer = senders[receive.sender];
    peer.sender = graph_.node(receive.sender).pe_coord();
    peer.time += receive.end - std::max(begin, receive.start);
    ++peer.messages;
  }
  std::optional<Peer> most;
  for (const auto& [node, peer] : senders) {
    if (!most || peer.time > most->time) most = peer;
  }
  return most;
}

}  // namespace kb::sim
