#include "modules/fabric/fabric_endpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "modules/fabric/request_text.h"
#include "platform/base/error.h"

namespace kb::modules {

using contract::LogLevel;
using payload::Leg;
using payload::Op;
using payload::Transaction;

namespace {

std::string status_text(const Transaction& transaction) {
  return transaction.status.ok ? "ok" : transaction.status.code;
}

}  // namespace

FabricEndpoint::FabricEndpoint(const sc_core::sc_module_name& name, NodeId node, TimeFs overhead,
                               elab::BlockContext& context)
    : FabricNode(name, node, context), overhead_(overhead) {}

void FabricEndpoint::use_lanes(std::uint16_t port) {
  const Wire::Params& wire = wire_at(port).params();
  if (lanes_ != nullptr || wire.occupancy == 0_fs) return;
  lane_port_ = port;
  lanes_ = std::make_unique<WireLanes>(wire.occupancy, wire.bw);
}

void FabricEndpoint::issue(Transaction& transaction, TimeFs at, FirstWire order, std::uint16_t lane) {
  const payload::FabricRoute& route = *transaction.route;
  if (route.nodes.size() < 2 || route.nodes.front() != node()) {
    throw Error::model(fmt::format("{} issues a transaction whose route does not start there", node_id()));
  }
  transaction.issued = now();
  transaction.initiator_slot = static_cast<std::uint32_t>(issued_.size());
  issued_.push_back(&transaction);
  log(LogLevel::info, [&] {
    return fmt::format("sends transaction {}, {}, to {}{}", transaction.id, request_text(transaction),
                       context().graph.node(route.nodes.back()).id,
                       at > now() ? fmt::format(" from {} ns on", format_ns(at)) : "");
  });
  // Port 0 with a time before any arrival of the same offer time: issued messages go first, in submission order.
  insert_offer(
      {at, {-1_fs, 0, offer_count_++, 0}, &transaction, Leg::request, 0, route.ports.front().forward, order, lane});
}

void FabricEndpoint::respond(Transaction& transaction, TimeFs at) {
  const payload::FabricRoute& route = *transaction.route;
  log(LogLevel::info, [&] {
    return fmt::format("answers transaction {}, {}: {}{}", transaction.id, request_text(transaction),
                       status_text(transaction), at > now() ? fmt::format(" from {} ns on", format_ns(at)) : "");
  });
  transaction.payload().set_response_status(transaction.status.ok ? tlm::TLM_OK_RESPONSE
                                                                  : tlm::TLM_GENERIC_ERROR_RESPONSE);
  insert_offer({at,
                {-1_fs, 0, offer_count_++, 0},
                &transaction,
                Leg::response,
                route.last_hop(),
                route.ports.back().reverse,
                FirstWire::fifo});
}

void FabricEndpoint::insert_offer(const Offer& offer) {
  if (offer.at < now()) throw Error::model(fmt::format("{} offers a message in the past", node_id()));
  offers_.insert(offer);
  wake_at(offer.at);
}

void FabricEndpoint::on_flits(FlitStream& flits) {
  if (!flits.has_last_flit()) return;
  insert_arrival(flits.tail(flits.count - 1));
}

void FabricEndpoint::on_message(Transaction&, const FlitStream& message) {
  insert_arrival(message);
}

void FabricEndpoint::insert_arrival(const FlitStream& message) {
  arrivals_.insert(message);
  wake_at(message.time);
}

void FabricEndpoint::on_rollback(std::uint16_t, Transaction& transaction, Leg leg, std::uint32_t first) {
  if (first + transaction.segment.count != transaction.leg_flits(leg)) return;  // the last flit is not rolled back
  const TimeWindow arrival = window_of(transaction.segment);
  arrivals_.visit_backwards_below(ArrivalKey::at(arrival.until + 1_fs), [&](const FlitStream& message) {
    if (message.time < arrival.from) return Visit::stop;
    return message.same_leg(transaction, leg) ? Visit::erase_and_stop : Visit::go_on;
  });
}

void FabricEndpoint::roll_back(const FlitStream& flits) {
  if (lanes_ == nullptr) throw Error::model(node_id() + " was asked to roll back flits it had offered whole");
  lanes_->put_back(flits);
}

void FabricEndpoint::on_event(TimeFs now, std::uint64_t) {
  if (now != wake_time_) return;
  wake_time_ = kNever;
  SegmentBuffer outbox(*this);
  while (!arrivals_.empty() && arrivals_.front().time <= now) {
    const FlitStream message = arrivals_.front();
    arrivals_.pop_front();
    if (message.transaction->leg_flits(message.leg) != 0) send_end(message.in_port, *message.transaction, message.leg);
    if (logged()) log_arrival(message);
    on_arrival(message);
  }
  while (!handling_.empty() && handling_.front().time + overhead_ <= now) {
    const FlitStream message = handling_.front();
    handling_.pop_front();
    handle(message);
  }
  while (!offers_.empty() && offers_.front().at <= now) {
    const Offer offer = offers_.front();
    offers_.pop_front();
    send_offer(offer);
  }
  outbox.flush();
  schedule_wake();
}

void FabricEndpoint::log_arrival(const FlitStream& message) const {
  if (message.out_port != payload::kNoPort) return;
  const Transaction& transaction = *message.transaction;
  log(LogLevel::info, [&] {
    if (message.leg == Leg::request) {
      return fmt::format("gets transaction {}, {}", transaction.id, request_text(transaction, context().graph));
    }
    return fmt::format("has the answer to transaction {}, {}: {}", transaction.id, request_text(transaction),
                       status_text(transaction));
  });
}

void FabricEndpoint::on_arrival(const FlitStream& message) {
  handling_.push_back(message);
  wake_at(message.time + overhead_);
}

void FabricEndpoint::handle(const FlitStream& message) {
  Transaction& transaction = *message.transaction;
  if (message.out_port != payload::kNoPort) {
    insert_offer({now(), message.key(), &transaction, message.leg, message.hop, message.out_port, FirstWire::fifo});
    return;
  }
  if (message.leg == Leg::request) {
    on_request(transaction, message.time);
    return;
  }
  if (transaction.op == Op::read) transaction.delivered = message.time;
  transaction.completed = now();
  retire(transaction);
  if (transaction.initiator != nullptr) {
    transaction.initiator->on_response(transaction);
  } else {
    on_response(transaction);
  }
}

void FabricEndpoint::retire(const Transaction& transaction) {
  issued_[transaction.initiator_slot] = issued_.back();
  issued_.back()->initiator_slot = transaction.initiator_slot;
  issued_.pop_back();
}

void FabricEndpoint::send_offer(const Offer& offer) {
  Transaction& transaction = *offer.transaction;
  const std::uint32_t flits = transaction.leg_flits(offer.leg);
  if (flits == 0) {
    if (offer.order == FirstWire::slip) {
      slip_message(offer.port, transaction, offer.leg, offer.hop, offer.at);
    } else {
      // All earlier offers have left, so that no key is below this one.
      send_message(offer.port, transaction, offer.leg, offer.hop, offer.at, {kNever, 0, 0, 0});
    }
    return;
  }
  FlitStream stream;
  stream.transaction = &transaction;
  stream.time = offer.at;
  stream.spacing = 0_fs;
  stream.first = 0;
  stream.count = flits;
  stream.out_port = offer.port;
  stream.hop = offer.hop;
  stream.leg = offer.leg;
  stream.place = transaction.place;
  if (lanes_ == nullptr || offer.port != lane_port_) {
    commit(stream, offer.at);
    return;
  }
  stream.in_port = offer.lane;
  send_in_turn(stream);
}

// Rolls back flits that have not started, and plans them again together with the stream. A flit that starts now keeps
// its position, because it was offered first.
void FabricEndpoint::send_in_turn(const FlitStream& stream) {
  cut(stream.out_port, {now() + 1_fs, 0, 0, 0});
  lanes_->add(stream);
  lanes_->plan(now(), wire_at(stream.out_port).available(),
               [this](const FlitStream& flits) { commit(flits, flits.time); });
}

void FabricEndpoint::on_request(Transaction& transaction, TimeFs) {
  transaction.status = {false, "UNSUPPORTED_REQUEST", node_id() + " does not serve this kind of request"};
  respond(transaction, now());
}

void FabricEndpoint::on_response(Transaction& transaction) {
  context().pool.release(transaction);
}

void FabricEndpoint::wake_at(TimeFs at) {
  if (at >= wake_time_) return;
  wake_time_ = at;
  scheduler().schedule(at, *this);
}

void FabricEndpoint::schedule_wake() {
  TimeFs at = kNever;
  if (!arrivals_.empty()) at = arrivals_.front().time;
  if (!handling_.empty()) at = std::min(at, handling_.front().time + overhead_);
  if (!offers_.empty()) at = std::min(at, offers_.front().at);
  if (at != kNever) wake_at(at);
}

void FabricEndpoint::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  std::vector<const Transaction*> open(issued_.begin(), issued_.end());
  std::sort(open.begin(), open.end(), [](const Transaction* a, const Transaction* b) { return a->id < b->id; });
  for (const Transaction* t : open) {
    waits.push_back(
        {node_id(),
         fmt::format("response of {} to {}", context().graph.node(t->route->nodes.back()).id, request_text(*t)),
         t->issued});
    waits.back().is_request = true;
  }
}

}  // namespace kb::modules
