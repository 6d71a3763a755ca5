#include "modules/cube/hbm_ctrl.h"

#include "modules/fabric/request_text.h"
#include "platform/base/error.h"

namespace kb::modules {

using payload::Leg;
using payload::Op;
using payload::Transaction;

namespace {
constexpr int kLargestBudget = 32;

PseudoChannels::Params channel_params(const topology::Node& node) {
  PseudoChannels::Params params;
  params.count = static_cast<std::uint32_t>(node.integer("num_pcs"));
  const auto burst_bytes = static_cast<std::uint64_t>(node.integer("burst_bytes"));
  params.burst_shift = static_cast<std::uint32_t>(__builtin_ctzll(burst_bytes));
  params.burst = occupancy_fs(burst_bytes, node.number("pc_bw_gbs"));
  params.switch_penalty = ns_to_fs(node.number_or("switch_penalty_ns", 0.0));
  return params;
}
}  // namespace

HbmCtrl::HbmCtrl(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context)
    : FabricNode(name, node, context),
      overhead_(ns_to_fs(node_record().number_or("overhead_ns", 0.0))),
      plan_(*this, context.observer, channel_params(node_record())),
      burst_budget_(kLargestBudget),
      return_budget_(kLargestBudget) {
  if (port_count() != 1) throw Error::model(node_id() + " must have exactly one router neighbour");
  interval_ = channel(0).params().occupancy;
}

void HbmCtrl::on_flits(const FlitRun& flits) {
  writes_.add(flits);
  wake_at(flits.time);
}

void HbmCtrl::on_message(Transaction&, const FlitRun& message) {
  commands_.push_back(message);
  wake_at(message.time);
}

void HbmCtrl::on_withdrawn(std::uint16_t, Transaction& transaction, Leg leg, std::uint32_t first) {
  ArrivalKey entry;
  if (plan_.find_write(transaction, first, now(), entry)) take_back_bursts(entry);
  writes_.withdraw(transaction, leg, first);
  schedule_wake();
}

void HbmCtrl::on_event(TimeFs now, std::uint64_t) {
  if (now != wake_time_) return;
  wake_time_ = kNever;
  Outbox outbox(*this);
  plan_.settle(now);
  take_commands(now);
  plan_bursts(now);
  finish_writes(now);
  return_flits(now);
  send_acknowledgements(now);
  outbox.flush();
  schedule_wake();
}

void HbmCtrl::conclude() {
  FabricNode::conclude();
  plan_.finish();
}

void HbmCtrl::take_commands(TimeFs now) {
  while (!commands_.empty() && commands_.front().time <= now) {
    const FlitRun message = commands_.front();
    commands_.pop_front();
    Transaction& t = *message.transaction;
    if (t.op != Op::read || t.flits == 0) {
      if (t.op == Op::message) t.status = {false, "UNSUPPORTED_REQUEST", node_id() + " serves reads and writes only"};
      insert_due(acknowledgements_, {now + overhead_, message.sequence, &t});
      continue;
    }
    const TimeFs start = std::max(message.time + overhead_, issuer_free_);
    issuer_free_ = start + static_cast<TimeFs>(t.flits) * interval_;
    t.terminal_time = 0;
    reads_.push_back({&t, start, 0, message.sequence});
    ++reads_served_;
    bytes_read_ += t.bytes;
  }
}

ArrivalKey HbmCtrl::next_read() const {
  if (reads_.empty()) return {kNever, 0, 0, 0};
  const ReadCommand& read = reads_.front();
  return {read.start + static_cast<TimeFs>(read.next) * interval_, 0, read.sequence, read.next};
}

ArrivalKey HbmCtrl::next_write() const {
  if (writes_.empty()) return {kNever, 0, 0, 0};
  const FlitRun& flits = writes_.front();
  return {std::max(flits.time, write_floor_) + (header_is_next() ? overhead_ : 0), 0, flits.sequence, 0};
}

void HbmCtrl::plan_bursts(TimeFs now) {
  if (burst_budget_ < kLargestBudget) ++burst_budget_;
  int ahead = 0;
  while (!reads_.empty() || !writes_.empty()) {
    const ArrivalKey read_key = next_read(), write_key = next_write();
    const bool read = read_key < write_key;
    const ArrivalKey& key = read ? read_key : write_key;
    if (!read && header_is_next() && writes_.front().time > now) return;
    if (key.time > now && ahead++ >= burst_budget_) return;
    if (take_back_bursts(key)) continue;
    if (read) {
      plan_read(write_key);
    } else {
      plan_writes(read_key, now);
    }
  }
}

void HbmCtrl::plan_read(const ArrivalKey& write) {
  ReadCommand& command = reads_.front();
  Transaction& t = *command.transaction;
  Piece piece;
  piece.read = true;
  piece.bursts.transaction = &t;
  piece.bursts.time = command.start + static_cast<TimeFs>(command.next) * interval_;
  piece.bursts.spacing = interval_;
  piece.bursts.sequence = command.sequence;
  piece.bursts.sequence_step = 0;
  piece.bursts.first = command.next;
  piece.bursts.count = t.flits - command.next;
  piece.bursts.leg = Leg::response;
  piece.bursts.count = piece.count_before(write);
  command.next += piece.bursts.count;
  if (command.next == t.flits) reads_.pop_front();
  plan_.add(piece,
            [&](std::uint32_t j, std::uint32_t n, TimeFs finish, TimeFs step) { deliver(piece, j, n, finish, step); });
}

void HbmCtrl::plan_writes(const ArrivalKey& read, TimeFs now) {
  const FlitRun& waiting = writes_.front();
  Piece piece;
  piece.bursts = waiting;
  if (waiting.first == 0) {
    waiting.transaction->terminal_time = 0;
    ++writes_served_;
    bytes_written_ += waiting.transaction->bytes;
    if (overhead_ > 0) {
      write_floor_ = std::max(waiting.time, write_floor_) + overhead_;
      piece.bursts.count = 1;
    }
  }
  piece.floor = write_floor_;
  piece.bursts.count = piece.count_before(read);
  if (writes_.size() > 1) piece.bursts.count = std::min(piece.bursts.count, waiting.count_before(writes_[1].key()));
  writes_.take(piece.bursts.count);
  plan_.add(piece, [](std::uint32_t, std::uint32_t, TimeFs, TimeFs) {});
  if (!piece.bursts.has_last_flit()) return;
  const std::uint32_t last = piece.bursts.count - 1;
  last_entries_.push_back({std::max(piece.entry(last), now), piece.bursts.sequence + last * piece.bursts.sequence_step,
                           piece.bursts.transaction});
}

void HbmCtrl::deliver(const Piece& piece, std::uint32_t index, std::uint32_t count, TimeFs finish, TimeFs step) {
  Transaction& t = *piece.bursts.transaction;
  FlitRun run;
  run.transaction = &t;
  run.sequence = piece.bursts.sequence;
  run.sequence_step = 0;
  run.hop = t.route->last_hop();
  run.leg = Leg::response;
  run.out_port = t.hops[run.hop].reverse;
  run.first = piece.bursts.first + index;
  const auto push = [&](TimeFs time, TimeFs spacing, std::uint32_t n) {
    run.time = time;
    run.spacing = spacing;
    run.count = n;
    split_by_size(run, [&](const FlitRun& part) { returns_.add(part); });
    run.first += n;
  };
  // Flits that finish before a predecessor wait for it.
  std::uint32_t held = 0;
  while (held < count && finish + static_cast<TimeFs>(held) * step < t.terminal_time) {
    push(t.terminal_time, 0, 1);
    ++held;
  }
  if (held < count) push(finish + static_cast<TimeFs>(held) * step, step, count - held);
}

bool HbmCtrl::take_back_bursts(const ArrivalKey& limit) {
  if (!plan_.reaches(limit)) return false;
  burst_budget_ /= 2;
  plan_.take_back(limit, now(), [&](bool read, const FlitRun& bursts) {
    if (read) {
      put_back_read(bursts);
    } else {
      put_back_write(bursts);
    }
  });
  return true;
}

void HbmCtrl::put_back_read(const FlitRun& bursts) {
  Transaction& t = *bursts.transaction;
  withdraw_return(t, bursts.first);
  if (!reads_.empty() && reads_.front().transaction == &t) {
    reads_.front().next = bursts.first;
    return;
  }
  reads_.push_front({&t, bursts.time - static_cast<TimeFs>(bursts.first) * interval_, bursts.first, bursts.sequence});
}

void HbmCtrl::put_back_write(const FlitRun& bursts) {
  if (bursts.has_last_flit()) last_entries_.pop_back();
  if (bursts.first == 0) {
    --writes_served_;
    bytes_written_ -= bursts.transaction->bytes;
  }
  writes_.put_back(bursts);
}

void HbmCtrl::withdraw_return(Transaction& transaction, std::uint32_t first) {
  ArrivalKey key;
  channel(0).settle(now());
  if (channel(0).find(transaction, Leg::response, first, key)) cut(0, key);
  returns_.withdraw(transaction, Leg::response, first);
}

void HbmCtrl::take_back(const FlitRun& flits) {
  return_budget_ /= 2;
  returns_.put_back(flits);
}

void HbmCtrl::return_flits(TimeFs now) {
  if (return_budget_ < kLargestBudget) ++return_budget_;
  int ahead = 0;
  while (!returns_.empty()) {
    const FlitRun& flits = returns_.front();
    if (flits.time > now && (flits.first == 0 || ahead++ >= return_budget_)) break;
    const ArrivalKey key = flits.key();
    if (channel(0).has_at_or_after(key)) {
      cut(0, key);
      continue;
    }
    StrandBuffer strands;
    const std::size_t count = returns_.take_braid({kNever, 0, 0, 0}, strands);
    commit(strands.runs, count, 0);
  }
}

void HbmCtrl::finish_writes(TimeFs now) {
  while (!last_entries_.empty() && last_entries_.front().time <= now) {
    const Due last = last_entries_.front();
    last_entries_.pop_front();
    send_end(0, *last.transaction, Leg::request);
    last.transaction->delivered = last.transaction->terminal_time;
    insert_due(acknowledgements_, {last.transaction->terminal_time, last.sequence, last.transaction});
  }
}

void HbmCtrl::send_acknowledgements(TimeFs now) {
  while (!acknowledgements_.empty() && acknowledgements_.front().time <= now) {
    const Due due = acknowledgements_.front();
    acknowledgements_.pop_front();
    Transaction& t = *due.transaction;
    t.payload().set_response_status(t.status.ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
    const std::uint16_t hop = t.route->last_hop();
    send_message(t.hops[hop].reverse, t, Leg::response, hop, due.time, {due.time, 0, due.sequence, 0});
  }
}

void HbmCtrl::insert_due(SlidingDeque<Due>& queue, const Due& due) {
  std::size_t position = queue.size();
  queue.push_back(due);
  const auto before = [](const Due& a, const Due& b) {
    return a.time != b.time ? a.time < b.time : a.sequence < b.sequence;
  };
  while (position > 0 && before(due, queue[position - 1])) {
    queue[position] = queue[position - 1];
    --position;
  }
  queue[position] = due;
}

void HbmCtrl::wake_at(TimeFs at) {
  if (at >= wake_time_) return;
  wake_time_ = at;
  scheduler().schedule(at, *this);
}

void HbmCtrl::schedule_wake() {
  TimeFs at = kNever;
  if (!commands_.empty()) at = commands_.front().time;
  at = std::min(at, next_read().time);
  if (!writes_.empty()) at = std::min(at, writes_.front().time > now() ? writes_.front().time : write_floor_);
  if (!returns_.empty()) at = std::min(at, returns_.front().time);
  if (!last_entries_.empty()) at = std::min(at, last_entries_.front().time);
  if (!acknowledgements_.empty()) at = std::min(at, acknowledgements_.front().time);
  if (at != kNever) wake_at(std::max(at, now()));
}

void HbmCtrl::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  FabricNode::collect_statistics(statistics);
  if (reads_served_ + writes_served_ == 0) return;
  statistics.push_back({"reads", static_cast<std::int64_t>(reads_served_), "1"});
  statistics.push_back({"writes", static_cast<std::int64_t>(writes_served_), "1"});
  statistics.push_back({"read_bytes", static_cast<std::int64_t>(bytes_read_), "B"});
  statistics.push_back({"write_bytes", static_cast<std::int64_t>(bytes_written_), "B"});
}

void HbmCtrl::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    waits.push_back({node_id(), "bursts of " + request_text(*reads_[i].transaction, context().graph), reads_[i].start});
  }
}

}  // namespace kb::modules
