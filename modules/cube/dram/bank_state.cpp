#include "modules/cube/dram/bank_state.h"

namespace kb::dram {
namespace {

// A command with auto-precharge has the constraints of the one without.
Command plain(Command command) {
  if (command == Command::rda) return Command::rd;
  return command == Command::wra ? Command::wr : command;
}

// log2, as all numbers of banks are powers of two but that of SIDs.
unsigned shift_of(int count) {
  return static_cast<unsigned>(__builtin_ctz(static_cast<unsigned>(count)));
}

}  // namespace

Banks::Banks(const Standard& standard) {
  const Geometry& g = standard.geometry;
  banks_per_pc_ = static_cast<std::uint32_t>(g.banks_per_pc());
  sids_ = static_cast<std::uint32_t>(g.sids);
  group_shift_ = shift_of(g.banks);
  sid_shift_ = group_shift_ + shift_of(g.bank_groups);
  const std::size_t sids = kPcs * static_cast<std::size_t>(g.sids), groups = static_cast<std::size_t>(g.bank_groups);
  first_group_ = kFirstSid + sids;
  parts_ = first_group_ + sids * groups;
  next_.assign(parts_ * kCommands, static_cast<std::int32_t>(kOldest * kTick));
  Bank bank;
  bank.next.fill(static_cast<std::int32_t>(kOldest * kTick));
  bank.opened_limit = bank.closed_limit = static_cast<std::int32_t>(kOldest * kTick);
  bank.opened_at = bank.closed_at = bank.refresh_begin = static_cast<std::int32_t>(kOldest);
  banks_.assign(static_cast<std::size_t>(g.banks_of_channel()), bank);
  for (auto& acts : acts_) acts.fill(kOldest);
  table_ = table_of(standard);
}

std::shared_ptr<const Banks::Table> Banks::table_of(const Standard& standard) const {
  auto table = std::make_shared<Table>();
  for (const Constraint& constraint : constraints_of(standard.timing)) {
    for (const Command before : constraint.before) {
      for (const Command after : constraint.after) {
        if (plain(after) != after) continue;
        // Between the ends of the commands: a device acts when it has received one.
        const Half gap = 2 * Half{constraint.ticks} + standard.length(before) - standard.length(after);
        const Half add = Limit(gap, constraint.cause).packed();
        const std::size_t first =
            constraint.scope == Scope::bank ? kSlot[index(after)] : std::size_t{index(after)} * parts_;
        const Rule rule{constraint.scope, after, static_cast<std::uint32_t>(first), static_cast<std::int32_t>(add)};
        Rules& rules = (*table)[index(before)];
        if (constraint.window > 1) {
          rules.windows.push_back({rule, static_cast<std::size_t>(constraint.window)});
        } else {
          (constraint.sibling ? rules.siblings : rules.plain).push_back(rule);
        }
      }
    }
  }
  for (Rules& rules : *table) drop_implied(rules);
  return table;
}

// A rule of a part is never the last one if another one of a larger part is as late.
void Banks::drop_implied(Rules& rules) {
  const std::vector<Rule> all = rules.plain;
  const auto drop = [&all](std::vector<Rule>& from, Scope largest) {
    const auto implied = [&](const Rule& rule) {
      return std::any_of(all.begin(), all.end(), [&](const Rule& other) {
        return other.after == rule.after && other.scope < std::min(rule.scope, largest) && other.add >= rule.add;
      });
    };
    from.erase(std::remove_if(from.begin(), from.end(), implied), from.end());
  };
  drop(rules.plain, Scope::bank);
  drop(rules.siblings, Scope::sid);
  const auto upper = std::stable_partition(rules.plain.begin(), rules.plain.end(),
                                           [](const Rule& rule) { return rule.scope != Scope::bank; });
  rules.of_bank.assign(upper, rules.plain.end());
  rules.plain.erase(upper, rules.plain.end());
}

void Banks::delay_siblings(const Rule& rule, std::uint32_t bank, std::int32_t packed) {
  const std::size_t first = kFirstSid + pc_of(bank) * sids_, own = sid_of(bank);
  for (std::size_t sid = first; sid < first + sids_; ++sid) {
    if (sid != own) delay(next_[rule.first + sid], rule, packed);
  }
}

void Banks::issue(Command command, std::uint32_t bank, Half at) {
  if (at - base_ > kSpan) move_base(at);
  const std::array<std::size_t, kScopes - 1> parts = {pc_of(bank), sid_of(bank), group_of(bank)};
  const Rules& rules = (*table_)[index(command)];
  const auto packed = static_cast<std::int32_t>((at - base_) * kTick);
  std::int32_t* const next = next_.data();
  for (const Rule& rule : rules.plain) {
    delay(next[rule.first + parts[static_cast<std::size_t>(rule.scope)]], rule, packed);
  }
  for (const Rule& rule : rules.of_bank) delay(banks_[bank].next[rule.first], rule, packed);
  for (const Rule& rule : rules.siblings) delay_siblings(rule, bank, packed);
  if (command == Command::act) count_activation(bank, at);
}

void Banks::count_activation(std::uint32_t bank, Half at) {
  const std::array<std::size_t, kScopes - 1> parts = {pc_of(bank), sid_of(bank), group_of(bank)};
  std::array<Half, kWindow>& acts = acts_[pc_of(bank)];
  std::rotate(acts.begin(), acts.begin() + 1, acts.end());
  acts.back() = at;
  for (const WindowRule& window : (*table_)[index(Command::act)].windows) {
    const Half first = std::max(acts[kWindow - window.window] - base_, kOldest) * kTick;
    const Rule& rule = window.rule;
    delay(next_[rule.first + parts[static_cast<std::size_t>(rule.scope)]], rule, static_cast<std::int32_t>(first));
  }
}

void Banks::move_base(Half to) {
  const Half by = to - base_;
  const auto move = [](std::int32_t& kept, Half span, Half oldest) {
    kept = static_cast<std::int32_t>(std::max(Half{kept} - span, oldest));
  };
  for (std::int32_t& time : next_) move(time, by * kTick, kOldest * kTick);
  for (Bank& bank : banks_) {
    for (std::int32_t& time : bank.next) move(time, by * kTick, kOldest * kTick);
    for (std::int32_t* limit : {&bank.opened_limit, &bank.closed_limit}) move(*limit, by * kTick, kOldest * kTick);
    for (std::int32_t* time : {&bank.opened_at, &bank.closed_at, &bank.refresh_begin}) move(*time, by, kOldest);
  }
  base_ = to;
}

void Banks::shift(Half span) {
  base_ += span;
  for (auto& acts : acts_) {
    for (Half& time : acts) time += span;
  }
}

}  // namespace kb::dram
