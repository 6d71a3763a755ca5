#include "modules/cube/read_turns.h"

#include <algorithm>

namespace kb::modules {

void ReadTurns::configure(bool take_turns, const AccessUnit& unit, double return_gbs) {
  take_turns_ = take_turns;
  unit_ = unit;
  gbs_ = return_gbs;
  interval_ = occupancy_fs(unit.burst, return_gbs);
}

ReadTurns::Joined ReadTurns::joined(const Command& command, TimeFs latest_slot) {
  if (command.open <= latest_slot) return {latest_slot, true, 0};
  return {command.open, false, command.sequence};
}

// Of a requester that has nothing to read nothing has to be known when all further commands open after its latest slot.
ReadTurns::Requester& ReadTurns::requester_of(const payload::Transaction& transaction, TimeFs open) {
  const NodeId node = take_turns_ ? transaction.route->nodes.front() : NodeId(0);
  Requester* idle = nullptr;
  for (Requester& requester : requesters_) {
    if (requester.node == node) return requester;
    if (requester.commands.empty() && requester.slot < open) idle = &requester;
  }
  if (idle == nullptr) idle = &requesters_.emplace_back();
  idle->node = node;
  idle->slot = -1;
  idle->issuer_after = 0;
  return *idle;
}

TimeFs ReadTurns::slot_time(const Command& command, std::uint32_t burst) const {
  const bool part = burst + 1 == command.transaction->flits && unit_.ends_in_part(*command.transaction);
  return part ? occupancy_fs(unit_.last_bytes(*command.transaction), gbs_) : interval_;
}

const ReadTurns::Next& ReadTurns::next() const {
  if (next_known_) return next_;
  next_known_ = true;
  next_ = {};
  TimeFs open = kNever;
  for (const Requester& requester : requesters_) {
    if (!requester.commands.empty()) open = std::min(open, requester.commands.front().open);
  }
  if (open == kNever) return next_;
  next_.slot = std::max(issuer_free_, open);
  const auto joined = [](const Requester& r) { return ReadTurns::joined(r.commands.front(), r.slot); };
  Joined earliest{kNever, false, 0};
  for (std::size_t i = 0; i < requesters_.size(); ++i) {
    const Requester& requester = requesters_[i];
    if (requester.commands.empty()) continue;
    if (requester.commands.front().open > next_.slot) {
      next_.others_open = std::min(next_.others_open, requester.commands.front().open);
      continue;
    }
    ++next_.open;
    if (joined(requester) < earliest) {
      earliest = joined(requester);
      next_.requester = i;
    }
  }
  return next_;
}

TimeFs ReadTurns::add(payload::Transaction& transaction, TimeFs open, std::uint64_t sequence) {
  Requester& requester = requester_of(transaction, open);
  const bool first = requester.commands.empty();
  requester.commands.push_back({&transaction, open, 0, sequence});
  next_known_ = false;
  if (!first) return kNever;  // served after what it has already
  ++active_;
  // Slots up to its own latest are as they were: it had a command then.
  if (requester.slot >= open) return issuer_free_ > requester.issuer_after ? requester.slot + 1 : kNever;
  return issuer_free_ > open ? open : kNever;
}

void ReadTurns::share(std::uint32_t rounds, std::vector<Share>& shares) const {
  shares.clear();
  const Next& first = next();
  const Command& command = requesters_[first.requester].commands.front();
  const auto add = [&](const Requester& requester) {
    shares.push_back({requester.commands.front(), 0, 0, 0, issuer_free_, requester.slot});
  };
  add(requesters_[first.requester]);
  std::uint32_t count = left(command);
  if (first.open > 1) {
    // Rounds in which everybody has a whole burst; without one, just the burst that is next.
    count = rounds;
    for (const Requester& requester : requesters_) {
      if (requester.commands.empty() || requester.commands.front().open > first.slot) continue;
      const Command& own = requester.commands.front();
      count = std::min(count, left(own) - (unit_.ends_in_part(*own.transaction) ? 1u : 0u));
      if (&requester != &requesters_[first.requester]) add(requester);
    }
    if (count == 0) {
      count = 1;
      shares.resize(1);
    }
    std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
      return joined(a.command, a.slot_before) < joined(b.command, b.slot_before);
    });
  }
  const auto members = static_cast<std::uint64_t>(shares.size());
  const TimeFs spacing = static_cast<TimeFs>(members) * interval_;
  if (first.slot <= kTimeEnd) {  // beyond, nobody looks
    const auto most = static_cast<std::uint64_t>((kTimeEnd - first.slot) / spacing) + 2;
    count = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, most));
  }
  // Slots of others' commands that open meanwhile are theirs.
  std::uint64_t slots = count * members;
  if (first.others_open != kNever) {
    const auto before = static_cast<std::uint64_t>((first.others_open - first.slot + interval_ - 1) / interval_);
    slots = std::min(slots, before);
  }
  for (std::uint64_t k = 0; k < members; ++k) {
    Share& share = shares[k];
    share.slot = first.slot + static_cast<TimeFs>(k) * interval_;
    share.spacing = spacing;
    share.count = slots > k ? static_cast<std::uint32_t>((slots - k + members - 1) / members) : 0;
    if (k > 0) share.issuer_before = share.slot;
  }
}

void ReadTurns::take(const std::vector<Share>& shares) {
  next_known_ = false;
  for (const Share& share : shares) {
    if (share.count == 0) continue;
    Requester& requester = requester_of(*share.command.transaction, 0);
    Command& command = requester.commands.front();
    requester.slot = share.slot + static_cast<TimeFs>(share.count - 1) * share.spacing;
    command.next += share.count;
    requester.issuer_after = requester.slot + slot_time(command, command.next - 1);
    issuer_free_ = std::max(issuer_free_, requester.issuer_after);
    if (left(command) > 0) continue;
    requester.commands.pop_front();
    if (requester.commands.empty()) --active_;
  }
}

void ReadTurns::give_back(const Share& share, std::uint32_t first, TimeFs slot) {
  next_known_ = false;
  Requester& requester = requester_of(*share.command.transaction, 0);
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
  requester.slot = whole ? share.slot_before : slot - share.spacing;
  requester.issuer_after = 0;
  issuer_free_ = std::min(issuer_free_, whole ? share.issuer_before : slot);
}

}  // namespace kb::modules
