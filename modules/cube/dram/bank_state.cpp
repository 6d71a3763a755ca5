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

BankTimes::BankTimes(const Standard& standard) {
  const Geometry& g = standard.geometry;
  banks_per_pc_ = static_cast<std::uint32_t>(g.banks_per_pc());
  sids_ = static_cast<std::uint32_t>(g.sids);
  group_shift_ = shift_of(g.banks);
  sid_shift_ = group_shift_ + shift_of(g.bank_groups);
  const auto sids = static_cast<std::size_t>(kPcs * g.sids), groups = static_cast<std::size_t>(g.bank_groups);
  first_group_ = kFirstSid + sids;
  first_bank_ = first_group_ + sids * groups;
  next_.assign((first_bank_ + static_cast<std::size_t>(g.banks_of_channel())) * kCommands,
               kNotIssued * (Limit::kCauseMask + 1));
  for (auto& acts : acts_) acts.fill(kNotIssued);
  table_ = table_of(standard);
}

std::shared_ptr<const BankTimes::Table> BankTimes::table_of(const Standard& standard) const {
  auto table = std::make_shared<Table>();
  for (const Constraint& constraint : constraints_of(standard.timing)) {
    for (const Command before : constraint.before) {
      for (const Command after : constraint.after) {
        if (plain(after) != after) continue;
        // Between the ends of the commands: a device acts when it has received one.
        const Half gap = 2 * Half{constraint.ticks} + standard.length(before) - standard.length(after);
        const Half add = gap * (Limit::kCauseMask + 1) + Limit::kCauseMask - static_cast<Half>(index(constraint.cause));
        const std::size_t first =
            constraint.scope == Scope::bank ? first_bank_ * kCommands + index(after) : first_bank_ * index(after);
        const Rule rule{constraint.scope, after, static_cast<std::uint32_t>(first), add};
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
void BankTimes::drop_implied(Rules& rules) {
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
}

void BankTimes::delay_siblings(const Rule& rule, std::uint32_t bank, Half packed) {
  const std::size_t first = kFirstSid + pc_of(bank) * sids_, own = sid_of(bank);
  for (std::size_t sid = first; sid < first + sids_; ++sid) {
    if (sid != own) delay(sid, rule, packed);
  }
}

void BankTimes::issue(Command command, std::uint32_t bank, Half at) {
  const std::array<std::size_t, kScopes> parts = {pc_of(bank), sid_of(bank), group_of(bank), bank * kCommands};
  const Rules& rules = (*table_)[index(command)];
  const Half packed = at * (Limit::kCauseMask + 1);
  for (const Rule& rule : rules.plain) delay(parts[static_cast<std::size_t>(rule.scope)], rule, packed);
  for (const Rule& rule : rules.siblings) delay_siblings(rule, bank, packed);
  if (command != Command::act) return;
  std::array<Half, kWindow>& acts = acts_[pc_of(bank)];
  std::rotate(acts.begin(), acts.begin() + 1, acts.end());
  acts.back() = at;
  for (const WindowRule& window : rules.windows) {
    const Half first = acts[kWindow - window.window] * (Limit::kCauseMask + 1);
    delay(parts[static_cast<std::size_t>(window.rule.scope)], window.rule, first);
  }
}

void BankTimes::shift(Half span) {
  for (Half& time : next_) {
    if (time > kNotIssued / 2 * (Limit::kCauseMask + 1)) time += span * (Limit::kCauseMask + 1);
  }
  for (auto& acts : acts_) {
    for (Half& time : acts) time += time > kNotIssued / 2 ? span : 0;
  }
}

}  // namespace kb::dram
