#include "modules/cube/read_arbiter.h"

#include <algorithm>

namespace kb::modules {

void ReadArbiter::configure(bool take_turns, const AccessUnit& unit, Bandwidth return_bw, std::uint32_t channel) {
  take_turns_ = take_turns;
  unit_ = unit;
  return_bw_ = return_bw;
  interval_ = return_bw.occupancy(unit.burst);
  channel_ = channel;
}

void ReadArbiter::note(const Requester& requester) {
  Waiting& waiting = waiting_[static_cast<std::size_t>(&requester - requesters_.data())];
  if (requester.commands.empty()) {
    waiting.open = kNever;
    return;
  }
  const Command& command = requester.commands.front();
  waiting.open = command.open;
  waiting.turn =
      command.open <= requester.slot ? Joined{requester.slot, true, 0} : Joined{command.open, false, command.sequence};
  waiting.offset = command.transaction->hbm_offset;
  waiting.next = command.next;
}

// An idle requester can be removed once no later command can open before its last slot.
ReadArbiter::Requester& ReadArbiter::requester_of(const payload::Transaction& transaction, TimeFs open) {
  const NodeId node = take_turns_ ? transaction.route->nodes.front() : NodeId(0);
  Requester* idle = nullptr;
  for (Requester& requester : requesters_) {
    if (requester.node == node) return requester;
    if (requester.commands.empty() && requester.slot < open) idle = &requester;
  }
  if (idle == nullptr) {
    idle = &requesters_.emplace_back();
    waiting_.emplace_back();
  }
  idle->node = node;
  idle->slot = -1_fs;
  idle->issuer_after = 0_fs;
  return *idle;
}

TimeFs ReadArbiter::slot_time(const Command& command, std::uint32_t burst) const {
  const bool part = burst + 1 == command.transaction->flits && unit_.ends_in_part(*command.transaction);
  return part ? return_bw_.occupancy(unit_.last_bytes(*command.transaction)) : interval_;
}

const ReadArbiter::Next& ReadArbiter::next() const {
  if (next_known_) return next_;
  next_known_ = true;
  next_ = {};
  TimeFs open = kNever;
  for (const Waiting& waiting : waiting_) open = std::min(open, waiting.open);
  if (open == kNever) return next_;
  next_.slot = std::max(issuer_free_, open);
  const Waiting* earliest = nullptr;
  for (const Waiting& waiting : waiting_) {
    if (waiting.open > next_.slot) {
      next_.others_open = std::min(next_.others_open, waiting.open);
      continue;
    }
    ++next_.open;
    if (earliest == nullptr || waiting.turn < earliest->turn) earliest = &waiting;
  }
  next_.requester = static_cast<std::size_t>(earliest - waiting_.data());
  return next_;
}

template <typename F>
void ReadArbiter::for_each_open(F&& f) const {
  const TimeFs slot = next().slot;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i].open <= slot) f(i, waiting_[i]);
  }
}

std::size_t ReadArbiter::channel_of(const PseudoChannels& channels, const Waiting& waiting) const {
  return channels.channel_of(channel_, waiting.offset, waiting.next);
}

TimeFs ReadArbiter::longest_wait(const PseudoChannels& channels) const {
  return time_product(next().open, channels.params().burst);
}

void ReadArbiter::choose(const PseudoChannels& channels) {
  chosen_ = true;
  const TimeFs slot = next().slot;
  if (slot - waiting_[next_.requester].turn.time >= longest_wait(channels)) return;
  Joined earliest{kNever, false, 0};
  for_each_open([&](std::size_t requester, const Waiting& waiting) {
    if (!(waiting.turn < earliest) || channels.free_at(channel_of(channels, waiting)) > slot) return;
    earliest = waiting.turn;
    next_.requester = requester;
  });
}

