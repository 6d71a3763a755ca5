#include "modules/fabric/forwarding_node.h"

#include <fmt/format.h>

#include <algorithm>

#include "modules/fabric/request_text.h"
#include "platform/elab/route_table.h"
#include "platform/record/activity_recorder.h"

namespace kb::modules {

using payload::Leg;
using payload::Transaction;

namespace {
// Minimum look-ahead, the bound from which it is halved after a rollback, and the absolute maximum.
constexpr TimeFs kLeastLookahead = 4_ns;
constexpr TimeFs kBusyLookahead = 64_ns;
constexpr TimeFs kMaxLookahead = 1'000'000_ns;
// Does not look ahead on a queue of kLongQueue flit streams once its wire has kMaxBatches pending commits, because a
// competitor would roll back more work than the look-ahead saves.
constexpr std::size_t kLongQueue = 4096;
constexpr std::size_t kMaxBatches = 4;
// The transaction of the message at this distance in the queue is prefetched: in a long queue it has left the cache.
constexpr std::size_t kFetchedMessages = 8;
}  // namespace

ForwardingNode::ForwardingNode(const sc_core::sc_module_name& name, NodeId node, const params::ForwardingParams& params,
                               elab::BlockContext& context)
    : FabricNode(name, node, context),
      overhead_(params.overhead.time()),
      serial_(params.decode == params::Decode::serial),
      latency_(serial_ ? 0_fs : overhead_),
      lookahead_(kMaxLookahead),
      due_(port_count(), kNever),
      outlets_(port_count()) {
  if (!serial_ || overhead_ == 0_fs || context.recorder == nullptr) return;
  decoder_ = context.recorder->add_resource(
      {node, record::Role::decoder, "decode", NodeId(), 0, record::ActivityRecorder::group_of(node_record().sip)});
}

void ForwardingNode::on_flits(FlitStream& flits) {
  wire_at(flits.out_port).prefetch_state();
  outlets_[flits.out_port].prefetch_back();
  if (flits.has_last_flit()) {
    const End end{flits.last_time(), flits.transaction, flits.leg, flits.in_port};
    ends_.insert(end);
    wake_at(end.time);
  }
  if (serial_) {
    split_by_size(flits, [&](const FlitStream& stream) { enqueue_behind_worker(stream); });
    return;
  }
  flits.time += latency_;
  split_by_size(flits, [&](const FlitStream& stream) { enqueue(stream); });
}

void ForwardingNode::enqueue_behind_worker(const FlitStream& stream) {
  if (stream.first != 0 || overhead_ == 0_fs) {
    enqueue(stream);
    return;
  }
  FlitStream header = stream;
  header.count = 1;
  headers_.insert(header);
  wake_at(header.time);
  if (stream.count > 1) enqueue(stream.tail(1));
}

void ForwardingNode::enqueue(const FlitStream& flits) {
  ArrivalQueue& waiting = outlets_[flits.out_port];
  const bool comes_first = waiting.empty() || flits.key() < waiting.front().key();
  waiting.add(flits);
  if (!comes_first) return;
  schedule_flush(flits.out_port);
  wake_at(due_[flits.out_port]);
}

// Defers a flit until its wire is free, because competitors may still appear. A flit that precedes committed ones is
// due as soon as it is ready, because those must be rolled back.
void ForwardingNode::schedule_flush(std::uint16_t out_port) {
  const ArrivalQueue& waiting = outlets_[out_port];
  if (waiting.empty()) {
    due_[out_port] = kNever;
    return;
  }
  const FlitStream& first = waiting.front();
  const Wire& wire = wire_at(out_port);
  const bool comes_between = wire.has_at_or_after(first.key());
  due_[out_port] = std::max(comes_between ? first.time : std::max(first.time, wire.available()), now());
}

void ForwardingNode::on_message(Transaction& transaction, const FlitStream& message) {
  ArrivalKey key = message.key();
  key.time += latency_;
  const PendingMessage pending{message.time + overhead_, key, &transaction, message.leg, message.hop, message.out_port};
  messages_.insert(pending);
  wake_at(pending.ready);
}

void ForwardingNode::on_rollback(std::uint16_t port, Transaction& transaction, Leg leg, std::uint32_t first) {
  const std::uint16_t out_port = next_port(transaction, leg, transaction.segment.hop);
  const TimeWindow arrival = window_of(transaction.segment);
  const TimeWindow ready{arrival.from + latency_, arrival.until + latency_};
  std::uint32_t count = transaction.segment.count;
  const bool ends = first + count == transaction.leg_flits(leg);
  ArrivalKey key;
  wire_at(out_port).retire(now());
  if (wire_at(out_port).find(transaction, leg, first, key, ready)) cut(out_port, key);
  if (serial_ && first == 0 && roll_back_header(transaction, leg, arrival)) --count;
  outlets_[out_port].roll_back(transaction, leg, first, count, ready.until);
  schedule_flush(out_port);
  if (ends) roll_back_end(port, transaction, leg, arrival);
  schedule_wake();
}

bool ForwardingNode::roll_back_header(const Transaction& transaction, Leg leg, const TimeWindow& arrival) {
  bool found = false;
  headers_.visit_backwards_below(ArrivalKey::at(arrival.until + 1_fs), [&](const FlitStream& header) {
    if (header.time < arrival.from) return Visit::stop;
    found = header.same_leg(transaction, leg);
    return found ? Visit::erase_and_stop : Visit::go_on;
  });
  return found;
}

void ForwardingNode::roll_back_end(std::uint16_t port, const Transaction& transaction, Leg leg,
                                   const TimeWindow& arrival) {
  ends_.visit_backwards_below(arrival.until + 1_fs, [&](const End& end) {
    if (end.time < arrival.from) return Visit::stop;
    const bool found = end.transaction == &transaction && end.leg == leg && end.in_port == port;
    return found ? Visit::erase_and_stop : Visit::go_on;
  });
}

void ForwardingNode::roll_back(const FlitStream& flits) {
  outlets_[flits.out_port].put_back(flits);
  disturbed_ = true;
}

void ForwardingNode::on_event(TimeFs now, std::uint64_t) {
  if (now != wake_time_) return;  // an earlier wake has replaced this one
  wake_time_ = kNever;
  SegmentBuffer outbox(*this);
  adapt_lookahead();
  prefetch();
  decode_headers(now);
  const bool quiet = lookahead_ > kBusyLookahead;
  for (std::uint16_t p = 0; p < port_count(); ++p) {
    if (due_[p] > now && (!quiet || due_[p] == kNever)) continue;
    ArrivalKey limit = ArrivalKey::at(now + lookahead_ + 1_fs);
    if (!headers_.empty() && headers_.front().key() < limit) limit = headers_.front().key();
    forward(p, limit);
  }
  if (!messages_.empty()) forward_messages(now);
  if (!ends_.empty()) end_legs(now);
  outbox.flush();
  schedule_wake();
}

// Prefetches what forward() will read for every port, so that the cache misses overlap.
void ForwardingNode::prefetch() const {
  for (std::uint16_t p = 0; p < port_count(); ++p) {
    if (due_[p] == kNever) continue;
    outlets_[p].prefetch_front();
    wire_at(p).prefetch();
  }
  for (std::uint16_t p = 0; p < port_count(); ++p) {
    if (due_[p] != kNever) wire_at(p).prefetch_records();
  }
}

// Halves the look-ahead after a rollback and lets it grow by an eighth after a wake without one.
void ForwardingNode::adapt_lookahead() {
  lookahead_ = disturbed_ ? std::max(kLeastLookahead, std::min(lookahead_, kBusyLookahead) / 2)
                          : std::min(kMaxLookahead, lookahead_ + lookahead_ / 8);
  disturbed_ = false;
}

// The worker decodes the first flits that have arrived. Each delays all later arrivals, on every out-edge.
void ForwardingNode::decode_headers(TimeFs now) {
  while (!headers_.empty() && headers_.front().time <= now) {
    const FlitStream header = headers_.front();
    headers_.pop_front();
    const ArrivalKey key = header.key();
    for (std::uint16_t p = 0; p < port_count(); ++p) {
      if (wire_at(p).has_at_or_after(key)) cut(p, key);
      forward(p, key);  // earlier flits do not wait for this one
    }
    const TimeFs begin = std::max(worker_free_, header.time);
    worker_free_ = time_sum(begin, overhead_);
    note_decode(header, begin);
    commit(&header, 1, worker_free_);
    schedule_flush(header.out_port);
  }
}

// Called when the worker has begun to decode a header, which is never rolled back.
void ForwardingNode::note_decode(const FlitStream& header, TimeFs begin) {
  const TimeFs wait = begin - header.time;
  accumulate(headers_waited_, wait);
  if (context().hops != nullptr) {
    context().hops->decoded({header.transaction->id, header.leg, node(), begin, worker_free_});
  }
  if (decoder_) decoder_.add(header.place, {begin, worker_free_, overhead_, wait, 0, 0}, 1);
}

// True when a wire has enough pending commits that the rest of a long queue can wait until it is due.
bool ForwardingNode::is_full(std::uint16_t out_port) {
  Wire& wire = wire_at(out_port);
  if (outlets_[out_port].size() < kLongQueue || wire.batches() < kMaxBatches) return false;
  wire.retire(now());
  return wire.batches() >= kMaxBatches;
}

// Puts the waiting flits with keys below `limit` on their wire.
void ForwardingNode::forward(std::uint16_t out_port, const ArrivalKey& limit) {
  ArrivalQueue& waiting = outlets_[out_port];
  while (!waiting.empty()) {
    const ArrivalKey key = waiting.front().key();
    if (!(key < limit)) break;
    if (key.time > now() && is_full(out_port)) break;
    if (wire_at(out_port).has_at_or_after(key)) {
      cut(out_port, key);
      continue;
    }
    StreamBuffer batch;
    const std::size_t count = waiting.take_batch(limit, batch);
    commit(batch.streams, count, worker_free_);
  }
  schedule_flush(out_port);
}

void ForwardingNode::forward_messages(TimeFs now) {
  while (!messages_.empty() && messages_.front().ready <= now) {
    const PendingMessage m = messages_.front();
    messages_.pop_front();
    if (messages_.near_size() > kFetchedMessages) messages_[kFetchedMessages].transaction->prefetch();
    forward(m.out_port, ArrivalKey::at(now + 1_fs));  // flits that are ready earlier must be on the wire first
    send_message(m.out_port, *m.transaction, m.leg, m.hop, m.ready, m.key);
  }
}

void ForwardingNode::end_legs(TimeFs now) {
  while (!ends_.empty() && ends_.front().time <= now) {
    const End end = ends_.front();
    ends_.pop_front();
    ++legs_;
    send_end(end.in_port, *end.transaction, end.leg);
  }
}

void ForwardingNode::wake_at(TimeFs at) {
  if (at >= wake_time_) return;
  wake_time_ = at;
  scheduler().schedule(at, *this);
}

void ForwardingNode::schedule_wake() {
  TimeFs at = kNever;
  for (const TimeFs due : due_) at = std::min(at, due);
  if (!headers_.empty()) at = std::min(at, headers_.front().time);
  if (!messages_.empty()) at = std::min(at, messages_.front().ready);
  if (!ends_.empty()) at = std::min(at, ends_.front().time);
  if (at != kNever) wake_at(std::max(at, now()));
}

void ForwardingNode::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  FabricNode::collect_statistics(statistics);
  if (legs_ == 0 || overhead_ == 0_fs) return;
  statistics.push_back({"decode.headers", static_cast<std::int64_t>(legs_), "1"});
  statistics.push_back({"decode.busy", time_product(legs_, overhead_)});
  if (serial_) statistics.push_back({"decode.wait", headers_waited_});
}

void ForwardingNode::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  const auto report = [&](const FlitStream& flits) {
    waits.push_back({node_id(),
                     fmt::format("the way on for {} flit{} of {}", flits.count, flits.count == 1 ? "" : "s",
                                 request_text(*flits.transaction, context().graph)),
                     flits.time - latency_});
  };
  headers_.for_each(report);
  for (const ArrivalQueue& waiting : outlets_) waiting.for_each(report);
}

}  // namespace kb::modules
