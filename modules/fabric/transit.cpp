#include "modules/fabric/transit.h"

#include <fmt/format.h>

#include "platform/base/error.h"

namespace kb::modules {

using payload::Leg;
using payload::Transaction;

namespace {
constexpr std::uint32_t kLeastLookahead = 4;
constexpr std::uint32_t kMostLookahead = 1u << 20;

// Calls f(port) for every set bit, lowest first.
template <typename F>
void for_each_port(std::uint64_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<std::uint16_t>(__builtin_ctzll(mask)));
}
constexpr std::uint64_t bit(std::uint16_t port) {
  return std::uint64_t{1} << port;
}
}  // namespace

Transit::Transit(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context)
    : FabricNode(name, node, context),
      overhead_(ns_to_fs(node_record().number_or("overhead_ns", 0.0))),
      inlets_(port_count()),
      lookahead_(kMostLookahead) {
  if (port_count() > 64) throw Error::model(node_id() + " has more than 64 fabric ports");
}

void Transit::on_flits(const FlitRun& flits) {
  RingDeque<FlitRun>& waiting = inlets_[flits.in_port].waiting;
  if (!waiting.empty() && waiting.back().continued_by(flits)) {
    waiting.back().absorb(flits);
    return;
  }
  waiting.push_back(flits);
  waiting_mask_ |= bit(flits.in_port);
  if (waiting.size() == 1) wake_at(flits.time);
}

void Transit::on_message(Transaction& transaction, const FlitRun& message) {
  PendingMessage pending{message.time + overhead_, message.key(), &transaction, message.leg, message.hop,
                         message.out_port};
  std::size_t position = messages_.size();
  messages_.push_back(pending);
  while (position > 0 && pending.key < messages_[position - 1].key) {
    messages_[position] = messages_[position - 1];
    --position;
  }
  messages_[position] = pending;
  wake_at(pending.ready);
}

void Transit::on_withdrawn(std::uint16_t port, Transaction& transaction, Leg leg, std::uint32_t first) {
  Inlet& inlet = inlets_[port];
  const std::uint16_t out_port = next_port(transaction, leg, transaction.segment.hop);
  ArrivalKey key;
  channel(out_port).settle(now());
  if (channel(out_port).find(transaction, leg, first, key)) cut(out_port, key);
  while (!inlet.waiting.empty()) {
    FlitRun& last = inlet.waiting.back();
    if (!last.same_leg(transaction, leg) || last.first + last.count <= first) break;
    if (last.first < first) {
      last.count = first - last.first;
      break;
    }
    inlet.waiting.pop_back();
  }
  if (inlet.waiting.empty()) waiting_mask_ &= ~bit(port);
  schedule_wake();
}

void Transit::take_back(const FlitRun& flits) {
  Inlet& inlet = inlets_[flits.in_port];
  if (flits.has_last_flit()) {
    std::size_t i = inlet.ends.size();
    while (inlet.ends[--i].transaction != flits.transaction || inlet.ends[i].leg != flits.leg) continue;
    inlet.ends.erase(i);
    if (inlet.ends.empty()) end_mask_ &= ~bit(flits.in_port);
  }
  // A header cuts several out-edges one after the other, so the flits of a port may come back out of order.
  std::size_t position = 0;
  while (position < inlet.waiting.size() && inlet.waiting[position].key() < flits.key()) ++position;
  if (position < inlet.waiting.size() && flits.continued_by(inlet.waiting[position])) {
    FlitRun joined = flits;
    joined.absorb(inlet.waiting[position]);
    inlet.waiting[position] = joined;
  } else {
    inlet.waiting.insert(position, flits);
  }
  waiting_mask_ |= bit(flits.in_port);
  disturbed_ = true;
}

void Transit::on_event(TimeFs now, std::uint64_t) {
  if (now != wake_time_) return;  // an earlier wake took over
  wake_time_ = kNever;
  if (waiting_mask_ != 0) forward_flits(now);
  if (end_mask_ != 0) end_legs(now);  // after forwarding, which may take back flits that arrive just now
  if (!messages_.empty()) forward_messages(now);
  flush();
  schedule_wake();
}

