#include "modules/cube/dram/bank_state.h"

namespace kb::dram {
namespace {

// A command with auto-precharge has the constraints of the one without.
Command plain(Command command) {
  if (command == Command::rda) return Command::rd;
  return command == Command::wra ? Command::wr : command;
}

}  // namespace

BankTimes::BankTimes(const Standard& standard) : sids_(standard.geometry.sids) {
  const Geometry& g = standard.geometry;
  const int sids = kPcs * g.sids, groups = sids * g.bank_groups, banks = groups * g.banks;
  for (int bank = 0; bank < banks; ++bank) {
    const int group = bank / g.banks, sid = group / g.bank_groups, pc = sid / g.sids;
    nodes_.push_back({static_cast<std::uint16_t>(pc), static_cast<std::uint16_t>(kPcs + sid),
                      static_cast<std::uint16_t>(kPcs + sids + group),
                      static_cast<std::uint16_t>(kPcs + sids + groups + bank)});
  }
  parts_ = std::size_t{nodes_.back().back()} + 1;
  next_.assign(kCommands * parts_, kNotIssued * (kCauseMask + 1));
  for (auto& acts : acts_) acts.fill(kNotIssued);
  for (const Constraint& constraint : constraints_of(standard.timing)) {
    for (const Command before : constraint.before) {
      for (const Command after : constraint.after) {
        if (plain(after) != after) continue;
        // Between the ends of the commands: a device acts when it has received one.
        const Half gap = 2 * Half{constraint.ticks} + standard.length(before) - standard.length(after);
        const Half add = gap * (kCauseMask + 1) + kCauseMask - static_cast<Half>(index(constraint.cause));
        rules_[index(before)].push_back({static_cast<std::uint32_t>(index(after) * parts_),
                                         static_cast<std::uint8_t>(constraint.scope), constraint.sibling,
                                         static_cast<std::uint8_t>(constraint.window), add});
      }
    }
  }
}

void BankTimes::delay_siblings(Half* next, const Nodes& nodes, Half until) const {
  const int first = kPcs + nodes[0] * sids_;
  for (int sid = first; sid < first + sids_; ++sid) {
    if (sid != nodes[static_cast<std::size_t>(Scope::sid)]) next[sid] = std::max(next[sid], until);
  }
}

void BankTimes::issue(Command command, std::uint32_t bank, Half at) {
  const Nodes& nodes = nodes_[bank];
  std::array<Half, kWindow>& acts = acts_[nodes[0]];
  if (command == Command::act) {
    std::rotate(acts.begin(), acts.begin() + 1, acts.end());
    acts.back() = at;
  }
  for (const Rule& rule : rules_[index(command)]) {
    Half* const next = next_.data() + rule.first;
    const Half first = rule.window == 1 ? at : acts[kWindow - rule.window];
    const Half until = first * (kCauseMask + 1) + rule.add;
    if (rule.sibling) {
      delay_siblings(next, nodes, until);
    } else {
      Half& time = next[nodes[rule.scope]];
      time = std::max(time, until);
    }
  }
}

void BankTimes::shift(Half span) {
  for (Half& time : next_) {
    if (time > kNotIssued / 2 * (kCauseMask + 1)) time += span * (kCauseMask + 1);
  }
  for (auto& acts : acts_) {
    for (Half& time : acts) time += time > kNotIssued / 2 ? span : 0;
  }
}

}  // namespace kb::dram
