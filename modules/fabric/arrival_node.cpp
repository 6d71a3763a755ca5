#include "modules/fabric/arrival_node.h"

#include <fmt/format.h>

#include <algorithm>

#include "modules/fabric/request_text.h"
#include "platform/base/error.h"

namespace kb::modules {

using payload::Leg;
using payload::Transaction;

void ArrivalNode::on_flits(FlitRun& flits) {
  split_by_size(flits, [&](const FlitRun& run) { coming_.insert(run); });
  schedule_next();
}

void ArrivalNode::on_message(Transaction&, const FlitRun& message) {
  coming_.insert(message);
  schedule_next();
}

// Only flits that have not arrived are withdrawn, so nothing but the queue has to change.
void ArrivalNode::on_withdrawn(std::uint16_t port, Transaction& transaction, Leg leg, std::uint32_t first) {
  using Visit = decltype(coming_)::Visit;
  const TimeWindow window = window_of(transaction.segment);
  coming_.visit_backwards_below(ArrivalKey::at(window.until + 1), [&](FlitRun& run) {
    if (run.in_port != port || !run.same_leg(transaction, leg) || run.first + run.count <= first) return Visit::go_on;
    if (run.first >= first) return Visit::erase;
    run.count = first - run.first;
    return Visit::go_on;
  });
}

void ArrivalNode::take_back(const FlitRun&) {
  throw Error::model(node_id() + " was asked to take back flits that had arrived");
}

void ArrivalNode::on_event(TimeFs now, std::uint64_t) {
  if (now != scheduled_) return;
  scheduled_ = kNever;
  Outbox outbox(*this);
  take_arrivals(now);
  const auto due = std::remove(asked_.begin(), asked_.end(), now);
  const bool asked = due != asked_.end();
  asked_.erase(due, asked_.end());
  if (asked) on_wake();
  send_departures(now);
  outbox.flush();
  schedule_next();
}

void ArrivalNode::take_arrivals(TimeFs now) {
  while (!coming_.empty() && coming_.front().time <= now) {
    FlitRun run = coming_.front();
    coming_.pop_front();
    Arrival arrival;
    arrival.message_ = run.transaction->leg_flits(run.leg) == 0;
    arrival.run_ = run;
    arrival.run_.count = 1;
    if (!arrival.message_ && run.count > 1) {
      run.drop(1);
      coming_.insert_from_front(run);
    }
    if (!arrival.message_ && arrival.is_last()) send_end(run.in_port, *run.transaction, run.leg);
    on_arrival(arrival);
  }
}

void ArrivalNode::send_departures(TimeFs now) {
  while (!departures_.empty() && departures_.front().at <= now) {
    const Departure departure = departures_.front();
    departures_.pop_front();
    FlitRun run = departure.what.run_;
    run.time = now;
    run.in_port = 0;
    run.sequence = ++departed_ * payload::kSequenceStep;
    if (departure.what.message_) {
      send_message(run.out_port, *run.transaction, run.leg, run.hop, now, run.key());
    } else {
      commit(run, now);
    }
    on_departure(departure.what);
  }
}

void ArrivalNode::depart(const Arrival& arrival, TimeFs at) {
  if (at < now()) throw Error::model(node_id() + " offers a flit in the past");
  if (arrival.run_.out_port == payload::kNoPort) {
    throw Error::model(node_id() + " passes on a flit whose leg ends here; answer it with response()");
  }
  departures_.insert({arrival, at});
  schedule_next();
}

ArrivalNode::Arrival ArrivalNode::response(Transaction& transaction, std::uint32_t index) {
  Arrival answer;
  FlitRun& run = answer.run_;
  run.transaction = &transaction;
  run.leg = Leg::response;
  run.hop = transaction.route->last_hop();
  run.out_port = transaction.hops[run.hop].reverse;
  run.time = now();
  run.sequence = ++responses_ * payload::kSequenceStep;
  run.first = index;
  run.count = 1;
  const std::uint32_t flits = transaction.leg_flits(Leg::response);
  answer.message_ = flits == 0;
  if (index == 0) {
    transaction.payload().set_response_status(transaction.status.ok ? tlm::TLM_OK_RESPONSE
                                                                    : tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
  return answer;
}

void ArrivalNode::wake_at(TimeFs at) {
  if (at < now()) throw Error::model(node_id() + " asks to be woken in the past");
  asked_.push_back(at);
  schedule_next();
}

void ArrivalNode::schedule_next() {
  TimeFs at = kNever;
  if (!coming_.empty()) at = std::min(at, coming_.front().time);
  if (!departures_.empty()) at = std::min(at, departures_.front().at);
  for (const TimeFs asked : asked_) at = std::min(at, asked);
  if (at >= scheduled_) return;
  scheduled_ = at;
  scheduler().schedule(at, *this);
}

void ArrivalNode::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  departures_.for_each([&](const Departure& departure) {
    const Transaction& transaction = departure.what.transaction();
    waits.push_back(
        {node_id(), "the departure of " + request_text(transaction, context().graph), departure.what.time()});
  });
}

}  // namespace kb::modules
