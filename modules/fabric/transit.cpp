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
      next_arrival_(port_count(), kNever),
      lookahead_(kMostLookahead) {
  if (port_count() > 64) throw Error::model(node_id() + " has more than 64 fabric ports");
}

void Transit::on_flits(const FlitRun& flits) {
  inlets_[flits.in_port].waiting.add(flits);
  note_front(flits.in_port);
  wake_at(flits.time);
}

// Keeps the arrival of a port's first waiting flit.
void Transit::note_front(std::uint16_t port) {
  const ArrivalQueue& waiting = inlets_[port].waiting;
  next_arrival_[port] = waiting.empty() ? kNever : waiting.front().time;
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
  const std::uint16_t out_port = next_port(transaction, leg, transaction.segment.hop);
  ArrivalKey key;
  channel(out_port).settle(now());
  if (channel(out_port).find(transaction, leg, first, key)) cut(out_port, key);
  inlets_[port].waiting.withdraw(transaction, leg, first);
  note_front(port);
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
  inlet.waiting.put_back(flits);
  note_front(flits.in_port);
  disturbed_ = true;
}

void Transit::on_event(TimeFs now, std::uint64_t) {
  if (now != wake_time_) return;  // an earlier wake took over
  wake_time_ = kNever;
  forward_flits(now);
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
  const std::uint16_t ports = port_count();
  for (;;) {
    std::uint16_t best = 0;
    TimeFs earliest = next_arrival_[0];
    for (std::uint16_t p = 1; p < ports; ++p) {  // equal times: lower port first
      best = next_arrival_[p] < earliest ? p : best;
      earliest = std::min(earliest, next_arrival_[p]);
    }
    if (earliest == kNever) return;
    ArrivalQueue& waiting = inlets_[best].waiting;
    const bool header = waiting.front().first == 0 && overhead_ > 0;
    if (earliest > now && (header || allowance == 0)) return;
    if (make_way(waiting.front(), header)) continue;
    std::uint32_t count = 1;
    if (header) {
      worker_free_ = std::max(worker_free_, earliest) + overhead_;
    } else {
      count = std::min(undisputed(waiting.front()), allowance + 1);
      allowance -= std::min(allowance, count);
    }
    const FlitRun part = waiting.take(count);
    note_front(best);
    commit(part, worker_free_);
    if (part.has_last_flit()) note_last_flit(part, now);
  }
}

// Takes back what was forwarded although its turn comes after these flits: from their out-edge, for a header from all.
bool Transit::make_way(const FlitRun& flits, bool header) {
  const ArrivalKey key = flits.key();
  if (!header) {
    if (!channel(flits.out_port).has_at_or_after(key)) return false;
    cut(flits.out_port, key);
    return true;
  }
  bool undone = false;
  for (std::uint16_t p = 0; p < port_count(); ++p) {
    if (!channel(p).has_at_or_after(key)) continue;
    cut(p, key);
    undone = true;
  }
  return undone;
}

// Flits of a run, the first of all that wait, that come before everything known to compete for its out-edge or for the
// decode worker.
std::uint32_t Transit::undisputed(const FlitRun& flits) const {
  std::uint32_t count = flits.count;
  TimeFs last = flits.last_time();
  for (std::uint16_t p = 0; p < port_count(); ++p) {
    if (next_arrival_[p] > last) continue;
    const ArrivalQueue& waiting = inlets_[p].waiting;
    for (std::size_t i = p == flits.in_port ? 1 : 0; i < waiting.size() && waiting[i].time <= last; ++i) {
      const FlitRun& other = waiting[i];
      if (other.out_port != flits.out_port && (other.first != 0 || overhead_ == 0)) continue;
      count = std::min(count, flits.count_before(other.key()));
      last = flits.time_of(count - 1);
      break;
    }
  }
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
  for (const TimeFs arrival : next_arrival_) at = std::min(at, arrival);
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
