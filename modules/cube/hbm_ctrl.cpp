#include "modules/cube/hbm_ctrl.h"

#include <fmt/format.h>

#include "modules/fabric/request_text.h"
#include "platform/base/error.h"

namespace kb::modules {

using payload::Leg;
using payload::Op;
using payload::Transaction;

namespace {
constexpr int kLargestBudget = 32;
// Maximum size of the plan: each wake plans some pieces, and a long queue wakes often.
constexpr std::size_t kMaxPlanned = 256;
}  // namespace

HbmCtrl::HbmCtrl(const sc_core::sc_module_name& name, NodeId node, const params::HbmCtrlParams& params,
                 elab::BlockContext& context)
    : FabricNode(name, node, context),
      overhead_(params.overhead.time()),
      access_(params.access.time()),
      unit_(AccessUnit::of(params)),
      pc_bw_(params.pc_bw),
      plan_(context, params, declare(BurstPlan::declaration(params)), port_count() > 1),
      lanes_(port_count()),
      burst_budget_(kLargestBudget),
      return_budget_(kLargestBudget) {
  assign_ports(params);
}

void HbmCtrl::assign_ports(const params::HbmCtrlParams& params) {
  const auto pcs = static_cast<std::uint32_t>(params.num_pcs);
  const bool take_turns = params.read_order == params::ReadOrder::fair;
  std::vector<bool> bound(pcs, false);
  std::size_t ordinary = 0;
  for (Lane& lane : lanes_) {
    lane.port = static_cast<std::uint16_t>(&lane - lanes_.data());
    const topology::Node& neighbour = context().graph.node(link(lane.port).neighbour);
    if (neighbour.kind != topology::NodeKind::channel_router) {
      ++ordinary;
      lane.reads.configure(take_turns, unit_, wire_at(lane.port).params().bw, kByAddress);
      continue;
    }
    lane.channel = static_cast<std::uint32_t>(neighbour.channel.value());
    if (lane.channel >= pcs || bound[lane.channel]) {
      throw Error::model(node_id() + " has no pseudo-channel for " + neighbour.id);
    }
    bound[lane.channel] = true;
    lane.reads.configure(take_turns, unit_, wire_at(lane.port).params().bw, lane.channel);
  }
  if (ordinary != 1) {
    throw Error::model(node_id() + " must have exactly one router neighbour besides the routers of its channels");
  }
}

void HbmCtrl::on_flits(FlitStream& flits) {
  forget_choices();
  lanes_[flits.in_port].writes.add(flits);
  wake_at(flits.time);
}

void HbmCtrl::on_message(Transaction&, const FlitStream& message) {
  lanes_[message.in_port].commands.push_back(message);
  wake_at(message.time);
}

void HbmCtrl::on_event(TimeFs now, std::uint64_t) {
  if (now != wake_time_) return;
  wake_time_ = kNever;
  SegmentBuffer outbox(*this);
  plan_.retire(now);
  for (Lane& lane : lanes_) take_commands(lane, now);
  plan_bursts(now);
  for (Lane& lane : lanes_) finish_writes(lane, now);
  if (return_budget_ < kLargestBudget) ++return_budget_;
  for (Lane& lane : lanes_) return_flits(lane, now);
  send_acknowledgements(now);
  outbox.flush();
  schedule_wake();
}

void HbmCtrl::conclude() {
  FabricNode::conclude();
  plan_.finish();
}

TimeFs HbmCtrl::report_until(TimeFs now) {
  TimeFs waiting = kNever;
  for (const Lane& lane : lanes_) {
    waiting = std::min({waiting, lane.next_read().time, lane.next_write(overhead_).time});
  }
  return std::min(FabricNode::report_until(now), plan_.show_until(now, waiting));
}

void HbmCtrl::take_commands(Lane& lane, TimeFs now) {
  while (!lane.commands.empty() && lane.commands.front().time <= now) {
    const FlitStream message = lane.commands.front();
    lane.commands.pop_front();
    Transaction& t = *message.transaction;
    if (t.op != Op::read || t.flits == 0) {
      if (t.op == Op::message) t.status = {false, "UNSUPPORTED_REQUEST", node_id() + " serves reads and writes only"};
      acknowledgements_.insert({now + overhead_, lane.port, message.sequence, &t, now + overhead_});
      continue;
    }
    const TimeFs open = time_sum(message.time, overhead_);
    t.terminal_time = 0_fs;
    forget_choices();
    const TimeFs from = lane.reads.add(t, open, message.sequence);
    if (from != kNever) roll_back_bursts(lane, {from, 0, 0, 0});
    ++reads_served_;
    bytes_read_ += t.bytes;
    log(contract::LogLevel::info,
        [&] { return fmt::format("accepts transaction {}, {}", t.id, request_text(t, context().graph)); });
  }
}

ArrivalKey HbmCtrl::Lane::next_read() const {
  if (reads.empty()) return {kNever, 0, 0, 0};
  if (reads.is_contested()) return {reads.next_slot(), 0, 0, 0};
  const ReadArbiter::Command& command = reads.next_command();
  return {reads.next_slot(), port, command.sequence, command.next};
}

ArrivalKey HbmCtrl::Lane::next_write(TimeFs overhead) const {
  if (writes.empty()) return {kNever, 0, 0, 0};
  const FlitStream& flits = writes.front();
  return {std::max(flits.time, write_floor) + (header_is_next(overhead) ? overhead : 0_fs), port, flits.sequence, 0};
}

bool HbmCtrl::next_turn(Turn& turn) {
  turn = {};
  ArrivalKey first{kNever, 0, 0, 0};
  for (Lane& lane : lanes_) {
    if (lane.reads.empty() && lane.writes.empty()) continue;
    const ArrivalKey read = lane.next_read(), write = lane.next_write(overhead_);
    const ArrivalKey& key = read < write ? read : write;
    if (turn.lane != nullptr && !(key < first)) continue;
    first = key;
    turn.lane = &lane;
    turn.read = read;
    turn.write = write;
  }
  if (turn.lane == nullptr) return false;
  turn.after = {kNever, 0, 0, 0};
  for (const Lane& lane : lanes_) {
    if (&lane == turn.lane || !lane.meets(*turn.lane)) continue;
    turn.after = std::min({turn.after, lane.next_read(), lane.next_write(overhead_)});
  }
  return true;
}

void HbmCtrl::plan_bursts(TimeFs now) {
  if (burst_budget_ < kLargestBudget) ++burst_budget_;
  int ahead = 0;
  for (Turn turn; next_turn(turn);) {
    Lane& lane = *turn.lane;
    const bool read = turn.read < turn.write;
    const ArrivalKey& key = read ? turn.read : turn.write;
    if (!read && lane.header_is_next(overhead_) && lane.writes.front().time > now) return;
    if (key.time > now && (ahead >= burst_budget_ || plan_.size() >= kMaxPlanned)) return;
    if (roll_back_bursts(lane, key)) continue;
    if (read && lane.reads.is_contested()) {
      lane.reads.choose(plan_.channels());
      continue;
    }
    if (key.time > now) ++ahead;
    if (read) {
      plan_reads(lane, std::min(turn.write, turn.after));
    } else {
      plan_writes(lane, std::min(turn.read, turn.after), now);
    }
  }
}

void HbmCtrl::plan_reads(Lane& lane, const ArrivalKey& other) {
  if (lane.reads.next_slot() > kTimeEnd) {
    pass_end(*lane.reads.next_command().transaction);
    return;
  }
  ReadArbiter::Share share = lane.reads.share(plan_.channels(), plan_.trial());
  Piece piece;
  piece.read = true;
  piece.channel = lane.channel;
  piece.open = share.command.open;
  piece.issuer_before = share.issuer_before;
  piece.slot_before = share.slot_before;
  piece.bursts.transaction = share.command.transaction;
  piece.bursts.time = share.slot;
  piece.bursts.spacing = lane.reads.interval();
  piece.bursts.in_port = lane.port;
  piece.bursts.sequence = share.command.sequence;
  piece.bursts.sequence_step = 0;
  piece.bursts.first = share.command.next;
  piece.bursts.count = share.count;
  piece.bursts.leg = Leg::response;
  piece.bursts.place = share.command.transaction->place;
  piece.bursts.count = share.count = piece.count_before(other);
  piece.last = burst_time(piece.bursts);
  lane.reads.take(share);
  if (!plan_.fits(piece)) {
    pass_end(*piece.bursts.transaction);
    return;
  }
  plan_.add(piece, [&](std::uint32_t j, std::uint32_t n, TimeFs finish, TimeFs step) {
    deliver(lane, piece, j, n, finish, step);
  });
}

TimeFs HbmCtrl::burst_time(const FlitStream& bursts) const {
  const Transaction& t = *bursts.transaction;
  const TimeFs whole = plan_.whole_burst();
  if (bursts.first + bursts.count < t.flits || !unit_.ends_in_part(t)) return whole;
  return pc_bw_.occupancy(unit_.last_bytes(t));
}

void HbmCtrl::plan_writes(Lane& lane, const ArrivalKey& other, TimeFs now) {
  const FlitStream& waiting = lane.writes.front();
  Piece piece;
  piece.channel = lane.channel;
  piece.floor_before = lane.write_floor;
  piece.bursts = waiting;
  if (waiting.first == 0) {
    waiting.transaction->terminal_time = 0_fs;
    ++writes_served_;
    bytes_written_ += waiting.transaction->bytes;
    if (overhead_ > 0_fs) {
      lane.write_floor = time_sum(std::max(waiting.time, lane.write_floor), overhead_);
      piece.bursts.count = 1;
    }
  }
  piece.floor = lane.write_floor;
  piece.bursts.count = piece.count_before(other);
  if (lane.writes.size() > 1)
    piece.bursts.count = std::min(piece.bursts.count, waiting.count_before(lane.writes[1].key()));
  lane.writes.take(piece.bursts.count);
  piece.last = burst_time(piece.bursts);
  if (!plan_.fits(piece)) {
    pass_end(*piece.bursts.transaction);
    return;
  }
  plan_.add(piece, [](std::uint32_t, std::uint32_t, TimeFs, TimeFs) {});
  if (!piece.bursts.has_last_flit()) return;
  const std::uint32_t last = piece.bursts.count - 1;
  lane.last_entries.push_back({std::max(piece.entry(last), now), lane.port,
                               piece.bursts.sequence + last * piece.bursts.sequence_step, piece.bursts.transaction,
                               piece.entry(last)});
}

void HbmCtrl::deliver(Lane& lane, const Piece& piece, std::uint32_t index, std::uint32_t count, TimeFs finish,
                      TimeFs step) {
  Transaction& t = *piece.bursts.transaction;
  FlitStream stream;
  stream.transaction = &t;
  stream.hop = t.route->last_hop();
  stream.leg = Leg::response;
  stream.out_port = t.hops[stream.hop].reverse;
  stream.first = piece.bursts.first + index;
  stream.place = piece.bursts.place;
  // Orders flits by slot.
  stream.sequence = static_cast<std::uint64_t>(piece.bursts.time_of(index).fs());
  stream.sequence_step = static_cast<std::uint64_t>(piece.bursts.spacing.fs());
  const auto push = [&](TimeFs time, TimeFs spacing, std::uint32_t n) {
    stream.time = time + access_;
    stream.spacing = spacing;
    stream.count = n;
    split_by_size(stream, [&](const FlitStream& part) { lane.returns.add(part); });
    stream.first += n;
    stream.sequence += n * stream.sequence_step;
  };
  // Flits that finish before a predecessor wait for it.
  std::uint32_t held = 0;
  while (held < count && finish + held * step < t.terminal_time) {
    push(t.terminal_time, 0_fs, 1);
    ++held;
  }
  if (held < count) push(finish + held * step, step, count - held);
}

void HbmCtrl::return_flits(Lane& lane, TimeFs now) {
  int ahead = 0;
  while (!lane.returns.empty()) {
    const FlitStream& flits = lane.returns.front();
    if (flits.time > now && (flits.first == 0 || ahead++ >= return_budget_)) break;
    const ArrivalKey key = flits.key();
    if (wire_at(lane.port).has_at_or_after(key)) {
      cut(lane.port, key);
      continue;
    }
    if (logged() && flits.first == 0) {
      log(contract::LogLevel::info,
          [&] { return fmt::format("begins to answer transaction {}", flits.transaction->id); });
    }
    StreamBuffer batch;
    const std::size_t count = lane.returns.take_batch({kNever, 0, 0, 0}, batch);
    commit(batch.streams, count, 0_fs);
  }
}

void HbmCtrl::finish_writes(Lane& lane, TimeFs now) {
  while (!lane.last_entries.empty() && lane.last_entries.front().time <= now) {
    const Due last = lane.last_entries.front();
    lane.last_entries.pop_front();
    send_end(lane.port, *last.transaction, Leg::request);
    last.transaction->delivered = last.transaction->terminal_time;
    acknowledgements_.insert({last.transaction->terminal_time, lane.port, last.sequence, last.transaction, last.entry});
  }
}

void HbmCtrl::send_acknowledgements(TimeFs now) {
  while (!acknowledgements_.empty() && acknowledgements_.front().time <= now) {
    const Due due = acknowledgements_.front();
    acknowledgements_.pop_front();
    Transaction& t = *due.transaction;
    t.payload().set_response_status(t.status.ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
    log(contract::LogLevel::info, [&] {
      return fmt::format("answers transaction {}, {}: {}", t.id, request_text(t, context().graph),
                         t.status.ok ? "ok" : t.status.code);
    });
    const std::uint16_t hop = t.route->last_hop();
    send_message(t.hops[hop].reverse, t, Leg::response, hop, due.time,
                 {due.time, 0, static_cast<std::uint64_t>(due.entry.fs()), 1});
  }
}

void HbmCtrl::wake_at(TimeFs at) {
  if (at >= wake_time_) return;
  wake_time_ = at;
  scheduler().schedule(at, *this);
}

void HbmCtrl::schedule_wake() {
  TimeFs at = kNever;
  for (const Lane& lane : lanes_) {
    if (!lane.commands.empty()) at = std::min(at, lane.commands.front().time);
    at = std::min(at, lane.next_read().time);
    if (!lane.writes.empty()) {
      at = std::min(at, lane.writes.front().time > now() ? lane.writes.front().time : lane.write_floor);
    }
    if (!lane.returns.empty()) at = std::min(at, lane.returns.front().time);
    if (!lane.last_entries.empty()) at = std::min(at, lane.last_entries.front().time);
  }
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
  for (const Lane& lane : lanes_) {
    lane.reads.for_each([&](const ReadArbiter::Command& read) {
      waits.push_back({node_id(), "bursts of " + request_text(*read.transaction, context().graph), read.open});
    });
  }
}

}  // namespace kb::modules
