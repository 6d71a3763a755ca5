// PE_IPCQ: from a plan to queues (section 11 of the queue chapter), and which queue is meant.
#include <fmt/format.h>

#include "modules/pe/pe_dma.h"
#include "modules/pe/pe_ipcq.h"
#include "platform/address/address_space.h"
#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/base/nearest.h"
#include "platform/elab/route_table.h"

namespace kb::modules {

Error PeIpcq::queue_error(const std::string& text) {
  return Error::program("QUEUE_ERROR", text);
}

void PeIpcq::remove() {
  for (const Queue& queue : queues_) {
    if (queue.senders.empty() && queue.receivers.empty() && queue.arrived.empty() && anybody_.empty()) continue;
    throw queue_error(fmt::format(
        "{}: queues cannot be replaced while messages are under way: {}; let the kernels that use them end first",
        node_id(), pointers(queue)));
  }
  const bool accesses = slot_access_ && slot_access_->under_way() > 0;
  if (accesses || (pe().vc_comm != nullptr && pe().vc_comm->in_flight() > 0)) {
    throw queue_error(node_id() + ": queues cannot be replaced while messages of this PE are in flight");
  }
  for (auto& [direction, probe] : credit_probes_) probe.set(now(), 0);
  queues_.clear();
  by_own_ring_.clear();
  by_peer_ring_.clear();
}

void PeIpcq::install(const contract::PeQueues& queues, const contract::QueuePlan& plan, const Senders& senders) {
  remove();
  if (pe().vc_comm == nullptr) throw Error::model(node_id() + " has no PE_DMA with a vc_comm in its PE");
  const routing::AddressResolver& resolver = context().routes.resolver();
  if (!slot_cost_) {
    slot_cost_.emplace(context(), params_, pe().vc_comm->dma_node());
    slot_access_.emplace(static_cast<SlotAccess::IUser&>(*this), pe().vc_comm->dma(), context());
  }
  if (plan.credit_bytes < 1 || plan.credit_bytes > context().graph.spec.flit_bytes()) {
    throw queue_error(fmt::format("a credit of {} bytes is not possible; give 1 to {}, one flit", plan.credit_bytes,
                                  context().graph.spec.flit_bytes()));
  }
  rules_ = plan;
  rules_.pes.clear();
  last_served_ = queues.pairs.empty() ? 0 : queues.pairs.size() - 1;
  for (const contract::QueuePair& pair : queues.pairs) {
    const std::size_t index = queues_.size();
    Queue& queue = queues_.emplace_back();
    queue.pair = pair;
    if (pair.peer) {
      queue.peer_dma = resolver.find_pe_node(pair.peer->owner, topology::NodeKind::pe_dma);
      by_peer_ring_[pair.peer->base_pa] = index;
      watch_credits(queue);
      if (index == 0) pe().vc_comm->activate(queue.peer_dma);
    }
    if (!pair.own) continue;
    by_own_ring_[pair.own->base_pa] = index;
    find_source(queue, senders);
  }
}

// A direction has one signal, however often queues are installed.
void PeIpcq::watch_credits(Queue& queue) {
  if (context().observer == nullptr) return;
  const std::string& direction = queue.pair.direction;
  const auto probe = credit_probes_.try_emplace(direction, context().observer,
                                                contract::SignalInfo{node_id(), direction, "credits", 32, {}});
  queue.credits = &probe.first->second;
  show_credits(queue);
}

void PeIpcq::show_credits(Queue& queue) {
  if (queue.credits != nullptr)
    queue.credits->set(now(), queue.pair.peer->n_slots - (queue.my_head - queue.peer_tail_cache));
}

// Whom the credits of a ring go to.
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
  for (Queue& queue : queues_) {
    if (queue.pair.direction == direction) return queue;
  }
  throw queue_error(fmt::format(
      "{} has no queue in direction '{}'; {}", pe_name(coord()), direction,
      queues_.empty() ? "no queues are installed in this PE: initialise a process group whose wiring reaches it"
                      : suggest(direction, directions())));
}

PeIpcq::Queue& PeIpcq::own_ring(std::uint64_t pa) {
  auto found = by_own_ring_.upper_bound(pa);
  if (found != by_own_ring_.begin()) {
    Queue& queue = queues_[(--found)->second];
    if (pa - found->first < queue.pair.own->nbytes()) return queue;
  }
  throw Error::model(fmt::format("{}: a message for {}, which is in no ring of this PE\n{}", node_id(),
                                 address::encoded_text(pa), pointer_table()));
}

std::vector<std::string> PeIpcq::directions() const {
  std::vector<std::string> names;
  for (const Queue& queue : queues_) names.push_back(queue.pair.direction);
  return names;
}

}  // namespace kb::modules