void Transit::forward_flits(TimeFs now) {
  // Undone work halves the look-ahead, undisturbed wakes let it grow by an eighth.
  lookahead_ = disturbed_ ? std::max(kLeastLookahead, std::min(lookahead_, 64u) / 2)
                          : std::min(kMostLookahead, lookahead_ + lookahead_ / 8 + 1);
  disturbed_ = false;
  std::uint32_t allowance = lookahead_;
  while (waiting_mask_ != 0) {
    std::uint16_t best = 0;
    ArrivalKey best_key{kNever, 0, 0, 0};
    for_each_port(waiting_mask_, [&](std::uint16_t p) {
      const ArrivalKey key = inlets_[p].waiting.front().key();
      if (key < best_key) {
        best_key = key;
        best = p;
      }
    });
    FlitRun& flits = inlets_[best].waiting.front();
    const bool header = flits.first == 0 && overhead_ > 0;
    if (flits.time > now && (header || allowance == 0)) return;
    if (header) {
      bool undone = false;
      for (std::uint16_t p = 0; p < port_count(); ++p) {
        if (!channel(p).has_at_or_after(best_key)) continue;
        cut(p, best_key);
        undone = true;
      }
      if (undone) continue;
    } else if (channel(flits.out_port).has_at_or_after(best_key)) {
      cut(flits.out_port, best_key);
      continue;
    }
    FlitRun part = flits;
    if (header) {
      part.count = 1;
      worker_free_ = std::max(worker_free_, part.time) + overhead_;
    } else {
      part.count = std::min(undisputed(flits), allowance + 1);
      allowance -= std::min(allowance, part.count);
    }
    if (part.count == flits.count) {
      inlets_[best].waiting.pop_front();
      if (inlets_[best].waiting.empty()) waiting_mask_ &= ~bit(best);
    } else {
      flits = flits.tail(part.count);
    }
    commit(part, worker_free_);
    if (part.has_last_flit()) note_last_flit(part, now);
  }
}

// Flits of a run that come before everything known to compete for its out-edge or for the decode worker.
std::uint32_t Transit::undisputed(const FlitRun& flits) const {
  std::uint32_t count = flits.count;
  for_each_port(waiting_mask_ & ~bit(flits.in_port), [&](std::uint16_t p) {
    const FlitRun& other = inlets_[p].waiting.front();
    const bool competes = other.out_port == flits.out_port || (other.first == 0 && overhead_ > 0);
    if (competes) count = std::min(count, flits.count_before(other.key()));
  });
  return count;
}

void Transit::forward_messages(TimeFs now) {
  while (!messages_.empty() && messages_.front().ready <= now) {
    const PendingMessage m = messages_.front();
    messages_.pop_front();
    send_message(m.out_port, *m.transaction, m.leg, m.hop, m.ready, m.key);
  }
}

void Transit::note_last_flit(const FlitRun& flits, TimeFs now) {
  const TimeFs at = flits.last_time();
  Inlet& inlet = inlets_[flits.in_port];
  if (at <= now) {
    send_end(flits.in_port, *flits.transaction, flits.leg);
    return;
  }
  inlet.ends.push_back({at, flits.transaction, flits.leg});
  end_mask_ |= bit(flits.in_port);
}

void Transit::end_legs(TimeFs now) {
  for_each_port(end_mask_, [&](std::uint16_t p) {
    Inlet& inlet = inlets_[p];
    while (!inlet.ends.empty() && inlet.ends.front().time <= now) {
      const Inlet::End end = inlet.ends.front();
      inlet.ends.pop_front();
      send_end(p, *end.transaction, end.leg);
    }
    if (inlet.ends.empty()) end_mask_ &= ~bit(p);
  });
}

void Transit::wake_at(TimeFs at) {
  if (at >= wake_time_) return;
  wake_time_ = at;
  scheduler().schedule(at, *this);
}

void Transit::schedule_wake() {
  TimeFs at = messages_.empty() ? kNever : messages_.front().ready;
  for_each_port(waiting_mask_, [&](std::uint16_t p) { at = std::min(at, inlets_[p].waiting.front().time); });
  for_each_port(end_mask_, [&](std::uint16_t p) { at = std::min(at, inlets_[p].ends.front().time); });
  if (at != kNever) wake_at(std::max(at, now()));
}

void Transit::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  for (const Inlet& inlet : inlets_) {
    for (std::size_t i = 0; i < inlet.waiting.size(); ++i) {
      const FlitRun& flits = inlet.waiting[i];
      waits.push_back(
          {node_id(), fmt::format("{} flits of transaction {}", flits.count, flits.transaction->id), flits.time});
    }
  }
}

}  // namespace kb::modules
