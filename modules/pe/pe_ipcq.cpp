#include "modules/pe/pe_ipcq.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "modules/pe/pe_dma.h"
#include "platform/address/address_space.h"
#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/contract/command.h"
#include "platform/contract/i_operation_sink.h"
#include "platform/contract/i_order_observer.h"
#include "platform/contract/i_translator.h"
#include "platform/elab/route_table.h"
#include "platform/routing/latency.h"

namespace kb::modules {

using contract::CommandKind;
using MessageStep = contract::IOperationSink::MessageStep;

namespace {
constexpr unsigned kEventBits = 2;
}

PeIpcq::PeIpcq(const sc_core::sc_module_name& name, NodeId node, const params::PeIpcqParams& params, PeContext& pe,
               elab::BlockContext& context)
    : PeBlock(name, node, pe, context), params_(params), overhead_(params.overhead.time()) {
  pe.receiver = this;
  pe.queues = this;
  if (context.observer != nullptr) context.observer->announce(node_id() + ".*.credits");
}

// --- Commands

void PeIpcq::on_task(CommandTask& task) {
  if (overhead_ == 0_fs) {
    begin(task);
    return;
  }
  commands_.push_back(&task);
  schedule(now() + overhead_, Event::command, 0);
}

void PeIpcq::begin(CommandTask& task) {
  try {
    if (task.command->kind == CommandKind::ipcq_send) {
      begin_send(task);
    } else {
      begin_receive(task);
    }
  } catch (const Error& error) {
    if (error.family() == ErrorFamily::model) throw;
    fail(task, error);
  }
}

void PeIpcq::begin_send(CommandTask& task) {
  Queue& queue = queue_of(task);
  const std::uint64_t nbytes = total_bytes(task.command->local);
  if (!queue.pair.peer) {
    throw queue_error(fmt::format("direction '{}' of this PE can only receive", queue.pair.direction));
  }
  if (nbytes > queue.pair.peer->slot_size) {
    throw queue_error(
        fmt::format("a message of {} bytes does not fit a slot of {} bytes in direction '{}'; send it in "
                    "parts or enlarge slot_size in the collective configuration",
                    nbytes, queue.pair.peer->slot_size, queue.pair.direction));
  }
  const Waiting send{&task, now()};
  if (queue.senders.empty() && queue.free_slots() > 0) {
    transmit(queue, send);
  } else {
    log(contract::LogLevel::info,
        [&] { return fmt::format("waits for a free slot for {}, {}", text_of(task), format_bytes(nbytes)); });
    queue.senders.push_back(send);
  }
}

void PeIpcq::transmit(Queue& queue, const Waiting& send) {
  CommandTask& task = *send.task;
  const std::uint64_t sequence = queue.my_head;
  payload::QueueTokenMsg token{queue.pair.peer->slot_pa(sequence),
                               sequence,
                               total_bytes(task.command->local),
                               coord(),
                               queue.pair.direction,
                               task.command->place};
  std::vector<Extent> source;
  try {
    source = resolved(task);
  } catch (const Error& error) {
    if (error.family() == ErrorFamily::model) throw;
    fail(task, error);
    return;
  }
  ++queue.my_head;
  show_credits(queue);
  queue.sent_bytes += static_cast<std::int64_t>(token.nbytes);
  accumulate(queue.send_wait, now() - send.since);
  if (context().order != nullptr) context().order->message_sent(coord(), token.slot_pa);
  if (context().operations != nullptr) {
    const std::vector<Extent> in_flight{{address::message_in_flight(token.slot_pa), token.nbytes}};
    context().operations->on_message(
        node(), {MessageStep::send, source, in_flight, queue.pair.direction, sequence, task.command->place}, nullptr,
        task.submitted, now());
  }
  log(contract::LogLevel::info, [&] {
    return fmt::format("sends message {} of {} in direction '{}' to {} for {}", sequence, format_bytes(token.nbytes),
                       queue.pair.direction, pe_name(queue.pair.peer->owner), text_of(task));
  });
  pe().vc_comm->send(std::move(token), queue.peer_dma);
  complete(task);
}

// Physical extents of the kernel's side of a message.
std::vector<Extent> PeIpcq::resolved(const CommandTask& task) const {
  if (translator() == nullptr) return task.command->local;
  std::vector<Extent> physical;
  for (const Extent& extent : task.command->local) {
    const auto fault = translator()->translate(extent, physical);
    if (!fault) continue;
    throw Error::program("PAGE_FAULT",
                         fmt::format("{} is not mapped at this PE (in a message of {} bytes at {})",
                                     address::encoded_text(*fault), extent.nbytes, address::encoded_text(extent.pa)));
  }
  return physical;
}

void PeIpcq::begin_receive(CommandTask& task) {
  if (task.command->direction.empty()) {
    if (queues_.empty()) throw queue_error("no queues are installed in this PE, so nothing can be received");
    any_direction_.push_back({&task, now()});
    serve_anybody();
    return;
  }
  Queue& queue = queue_of(task);
  if (!queue.pair.own) {
    throw queue_error(fmt::format("direction '{}' of this PE can only send", queue.pair.direction));
  }
  queue.receivers.push_back({&task, now()});
  serve(queue);
}

void PeIpcq::complete(CommandTask& task) {
  task.start = task.submitted;
  task.end = now();
  task.state = CommandState::completed;
  answer(task);
}

void PeIpcq::fail(CommandTask& task, const Error& error) {
  task.status = {false, error.code(), error.what()};
  complete(task);
}

// --- Sending

void PeIpcq::on_credit(std::uint64_t ring_pa, std::uint64_t consumed) {
  Queue* const found = queues_.into_ring(ring_pa);
  if (found == nullptr) {
    throw Error::model(fmt::format("{}: a credit for the ring at {}, into which no queue of this PE sends\n{}",
                                   node_id(), address::encoded_text(ring_pa), pointer_table()));
  }
  Queue& queue = *found;
  queue.peer_tail_cache = std::max(queue.peer_tail_cache, consumed);
  show_credits(queue);
  if (queue.senders.empty()) return;
  if (rules_.backpressure == Backpressure::sleep) {
    send_waiting(queue);
    return;
  }
  schedule(next_poll(queue.senders.front()), Event::poll, index_of(queue));
}

// The next time, not before now, at which a blocked sender polls for a free slot.
TimeFs PeIpcq::next_poll(const Waiting& sender) const {
  return sender.since + periods(now() - sender.since, rules_.poll_interval) * rules_.poll_interval;
}

// The event may belong to a sender or queue that no longer exists.
void PeIpcq::poll(Queue& queue) {
  while (!queue.senders.empty() && queue.free_slots() > 0) {
    const TimeFs at = next_poll(queue.senders.front());
    if (at > now()) {
      schedule(at, Event::poll, index_of(queue));
      return;
    }
    const Waiting send = queue.senders.front();
    queue.senders.pop_front();
    transmit(queue, send);
  }
}

void PeIpcq::send_waiting(Queue& queue) {
  while (!queue.senders.empty() && queue.free_slots() > 0) {
    const Waiting send = queue.senders.front();
    queue.senders.pop_front();
    transmit(queue, send);
  }
}

// --- Receiving

bool PeIpcq::slots_on_fabric(const Queue& queue) const {
  return rules_.slot_access == QueueTransport::fabric && queue.pair.own->memory != QueueMemory::tcm;
}

std::optional<TimeFs> PeIpcq::visible_at(const payload::QueueTokenMsg& token, std::uint64_t inbound) {
  Queue& queue = own_ring(token.slot_pa);
  if (slots_on_fabric(queue)) {
    queue.writes.push_back({token.slot_pa, token.nbytes, inbound, 0_fs, token.place});
    if (queue.writes.size() == 1) begin_write(queue);
    return std::nullopt;
  }
  const TimeFs begin = std::max(now(), queue.slot_written);
  queue.slot_written = time_sum(begin, slot_cost_->of(queue.pair.own->memory, token.nbytes));
  return queue.slot_written;
}

void PeIpcq::begin_write(Queue& queue) {
  Write& write = queue.writes.front();
  write.since = now();
  slot_access_->begin(payload::Op::write, {write.slot_pa, write.nbytes}, index_of(queue), write.place);
}

void PeIpcq::on_slot_accessed(payload::Op op, std::size_t index) {
  Queue& queue = queues_[index];
  if (op == payload::Op::read) {
    slot_read(queue);
    return;
  }
  pe().vc_comm->written(queue.writes.front().inbound);
  queue.writes.pop_front();
  if (!queue.writes.empty()) begin_write(queue);
}

void PeIpcq::on_arrival(Token token, NodeId writer) {
  Queue& queue = own_ring(token->slot_pa);
  if (token->sequence != queue.peer_head_cache) {
    throw Error::model(fmt::format("{}: message {} from {} arrived after {} others\n{}", node_id(), token->sequence,
                                   pe_name(token->sender), queue.peer_head_cache, pointer_table()));
  }
  if (context().operations != nullptr) {
    const std::vector<Extent> in_flight{{address::message_in_flight(token->slot_pa), token->nbytes}};
    const std::vector<Extent> slot{{token->slot_pa, token->nbytes}};
    context().operations->on_message(
        writer, {MessageStep::copy, in_flight, slot, queue.pair.direction, token->sequence, token->place}, nullptr,
        slots_on_fabric(queue) ? queue.writes.front().since
                               : now() - slot_cost_->of(queue.pair.own->memory, token->nbytes),
        now());
  }
  log(contract::LogLevel::info, [&] {
    return fmt::format("has message {} of {} from {} in direction '{}'", token->sequence, format_bytes(token->nbytes),
                       pe_name(token->sender), queue.pair.direction);
  });
  ++queue.peer_head_cache;
  queue.arrived.push_back(std::move(token));
  serve(queue);
  serve_anybody();
}

void PeIpcq::serve(Queue& queue) {
  if (queue.receiving != Receiving::no || queue.receivers.empty() || queue.arrived.empty()) return;
  const Waiting receive = queue.receivers.front();
  const payload::QueueTokenMsg& token = *queue.arrived.front();
  const std::uint64_t expected = total_bytes(receive.task->command->local);
  if (expected != token.nbytes) {
    queue.receivers.pop_front();
    fail(*receive.task,
         queue_error(fmt::format("the message from '{}' (number {}, sent by {} to its '{}') has {} bytes, but {} are "
                                 "expected; both sides must agree on shape and dtype",
                                 queue.pair.direction, token.sequence, pe_name(token.sender), token.direction,
                                 token.nbytes, expected)));
    serve(queue);
    return;
  }
  queue.receiving = Receiving::reading;
  accumulate(queue.receive_wait, now() - receive.since);
  last_served_ = index_of(queue);
  if (receive.task->command->charge_slot) {
    read_slot(queue, token, receive.task->command->place);
  } else {
    slot_read(queue);
  }
}

void PeIpcq::read_slot(Queue& queue, const payload::QueueTokenMsg& token, account::PlaceId place) {
  if (slots_on_fabric(queue)) {
    slot_access_->begin(payload::Op::read, {token.slot_pa, token.nbytes}, index_of(queue), place);
    return;
  }
  const TimeFs cost = slot_cost_->of(queue.pair.own->memory, token.nbytes);
  if (cost == 0_fs) {
    slot_read(queue);
  } else {
    schedule(now() + cost, Event::slot_read, index_of(queue));
  }
}

void PeIpcq::serve_anybody() {
  for (std::size_t i = 1; i <= queues_.size() && !any_direction_.empty(); ++i) {
    Queue& queue = queues_[(last_served_ + i) % queues_.size()];
    if (queue.receiving != Receiving::no || !queue.receivers.empty() || queue.arrived.empty()) continue;
    queue.receivers.push_back(any_direction_.front());
    any_direction_.pop_front();
    serve(queue);
    i = 0;  // after the last served direction
  }
}

// The contents are captured before the credit lets the sender use the slot again.
void PeIpcq::slot_read(Queue& queue) {
  CommandTask& task = *queue.receivers.front().task;
  const Token token = queue.arrived.front();
  queue.arrived.erase(queue.arrived.begin());
  if (context().order != nullptr) context().order->message_received(coord(), task.id, token->slot_pa);
  try {
    if (context().operations != nullptr) {
      const std::vector<Extent> slot{{token->slot_pa, token->nbytes}};
      context().operations->on_message(
          node(),
          {MessageStep::receive, slot, resolved(task), queue.pair.direction, token->sequence, task.command->place},
          nullptr, task.submitted, now());
    }
  } catch (const Error& error) {
    if (error.family() == ErrorFamily::model) throw;
    task.status = {false, error.code(), error.what()};
  }
  task.held_by = token->place;
  queue.received_bytes += static_cast<std::int64_t>(token->nbytes);
  ++queue.my_tail;
  queue.receiving = Receiving::crediting;
  if (rules_.credit == QueueTransport::annotated) {
    schedule(now() + credit_latency(queue), Event::credit, index_of(queue));
    return;
  }
  pe().vc_comm->send({queue.pair.own->base_pa, queue.my_tail, this}, rules_.credit_bytes, queue.source_dma,
                     token->place);
}

TimeFs PeIpcq::credit_latency(Queue& queue) {
  if (!queue.credit_latency) {
    const routing::Route& route = context().routes.router().find_path(pe().vc_comm->dma_node(), queue.source_dma);
    queue.credit_latency = routing::one_flit_latency_fs(context().graph, route, rules_.credit_bytes);
  }
  return *queue.credit_latency;
}

void PeIpcq::on_credit_delivered(std::uint64_t ring_pa) {
  finish_receive(own_ring(ring_pa));
}

void PeIpcq::finish_receive(Queue& queue) {
  CommandTask& task = *queue.receivers.front().task;
  queue.receivers.pop_front();
  queue.receiving = Receiving::no;
  task.served = queue.pair.direction;
  log(contract::LogLevel::info, [&] {
    return fmt::format("has received {} for {} in direction '{}'", format_bytes(total_bytes(task.command->local)),
                       text_of(task), queue.pair.direction);
  });
  complete(task);
  serve(queue);
  serve_anybody();
}

// --- Events

void PeIpcq::schedule(TimeFs at, Event event, std::size_t queue) {
  scheduler().schedule(at, *this, queue << kEventBits | static_cast<std::uint64_t>(event));
}

void PeIpcq::on_event(TimeFs, std::uint64_t argument) {
  const std::size_t index = argument >> kEventBits;
  switch (static_cast<Event>(argument & ((1u << kEventBits) - 1))) {
    case Event::command: {
      CommandTask& task = *commands_.front();
      commands_.pop_front();
      begin(task);
      return;
    }
    case Event::poll:
      poll(queues_[index]);
      return;
    case Event::slot_read:
      slot_read(queues_[index]);
      return;
    case Event::credit: {
      Queue& queue = queues_[index];
      queue.credited->on_credit(queue.pair.own->base_pa, queue.my_tail);
      finish_receive(queue);
      return;
    }
  }
}

}  // namespace kb::modules
