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
      channels_(channel_params(node_record())),
      settled_channels_(channels_),
      waves_(*this, context.observer, channels_.params().count),
      burst_budget_(kLargestBudget),
      return_budget_(kLargestBudget) {
  if (port_count() != 1) throw Error::model(node_id() + " must have exactly one router neighbour");
  interval_ = channel(0).params().occupancy;
}

std::uint32_t HbmCtrl::Piece::count_before(const ArrivalKey& limit) const {
  if (floor > limit.time) return 0;
  if (floor < limit.time) return bursts.count_before(limit);
  // Everything that was held back to `floor` enters at this very time: the sequence decides.
  FlitRun held = bursts;
  held.count = bursts.count_before({limit.time + 1, 0, 0, 0});
  if (held.count == 0) return 0;
  held.time = limit.time;
  held.spacing = 0;
  return held.count_before(limit);
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
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const FlitRun& flits = pieces_[i].bursts;
    if (pieces_[i].read || pieces_[i].past(now()) || !flits.same_leg(transaction, leg)) continue;
    if (flits.first + flits.count <= first) continue;
    const std::uint32_t index = std::max(first, flits.first) - flits.first;
    take_back_bursts(pieces_[i].entry_key(index));
    break;
  }
  writes_.withdraw(transaction, leg, first);
  schedule_wake();
}

void HbmCtrl::on_event(TimeFs now, std::uint64_t) {
  if (now != wake_time_) return;
  wake_time_ = kNever;
  Outbox outbox(*this);
  settle_pieces(now);
  take_commands(now);
  commit_bursts(now);
  finish_writes(now);
  return_flits(now);
  send_acknowledgements(now);
  outbox.flush();
  schedule_wake();
}

void HbmCtrl::end_of_simulation() {
  FabricNode::end_of_simulation();
  settle_all_pieces();
  waves_.finish();
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

void HbmCtrl::commit_bursts(TimeFs now) {
  if (burst_budget_ < kLargestBudget) ++burst_budget_;
  int ahead = 0;
  while (!reads_.empty() || !writes_.empty()) {
    ArrivalKey read_key{kNever, 0, 0, 0}, write_key{kNever, 0, 0, 0};
    if (!reads_.empty()) {
      const ReadCommand& r = reads_.front();
      read_key = {r.start + static_cast<TimeFs>(r.next) * interval_, 0, r.sequence, r.next};
    }
    bool header = false;
    if (!writes_.empty()) {
      const FlitRun& w = writes_.front();
      header = w.first == 0 && overhead_ > 0;
      write_key = {std::max(w.time, write_floor_) + (header ? overhead_ : 0), 0, w.sequence, 0};
    }
    const bool read = read_key < write_key;
    const ArrivalKey& key = read ? read_key : write_key;
    if (!read && header && writes_.front().time > now) return;
    if (key.time > now && ahead++ >= burst_budget_) return;
    if (take_back_bursts(key)) continue;
    if (read) {
      commit_reads(reads_.front(), write_key);
    } else {
      commit_writes(read_key, now);
    }
  }
}

void HbmCtrl::commit_reads(ReadCommand& command, const ArrivalKey& next_write) {
  Transaction& t = *command.transaction;
  Piece piece;
  piece.read = true;
  piece.offset = t.hbm_offset;
  piece.bursts.transaction = &t;
  piece.bursts.time = command.start + static_cast<TimeFs>(command.next) * interval_;
  piece.bursts.spacing = interval_;
  piece.bursts.sequence = command.sequence;
  piece.bursts.sequence_step = 0;
  piece.bursts.first = command.next;
  piece.bursts.count = t.flits - command.next;
  piece.bursts.leg = Leg::response;
  piece.bursts.count = piece.count_before(next_write);
  piece.terminal_before = t.terminal_time;
  command.next += piece.bursts.count;
  if (command.next == t.flits) reads_.pop_front();
  pieces_.push_back(piece);
  apply(piece, piece.bursts.count, true);
}

void HbmCtrl::commit_writes(const ArrivalKey& next_read, TimeFs now) {
  const FlitRun& waiting = writes_.front();
  Piece piece;
  piece.bursts = waiting;
  piece.offset = waiting.transaction->hbm_offset;
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
  piece.bursts.count = piece.count_before(next_read);
  if (writes_.size() > 1) piece.bursts.count = std::min(piece.bursts.count, waiting.count_before(writes_[1].key()));
  piece.terminal_before = piece.bursts.transaction->terminal_time;
  writes_.take(piece.bursts.count);
  pieces_.push_back(piece);
  apply(piece, piece.bursts.count, true);
  if (piece.bursts.has_last_flit()) {
    const std::uint32_t last = piece.bursts.count - 1;
    last_entries_.push_back({std::max(piece.entry(last), now),
                             piece.bursts.sequence + last * piece.bursts.sequence_step, piece.bursts.transaction});
  }
}

// Commits the first `count` bursts of a piece to the channels; with `deliver` a read's flits become ready to return.
void HbmCtrl::apply(const Piece& piece, std::uint32_t count, bool with_delivery) {
  Transaction& t = *piece.bursts.transaction;
  channels_.commit(piece.offset, piece.bursts.first, count, piece.bursts.time, piece.bursts.spacing, piece.floor,
                   piece.direction(), [&](std::uint32_t j, std::uint32_t n, TimeFs finish, TimeFs step) {
                     const TimeFs last = finish + static_cast<TimeFs>(n - 1) * step;
                     if (piece.read && with_delivery) deliver(piece, j, n, finish, step);
                     t.terminal_time = std::max(t.terminal_time, last);
                   });
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

void HbmCtrl::settle_pieces(TimeFs now) {
  if (!pieces_.empty() && pieces_.back().past(now)) settle_all_pieces();
}

void HbmCtrl::settle_all_pieces() {
  if (waves_.wanted()) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) settle(pieces_[i]);
  }
  settled_channels_ = channels_;
  pieces_.clear();
}

