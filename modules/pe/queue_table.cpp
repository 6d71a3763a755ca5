#include "modules/pe/queue_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/address/phys_addr.h"
#include "platform/base/names.h"

namespace kb::modules {

std::string MessageQueue::pointers() const {
  const auto slots = [](const contract::QueueRing& ring) {
    return fmt::format("{} slots at {}", ring.n_slots, address::PhysAddr::decode(ring.base_pa).to_string());
  };
  std::string text = fmt::format("'{}': ", pair.direction);
  if (pair.peer) {
    text += fmt::format("sent {}, {} of them consumed, into {}", my_head, peer_tail_cache, slots(*pair.peer));
  }
  if (pair.peer && pair.own) text += "; ";
  if (pair.own) {
    text += fmt::format("arrived {}, {} of them received, in {}", peer_head_cache, my_tail, slots(*pair.own));
  }
  return text;
}

MessageQueue& QueueTable::add(const contract::QueuePair& pair) {
  auto place = std::find_if(queues_.begin(), queues_.end(), [](const MessageQueue& q) { return !q.installed(); });
  if (place == queues_.end()) place = queues_.emplace(queues_.end());
  const std::size_t index = index_of(*place);
  place->pair = pair;
  if (pair.peer) by_peer_ring_[pair.peer->base_pa] = index;
  if (pair.own) by_own_ring_[pair.own->base_pa] = index;
  return *place;
}

void QueueTable::remove(MessageQueue& queue) {
  if (queue.my_head + queue.peer_head_cache > 0) counts_of(removed_, queue.pair.direction).add(queue);
  if (queue.pair.peer) by_peer_ring_.erase(queue.pair.peer->base_pa);
  if (queue.pair.own) by_own_ring_.erase(queue.pair.own->base_pa);
  queue = MessageQueue();
}

bool QueueTable::empty() const {
  return std::none_of(queues_.begin(), queues_.end(), [](const MessageQueue& queue) { return queue.installed(); });
}

MessageQueue* QueueTable::in_direction(const std::string& direction) {
  for (MessageQueue& queue : queues_) {
    if (queue.pair.direction == direction) return &queue;
  }
  return nullptr;
}

MessageQueue* QueueTable::of_own_ring(std::uint64_t pa) {
  auto found = by_own_ring_.upper_bound(pa);
  if (found == by_own_ring_.begin()) return nullptr;
  MessageQueue& queue = queues_[(--found)->second];
  return pa - found->first < queue.pair.own->nbytes() ? &queue : nullptr;
}

MessageQueue* QueueTable::into_ring(std::uint64_t base_pa) {
  const auto found = by_peer_ring_.find(base_pa);
  return found == by_peer_ring_.end() ? nullptr : &queues_[found->second];
}

std::vector<std::string> QueueTable::directions() const {
  std::vector<std::string> names;
  for (const MessageQueue& queue : queues_) {
    if (queue.installed()) names.push_back(queue.pair.direction);
  }
  return names;
}

std::string QueueTable::table() const {
  std::string text;
  for (const MessageQueue& queue : queues_) {
    if (queue.installed()) text += "\n  " + queue.pointers();
  }
  return text;
}

std::string QueueTable::unread_in_other_queues(const MessageQueue& listened) const {
  std::string text;
  for (const MessageQueue& queue : queues_) {
    if (&queue == &listened || queue.arrived.empty()) continue;
    text += fmt::format("; unread here: {} from {} in direction '{}'", queue.arrived.size(), pe_name(queue.source),
                        queue.pair.direction);
  }
  return text;
}

void QueueTable::collect_unconsumed(const PeCoord& pe, std::vector<std::string>& leftovers) const {
  for (const MessageQueue& queue : queues_) {
    const std::uint64_t left = queue.peer_head_cache - queue.my_tail;
    if (left == 0) continue;
    leftovers.push_back(
        fmt::format("{} message{} from {} in direction '{}' of {} w{} never received; the next kernel "
                    "that receives there would get {} first",
                    left, left == 1 ? "" : "s", pe_name(queue.source), queue.pair.direction, pe_name(pe),
                    left == 1 ? "as" : "ere", left == 1 ? "it" : "them"));
  }
}

void QueueTable::Counts::add(const MessageQueue& queue) {
  sent += static_cast<std::int64_t>(queue.my_head);
  sent_bytes += queue.sent_bytes;
  send_wait += queue.send_wait;
  received += static_cast<std::int64_t>(queue.my_tail);
  received_bytes += queue.received_bytes;
  receive_wait += queue.receive_wait;
}

QueueTable::Counts& QueueTable::counts_of(std::vector<Counts>& all, const std::string& direction) {
  for (Counts& counts : all) {
    if (counts.direction == direction) return counts;
  }
  all.emplace_back().direction = direction;
  return all.back();
}

void QueueTable::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  std::vector<Counts> all = removed_;
  for (const MessageQueue& queue : queues_) {
    if (queue.my_head + queue.peer_head_cache > 0) counts_of(all, queue.pair.direction).add(queue);
  }
  for (const Counts& counts : all) {
    const std::string name = counts.direction + ".";
    statistics.push_back({name + "sent", counts.sent, "1"});
    statistics.push_back({name + "sent_bytes", counts.sent_bytes, "B"});
    statistics.push_back({name + "send_wait", counts.send_wait});
    statistics.push_back({name + "received", counts.received, "1"});
    statistics.push_back({name + "received_bytes", counts.received_bytes, "B"});
    statistics.push_back({name + "receive_wait", counts.receive_wait});
  }
}

}  // namespace kb::modules
