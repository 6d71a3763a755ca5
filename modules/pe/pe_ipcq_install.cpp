// PE_IPCQ: installation of queues (Q-75 .. Q-83), look-up of queues, and waits.
#include <fmt/format.h>

#include <algorithm>

#include "modules/pe/pe_dma.h"
#include "modules/pe/pe_ipcq.h"
#include "platform/address/address_space.h"
#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/base/nearest.h"
#include "platform/contract/queues.h"
#include "platform/elab/route_table.h"

namespace kb::modules {

Error PeIpcq::queue_error(const std::string& text) {
  return Error::program("QUEUE_ERROR", text);
}

namespace {

bool same_ring(const std::optional<contract::QueueRing>& a, const std::optional<contract::QueueRing>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->base_pa == b->base_pa && a->n_slots == b->n_slots && a->slot_size == b->slot_size && a->owner == b->owner;
}

bool same_rules(const contract::QueuePlan& a, const contract::QueuePlan& b) {
  return a.backpressure == b.backpressure && a.poll_interval == b.poll_interval && a.credit_bytes == b.credit_bytes &&
         a.credit == b.credit && a.slot_access == b.slot_access;
}

}  // namespace

void PeIpcq::remove() {
  remove_all_but({}, {});
}

// Keeps queues that are also in the new plan.
void PeIpcq::remove_all_but(const std::vector<contract::QueuePair>& kept, const Senders& senders) {
  std::vector<Queue*> gone;
  for (Queue& queue : queues_) {
    if (!queue.installed()) continue;
    const auto stays = [&](const contract::QueuePair& pair) {
      if (pair.direction != queue.pair.direction || !same_ring(pair.own, queue.pair.own)) return false;
      if (!same_ring(pair.peer, queue.pair.peer)) return false;
      const auto sender = pair.own ? senders.find(pair.own->base_pa) : senders.end();
      return !pair.own || (sender != senders.end() && sender->second == queue.source);
    };
    if (std::any_of(kept.begin(), kept.end(), stays)) continue;
    if (!queue.idle() || !any_direction_.empty()) {
      throw queue_error(fmt::format(
          "{}: queues cannot be replaced while messages are under way: {}; let the kernels that use them end first",
          node_id(), queue.pointers()));
    }
    gone.push_back(&queue);
  }
  for (Queue* const queue : gone) {
    if (queue->credits != nullptr) queue->credits->set(now(), 0);
    queues_.remove(*queue);
  }
}

void PeIpcq::install(const contract::PeQueues& queues, const contract::QueuePlan& plan, const Senders& senders) {
  if (pe().vc_comm == nullptr) throw Error::model(node_id() + " has no PE_DMA with a vc_comm in its PE");
  if (!slot_cost_) {
    slot_cost_.emplace(context(), params_, pe().vc_comm->dma_node());
    slot_access_.emplace(static_cast<SlotAccess::IUser&>(*this), pe().vc_comm->dma(), context());
  }
  if (plan.credit_bytes < 1 || plan.credit_bytes > context().graph.spec.flit_bytes()) {
    throw queue_error(fmt::format("a credit of {} bytes is not possible; give 1 to {}, one flit", plan.credit_bytes,
                                  context().graph.spec.flit_bytes()));
  }
  remove_all_but(same_rules(plan, rules_) ? queues.pairs : std::vector<contract::QueuePair>(), senders);
  const bool first = queues_.empty();
  rules_ = plan;
  rules_.pes.clear();
  if (first) last_served_ = queues.pairs.empty() ? 0 : queues.pairs.size() - 1;
  for (const contract::QueuePair& pair : queues.pairs) {
    if (queues_.in_direction(pair.direction) == nullptr) add_queue(pair, senders);
  }
}

void PeIpcq::add_queue(const contract::QueuePair& pair, const Senders& senders) {
  const bool first = queues_.empty();
  Queue& queue = queues_.add(pair);
  if (pair.peer) {
    queue.peer_dma = context().routes.resolver().find_pe_node(pair.peer->owner, topology::NodeKind::pe_dma);
    watch_credits(queue);
    if (first) pe().vc_comm->activate(queue.peer_dma);
  }
  if (pair.own) find_source(queue, senders);
}

// A direction has one signal, even when queues are installed several times.
void PeIpcq::watch_credits(Queue& queue) {
  if (context().observer == nullptr) return;
  const std::string& direction = queue.pair.direction;
  const auto probe = credit_probes_.try_emplace(direction, context().observer,
                                                contract::SignalInfo{node_id(), direction, "credits", 32, {}});
  queue.credits = &probe.first->second;
  show_credits(queue);
}

void PeIpcq::show_credits(Queue& queue) {
  if (queue.credits != nullptr) queue.credits->set(now(), queue.free_slots());
}

// Finds the destination of a ring's credits.
void PeIpcq::find_source(Queue& queue, const Senders& senders) {
  const auto sender = senders.find(queue.pair.own->base_pa);
  const PeContext* const from = sender == senders.end() ? nullptr : PeContext::find(sender->second, context());
  if (from == nullptr || from->queues == nullptr) {
    throw queue_error(
        fmt::format("nobody sends into the ring of {} in direction '{}'", pe_name(coord()), queue.pair.direction));
  }
  queue.source = sender->second;
  queue.credited = from->queues;
  queue.source_dma = context().routes.resolver().find_pe_node(queue.source, topology::NodeKind::pe_dma);
}

PeIpcq::Queue& PeIpcq::queue_of(const CommandTask& task) {
  const std::string& direction = task.command->direction;
  if (Queue* const queue = queues_.in_direction(direction)) return *queue;
  throw queue_error(fmt::format(
      "{} has no queue in direction '{}'; {}", pe_name(coord()), direction,
      queues_.empty() ? "no queues are installed in this PE: initialise a process group whose wiring reaches it"
                      : suggest(direction, queues_.directions())));
}

PeIpcq::Queue& PeIpcq::own_ring(std::uint64_t pa) {
  if (Queue* const queue = queues_.of_own_ring(pa)) return *queue;
  throw Error::model(fmt::format("{}: a message for {}, which is in no ring of this PE\n{}", node_id(),
                                 address::encoded_text(pa), pointer_table()));
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
                       queue.pointers()});
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
                       queue.pointers() + queues_.unread_in_other_queues(queue)});
    }
    if (queue.pair.own) anybody.push_back(queue.source);
  }
  for (std::size_t i = 0; i < any_direction_.size(); ++i) {
    waits.push_back(
        {who(any_direction_[i]), "a message from any direction", any_direction_[i].since, coord(), anybody});
  }
}

}  // namespace kb::modules
