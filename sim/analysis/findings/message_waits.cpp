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
    if ((*at)->is_late()) return *at;
  }
  return nullptr;
}

template <typename Wait>
bool ends_before(const Wait* a, const Wait* b) {
  return a->end < b->end;
}

// Waits by PE, each in the order of their ends; `node_of(wait)` is where it is.
template <typename Wait, typename NodeOf>
std::map<PeCoord, std::vector<const Wait*>> by_pe(const std::deque<Wait>& waits, const topology::Graph& graph,
                                                  NodeOf node_of) {
  std::vector<std::vector<const Wait*>> by_node(graph.nodes.size());
  for (const Wait& one : waits) by_node[node_of(one).value].push_back(&one);
  std::map<PeCoord, std::vector<const Wait*>> sorted;
  for (std::size_t node = 0; node < by_node.size(); ++node) {
    std::vector<const Wait*>& list = by_node[node];
    if (list.empty()) continue;
    if (!std::is_sorted(list.begin(), list.end(), ends_before<Wait>))
      std::stable_sort(list.begin(), list.end(), ends_before<Wait>);
    sorted[graph.nodes[node].pe_coord()] = std::move(list);
  }
  return sorted;
}

// The first wait that ends after `time`.
template <typename Wait>
auto first_after(const std::vector<const Wait*>& waits, TimeFs time) {
  return std::upper_bound(waits.begin(), waits.end(), time,
                          [](TimeFs before, const Wait* one) { return before < one->end; });
}

}  // namespace

MessageWaits::MessageWaits(const std::deque<MessageReceive>& receives, const topology::Graph& graph,
                           const std::deque<SlotWait>& slot_waits)
    : graph_(graph),
      received_(by_pe(receives, graph, [](const MessageReceive& one) { return one.receiver; })),
      sent_(by_pe(slot_waits, graph, [](const SlotWait& one) { return one.at; })) {}

std::optional<MessageWaits::Peer> MessageWaits::most_awaited(const PeCoord& pe, TimeFs begin, TimeFs end) const {
  const auto of_pe = received_.find(pe);
  if (of_pe == received_.end()) return std::nullopt;
  const auto first = first_after(of_pe->second, begin);
  struct Awaited {
    TimeUnion time;
    std::size_t messages = 0;
  };
  std::map<NodeId, Awaited> senders;  // ordered, so that equal ones keep the order of the machine
  for (auto at = first; at != of_pe->second.end() && (*at)->end <= end; ++at) {
    const MessageReceive& receive = **at;
    if (receive.start == receive.end) continue;
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

std::vector<const MessageReceive*> MessageWaits::prompt_receives(const PeCoord& pe, TimeFs begin, TimeFs end) const {
  std::vector<const MessageReceive*> prompt = receives(pe, begin, end);
  prompt.erase(std::remove_if(prompt.begin(), prompt.end(), [](const MessageReceive* one) { return one->is_late(); }),
               prompt.end());
  return prompt;
}

std::vector<const MessageReceive*> MessageWaits::receives(const PeCoord& pe, TimeFs begin, TimeFs end) const {
  const auto of_pe = received_.find(pe);
  if (of_pe == received_.end()) return {};
  const auto first = first_after(of_pe->second, begin);
  return {first, std::find_if(first, of_pe->second.end(), [end](const MessageReceive* one) { return one->end > end; })};
}

TimeFs MessageWaits::waited_for_slots(const PeCoord& pe, TimeFs begin, TimeFs end) const {
  const auto of_pe = sent_.find(pe);
  if (of_pe == sent_.end()) return 0_fs;
  TimeUnion waited;
  for (auto at = first_after(of_pe->second, begin); at != of_pe->second.end() && (*at)->start < end; ++at) {
    waited.add(std::max(begin, (*at)->start), std::min(end, (*at)->end));
  }
  return waited.time();
}

}  // namespace kb::sim