TimeFs ReadArbiter::add(payload::Transaction& transaction, TimeFs open, std::uint64_t sequence) {
  Requester& requester = requester_of(transaction, open);
  const bool first = requester.commands.empty();
  requester.commands.push_back({&transaction, open, 0, sequence});
  forget_next();
  if (!first) return kNever;  // served after its earlier commands, so no taken slot changes
  note(requester);
  ++active_;
  // Slots up to its own latest one are unaffected, because this requester was already contending for them.
  if (requester.slot >= open) return issuer_free_ > requester.issuer_after ? requester.slot + 1_fs : kNever;
  return issuer_free_ > open ? open : kNever;
}

ReadArbiter::Share ReadArbiter::share(const PseudoChannels& channels, PseudoChannels& trial) const {
  const Next& n = next();
  const Requester& requester = requesters_[n.requester];
  Share share{requester.commands.front(), n.slot, 0, issuer_free_, requester.slot};
  share.count = n.open == 1 ? left(share.command) : slots_in_a_row(channels, trial);
  if (n.slot <= kTimeEnd) {  // later slots are never issued
    const auto most = static_cast<std::uint64_t>((kTimeEnd - n.slot) / interval_) + 2;
    share.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(share.count, most));
  }
  // Other requesters take part as soon as their commands open.
  if (n.others_open != kNever) {
    const auto before = static_cast<std::uint64_t>(periods(n.others_open - n.slot, interval_));
    share.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(share.count, before));
  }
  return share;
}

// After its first slot a requester goes to the end of the queue. It gets further slots as long as its pseudo-channels
// are free, those of the others are busy, and no other requester has waited too long.
std::uint32_t ReadArbiter::slots_in_a_row(const PseudoChannels& channels, PseudoChannels& trial) const {
  const Next& n = next();
  const Requester& own = requesters_[n.requester];
  trial = channels;
  BurstRun run;
  run.offset = own.commands.front().transaction->hbm_offset;
  run.channel = channel_;
  run.first = own.commands.front().next;
  run.count = left(own.commands.front());
  run.entry = n.slot;
  run.spacing = interval_;
  run.last = trial.params().burst;  // no burst follows it
  run.direction = BurstDirection::read;
  trial.enter(run, 0);
  const TimeFs longest = longest_wait(trial);
  TimeFs until = kNever;
  for_each_open([&](std::size_t other, const Waiting& waiting) {
    if (other == n.requester) return;
    until = std::min({until, trial.free_at(channel_of(trial, waiting)), waiting.turn.time + longest});
  });
  std::uint32_t count = 1;
  for (; count < run.count && run.entry_of(count) < until; ++count) {
    if (trial.free_at(trial.channel_of(run, count)) > run.entry_of(count)) break;
    trial.enter(run, count);
  }
  return count;
}

void ReadArbiter::take(const Share& share) {
  forget_next();
  Requester& requester = requester_of(*share.command.transaction, 0_fs);
  Command& command = requester.commands.front();
  requester.slot = share.slot + (share.count - 1) * interval_;
  command.next += share.count;
  requester.issuer_after = requester.slot + slot_time(command, command.next - 1);
  issuer_free_ = std::max(issuer_free_, requester.issuer_after);
  if (left(command) == 0) {
    requester.commands.pop_front();
    if (requester.commands.empty()) --active_;
  }
  note(requester);
}

void ReadArbiter::give_back(const Share& share, std::uint32_t first, TimeFs slot) {
  forget_next();
  Requester& requester = requester_of(*share.command.transaction, 0_fs);
  const bool was_empty = requester.commands.empty();
  if (!was_empty && requester.commands.front().transaction == share.command.transaction) {
    requester.commands.front().next = first;
  } else {
    Command command = share.command;
    command.next = first;
    requester.commands.push_front(command);
    if (was_empty) ++active_;
  }
  const bool whole = first == share.command.next;
  requester.slot = whole ? share.slot_before : slot - interval_;
  requester.issuer_after = 0_fs;
  issuer_free_ = std::min(issuer_free_, whole ? share.issuer_before : slot);
  note(requester);
}

}  // namespace kb::modules
