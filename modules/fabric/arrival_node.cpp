#include "modules/fabric/arrival_node.h"

#include <fmt/format.h>

#include <algorithm>

#include "modules/fabric/request_text.h"
#include "platform/base/error.h"
#include "platform/elab/foreign_call.h"

namespace kb::modules {

using payload::Leg;
using payload::Transaction;

void ArrivalNode::on_flits(FlitStream& flits) {
  split_by_size(flits, [&](const FlitStream& stream) { coming_.insert(stream); });
  schedule_next();
}

void ArrivalNode::on_message(Transaction&, const FlitStream& message) {
  coming_.insert(message);
  schedule_next();
}

// Only flits that have not arrived are rolled back, so that only the queue must change.
void ArrivalNode::on_rollback(std::uint16_t port, Transaction& transaction, Leg leg, std::uint32_t first) {
  const TimeWindow window = window_of(transaction.segment);
  coming_.visit_backwards_below(ArrivalKey::at(window.until + 1_fs), [&](FlitStream& stream) {
    if (stream.in_port != port || !stream.same_leg(transaction, leg) || stream.first + stream.count <= first)
      return Visit::go_on;
    if (stream.first >= first) return Visit::erase;
    stream.count = first - stream.first;
    return Visit::go_on;
  });
}

void ArrivalNode::roll_back(const FlitStream&) {
  throw Error::model(node_id() + " was asked to roll back flits that had arrived");
}

void ArrivalNode::on_event(TimeFs now, std::uint64_t) {
  if (now != scheduled_) return;
  scheduled_ = kNever;
  SegmentBuffer outbox(*this);
  elab::call_block(node_record(), scheduler(), [&] {
    take_arrivals(now);
    const auto due = std::remove(asked_.begin(), asked_.end(), now);
    const bool asked = due != asked_.end();
    asked_.erase(due, asked_.end());
    if (asked) on_wake();
    send_departures(now);
  });
  if (scheduler().failed()) return;
  outbox.flush();
  schedule_next();
}

void ArrivalNode::fail(const Transaction& transaction, const std::string& what, const std::string& remedy) const {
  elab::fail_for(
      node_record(), scheduler(),
      fmt::format("{} the {} (transaction {})", what, request_text(transaction, context().graph), transaction.id),
      remedy);
}

void ArrivalNode::take_arrivals(TimeFs now) {
  while (!coming_.empty() && coming_.front().time <= now) {
    FlitStream stream = coming_.front();
    coming_.pop_front();
    Arrival arrival;
    arrival.message_ = stream.transaction->leg_flits(stream.leg) == 0;
    arrival.stream_ = stream;
    arrival.stream_.count = 1;
    if (!arrival.message_ && stream.count > 1) {
      stream.drop(1);
      coming_.insert_from_front(stream);
    }
    if (!arrival.message_ && arrival.is_last()) send_end(stream.in_port, *stream.transaction, stream.leg);
    on_arrival(arrival);
  }
}

void ArrivalNode::send_departures(TimeFs now) {
  while (!departures_.empty() && departures_.front().at <= now) {
    const Departure departure = departures_.front();
    departures_.pop_front();
    FlitStream stream = departure.what.stream_;
    stream.time = now;
    stream.in_port = 0;
    stream.sequence = ++departed_ * payload::kSequenceStep;
    if (departure.what.message_) {
      send_message(stream.out_port, *stream.transaction, stream.leg, stream.hop, now, stream.key());
    } else {
      commit(stream, now);
    }
    on_departure(departure.what);
  }
}

void ArrivalNode::depart(const Arrival& arrival, TimeFs at) {
  const Transaction& transaction = arrival.transaction();
  if (at < now()) {
    return fail(transaction, "passes on in the past, at " + format_ns(at) + " ns,",
                "give depart() now() or a later time");
  }
  if (arrival.stream_.out_port == payload::kNoPort) {
    return fail(transaction, "passes on, although its route ends here,", "give depart() its response()");
  }
  departures_.insert({arrival, at});
  schedule_next();
}

ArrivalNode::Arrival ArrivalNode::response(Transaction& transaction, std::uint32_t index) {
  Arrival answer;
  FlitStream& stream = answer.stream_;
  stream.transaction = &transaction;
  stream.out_port = payload::kNoPort;
  if (transaction.route->nodes.back() != node()) {
    fail(transaction, "answers what is not for it, or has been answered:", "answer every request once");
    return answer;
  }
  stream.leg = Leg::response;
  stream.hop = transaction.route->last_hop();
  stream.out_port = transaction.hops[stream.hop].reverse;
  stream.time = now();
  stream.sequence = ++responses_ * payload::kSequenceStep;
  stream.first = index;
  stream.count = 1;
  stream.place = transaction.place;
  const std::uint32_t flits = transaction.leg_flits(Leg::response);
  answer.message_ = flits == 0;
  if (index == 0) {
    transaction.payload().set_response_status(transaction.status.ok ? tlm::TLM_OK_RESPONSE
                                                                    : tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
  return answer;
}

void ArrivalNode::wake_at(TimeFs at) {
  if (at < now()) {
    return elab::fail_for(node_record(), scheduler(), "asks to be woken in the past, at " + format_ns(at) + " ns,",
                          "give wake_at() now() or a later time");
  }
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
