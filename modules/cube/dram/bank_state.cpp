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
  const std::size_t parts = std::size_t{nodes_.back().back()} + 1;
  for (auto& next : next_) next.assign(parts, kNotIssued * (kCauseMask + 1));
  for (auto& acts : acts_) acts.fill(kNotIssued);
  for (const Constraint& constraint : constraints_of(standard.timing)) {
    const Half add = (2 * static_cast<Half>(constraint.ticks) << kCauseBits) + kCauseMask -
                     static_cast<Half>(index(constraint.cause));
    for (const Command before : constraint.before) {
      for (const Command after : constraint.after) {
        if (plain(after) != after) continue;
        rules_[index(before)].push_back({after, constraint.scope, constraint.sibling, constraint.window, add});
      }
    }
  }
}

void BankTimes::delay_siblings(std::vector<Half>& next, std::uint32_t bank, Half until) const {
  const std::uint16_t own = nodes_[bank][static_cast<std::size_t>(Scope::sid)];
  const int first = kPcs + nodes_[bank][0] * sids_;
  for (int sid = first; sid < first + sids_; ++sid) {
    Half& time = next[static_cast<std::size_t>(sid)];
    if (sid != own) time = std::max(time, until);
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
    std::vector<Half>& next = next_[index(rule.after)];
    const Half first = rule.window == 1 ? at : acts[kWindow - static_cast<std::size_t>(rule.window)];
    const Half until = first * (kCauseMask + 1) + rule.add;
    if (rule.sibling) {
      delay_siblings(next, bank, until);
    } else {
      Half& time = next[nodes[static_cast<std::size_t>(rule.scope)]];
      time = std::max(time, until);
    }
  }
}

void BankTimes::shift(Half span) {
  for (auto& next : next_) {
    for (Half& time : next) {
      if (time > kNotIssued / 2 * (kCauseMask + 1)) time += span * (kCauseMask + 1);
    }
  }
  for (auto& acts : acts_) {
    for (Half& time : acts) time += time > kNotIssued / 2 ? span : 0;
  }
}

}  // namespace kb::dram
