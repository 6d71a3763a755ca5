// PE_IPCQ: what it says of itself.
#include <fmt/format.h>

#include "modules/pe/pe_ipcq.h"
#include "platform/address/phys_addr.h"
#include "platform/base/names.h"

namespace kb::modules {

// "'E': sent 4, 1 of them consumed, into 4 slots at sip0.cube1.pe0 PE_TCM +0x1000; arrived ..."
std::string PeIpcq::pointers(const Queue& queue) const {
  const auto slots = [](const contract::QueueRing& ring) {
    return fmt::format("{} slots at {}", ring.n_slots, address::PhysAddr::decode(ring.base_pa).to_string());
  };
  std::string text = fmt::format("'{}': ", queue.pair.direction);
  if (queue.pair.peer) {
    text += fmt::format("sent {}, {} of them consumed, into {}", queue.my_head, queue.peer_tail_cache,
                        slots(*queue.pair.peer));
  }
  if (queue.pair.peer && queue.pair.own) text += "; ";
  if (queue.pair.own) {
    text += fmt::format("arrived {}, {} of them received, in {}", queue.peer_head_cache, queue.my_tail,
                        slots(*queue.pair.own));
  }
  return text;
}

std::string PeIpcq::pointer_table() const {
  std::string text = "queues of " + node_id() + ":";
  for (const Queue& queue : queues_) text += "\n  " + pointers(queue);
  return text;
}

// What a kernel that listens to the wrong direction does not see.
std::string PeIpcq::unread_elsewhere(const Queue& listened) const {
  std::string text;
  for (const Queue& queue : queues_) {
    if (&queue == &listened || queue.arrived.empty()) continue;
    text += fmt::format("; unread here: {} from {} in direction '{}'", queue.arrived.size(), pe_name(queue.source),
                        queue.pair.direction);
  }
  return text;
}

void PeIpcq::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  const auto who = [&](const Waiting& waiting) {
    return fmt::format("{}: tl.{} #{}", node_id(), waiting.task->command->call, waiting.task->command->call_index);
  };
  std::vector<PeCoord> anybody;
  for (const Queue& queue : queues_) {
    const std::string& direction = queue.pair.direction;
    for (std::size_t i = 0; i < queue.senders.size(); ++i) {
      const PeCoord& peer = queue.pair.peer->owner;
      waits.push_back({who(queue.senders[i]),
                       fmt::format("a free slot of {} in direction '{}'", pe_name(peer), direction),
                       queue.senders[i].since,
                       coord(),
                       {peer},
                       pointers(queue)});
    }
    for (std::size_t i = 0; i < queue.receivers.size(); ++i) {
      if (i == 0 && queue.receiving != Receiving::no) {
        const char* const what = queue.receiving == Receiving::reading ? "the slot to be read" : "its credit to arrive";
        waits.push_back({who(queue.receivers[i]), what, queue.receivers[i].since, coord()});
        continue;
      }
      waits.push_back({who(queue.receivers[i]),
                       fmt::format("a message of {} in direction '{}'", pe_name(queue.source), direction),
                       queue.receivers[i].since,
                       coord(),
                       {queue.source},
                       pointers(queue) + unread_elsewhere(queue)});
    }
    if (queue.pair.own) anybody.push_back(queue.source);
  }
  for (std::size_t i = 0; i < anybody_.size(); ++i) {
    waits.push_back({who(anybody_[i]), "a message from any direction", anybody_[i].since, coord(), anybody});
  }
}

void PeIpcq::collect_leftovers(std::vector<std::string>& leftovers) const {
  for (const Queue& queue : queues_) {
    const std::uint64_t left = queue.peer_head_cache - queue.my_tail;
    if (left == 0) continue;
    leftovers.push_back(
        fmt::format("{} message{} from {} in direction '{}' of {} w{} never received; the next kernel "
                    "that receives there would get {} first",
                    left, left == 1 ? "" : "s", pe_name(queue.source), queue.pair.direction, pe_name(coord()),
                    left == 1 ? "as" : "ere", left == 1 ? "it" : "them"));
  }
}

void PeIpcq::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  for (const Queue& queue : queues_) {
    if (queue.my_head + queue.peer_head_cache == 0) continue;
    const std::string name = queue.pair.direction + ".";
    statistics.push_back({name + "sent", static_cast<std::int64_t>(queue.my_head), "1"});
    statistics.push_back({name + "sent_bytes", queue.sent_bytes, "B"});
    statistics.push_back({name + "send_wait", queue.send_wait});
    statistics.push_back({name + "received", static_cast<std::int64_t>(queue.my_tail), "1"});
    statistics.push_back({name + "received_bytes", queue.received_bytes, "B"});
    statistics.push_back({name + "receive_wait", queue.receive_wait});
  }
}

}  // namespace kb::modules