void HbmCtrl::settle_past_pieces(TimeFs now) {
  for (; !pieces_.empty() && pieces_.front().past(now); pieces_.pop_front()) settle(pieces_.front());
}

void HbmCtrl::settle(const Piece& piece) {
  const FlitRun& bursts = piece.bursts;
  if (!waves_.wanted()) {
    settled_channels_.commit(piece.offset, bursts.first, bursts.count, bursts.time, bursts.spacing, piece.floor,
                             piece.direction(), [](std::uint32_t, std::uint32_t, TimeFs, TimeFs) {});
    return;
  }
  for (std::uint32_t i = 0; i < bursts.count; ++i) {
    const std::size_t pc = settled_channels_.channel_of(piece.offset, bursts.first + i);
    const TimeFs entry = piece.entry(i);
    settled_channels_.commit(piece.offset, bursts.first + i, 1, entry, 0, 0, piece.direction(),
                             [&](std::uint32_t, std::uint32_t, TimeFs finish, TimeFs) {
                               waves_.add(pc, entry, finish - settled_channels_.params().burst, finish);
                             });
  }
}

bool HbmCtrl::take_back_bursts(const ArrivalKey& limit) {
  if (pieces_.empty()) return false;
  const Piece& newest = pieces_.back();
  if (newest.count_before(limit) == newest.bursts.count) return false;
  burst_budget_ /= 2;
  settle_past_pieces(std::min(now(), limit.time));
  for (std::size_t i = pieces_.size(); i-- > 0;)
    pieces_[i].bursts.transaction->terminal_time = pieces_[i].terminal_before;
  channels_ = settled_channels_;
  std::size_t kept = 0;
  std::uint32_t partial = 0;
  for (; kept < pieces_.size(); ++kept) {
    partial = pieces_[kept].count_before(limit);
    if (partial > 0) apply(pieces_[kept], partial, false);
    if (partial < pieces_[kept].bursts.count) break;
  }
  while (pieces_.size() > kept) {
    Piece& piece = pieces_.back();
    const std::uint32_t keep = pieces_.size() - 1 == kept ? partial : 0;
    const FlitRun rest = piece.bursts.tail(keep);
    Transaction& t = *rest.transaction;
    if (piece.read) {
      withdraw_return(t, rest.first);
      if (!reads_.empty() && reads_.front().transaction == &t) {
        reads_.front().next = rest.first;
      } else {
        reads_.push_front({&t, rest.time - static_cast<TimeFs>(rest.first) * interval_, rest.first, rest.sequence});
      }
    } else {
      if (rest.has_last_flit()) last_entries_.pop_back();
      if (rest.first == 0) {
        --writes_served_;
        bytes_written_ -= t.bytes;
      }
      writes_.put_back(rest);
    }
    if (keep > 0) {
      piece.bursts.count = keep;
      break;
    }
    pieces_.pop_back();
  }
  if (limit.time <= now()) settle_all_pieces();  // what is left can no longer change
  return true;
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

void HbmCtrl::insert_due(RingDeque<Due>& queue, const Due& due) {
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
  if (!reads_.empty()) at = std::min(at, reads_.front().start + static_cast<TimeFs>(reads_.front().next) * interval_);
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
