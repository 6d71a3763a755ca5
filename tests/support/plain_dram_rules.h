// Constraints and state of the oracle of a memory channel (plain_dram.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "modules/cube/dram/channel.h"

namespace kb::test {

using dram::Burst;
using dram::Cause;
using dram::Command;
using Edge = std::int64_t;
inline constexpr Edge kPast = -1'000'000'000'000;

// Commands in the table, in the order of dram::Command: ACT, PRE, RD, RDA, WR, WRA, REF of a bank, REF of all.
inline constexpr char kLetters[] = "APRrWwba";

struct Rule {
  char scope;  // Pseudo-channel, Sid, Group, Bank; O: another SID of the pseudo-channel
  std::string before, after;
  int ticks;
  Cause cause;
};

inline std::vector<Rule> rules_of(const dram::Timing& t) {
  const int wd = t.cwl + t.bl;
  const auto column = Cause::column_bus, turn = Cause::turnaround, act = Cause::activation, row = Cause::row;
  return {{'P', "Rr", "R", t.bl, column},
          {'P', "Ww", "W", t.bl, column},
          {'S', "Rr", "R", t.ccds, column},
          {'S', "Ww", "W", t.ccds, column},
          {'O', "Rr", "R", t.ccdr, column},
          {'G', "Rr", "R", t.ccdl, Cause::bank_group},
          {'G', "Ww", "W", t.ccdl, Cause::bank_group},
          {'P', "Rr", "W", t.rtw, turn},
          {'P', "Ww", "R", wd + t.wtrs, turn},
          {'G', "Ww", "R", wd + t.wtrl, turn},
          {'P', "A", "A", t.rrds, act},
          {'G', "A", "A", t.rrdl, act},
          {'B', "A", "A", t.rc, row},
          {'B', "A", "R", t.rcdrd, row},
          {'B', "A", "W", t.rcdwr, row},
          {'B', "A", "P", t.ras, row},
          {'B', "P", "A", t.rp, row},
          {'B', "R", "P", t.rtp, row},
          {'B', "W", "P", wd + t.wr, row},
          {'B', "r", "Ab", t.rtp + t.rp, row},
          {'B', "w", "Ab", wd + t.wr + t.rp, row},
          {'P', "P", "P", t.ppd, Cause::row_bus},
          {'P', "b", "bA", t.rrefd, Cause::refresh},
          {'P', "A", "b", t.rrds, act},
          {'G', "A", "b", t.rrdl, act},
          {'G', "b", "A", t.rrdl, Cause::refresh},
          {'B', "b", "Ab", t.rfcpb, Cause::refresh},
          {'B', "A", "b", t.rc, row},
          {'B', "P", "b", t.rp, row},
          {'P', "a", "APba", t.rfc, Cause::refresh},
          {'P', "A", "a", t.rc, row},
          {'P', "P", "a", t.rp, row},
          {'P', "r", "a", t.rtp + t.rp, row},
          {'P', "w", "a", wd + t.wr + t.rp, row}};
}

struct Reason {
  Edge since = kPast;
  Cause cause = Cause::other;
};
struct Access {
  std::size_t flit = 0;
  int bank = 0;
  std::int64_t row = 0;
  bool issued = false;
  std::vector<std::size_t> behind;  // flits that have to leave first
  Edge bad_mode = kPast, bad_hazard = kPast, bad_response = kPast;
};
struct Flit {
  Burst burst;
  Edge schedulable = 0, entered = -1, left = -1, last = 0;
  std::vector<Access> accesses;
  std::vector<std::size_t> sources;  // writes it is answered from
  bool started = false, queued = false;
  std::array<Edge, dram::kCauses> waits{};
};
struct BankState {
  std::int64_t row = -1;
  int hits = 0;
  Edge used = 0, closed = kPast, opened = kPast;
  Edge refresh_begin = kPast, refresh_end = kPast;
  Reason why_closed, why_opened;
  bool conflict = false;
};

// Times of commands, looked up by scope.
class PlainTimes {
 public:
  explicit PlainTimes(const dram::Standard& standard)
      : t_(standard.timing),
        g_(standard.geometry),
        act_(standard.act_halves),
        pre_(standard.pre_halves),
        per_pc_(g_.sids * g_.bank_groups * g_.banks),
        rules_(rules_of(t_)) {
    for (auto& scope : last_) scope.assign(8, std::vector<Edge>(static_cast<std::size_t>(2 * per_pc_), kPast));
    for (const Rule& rule : rules_) {
      for (const char before : rule.before) {
        for (const char after : rule.after) {
          if (rule.ticks > 0)
            limits_[letter(after)].push_back(
                {rule.scope, letter(before), 2 * rule.ticks + received(before) - received(after), rule.cause});
        }
      }
    }
  }
  int instance(char scope, int bank) const {
    if (scope == 'P') return bank / per_pc_;
    if (scope == 'S' || scope == 'O') return bank / (g_.bank_groups * g_.banks);
    return scope == 'G' ? bank / g_.banks : bank;
  }
  // The latest end of a constraint of the table.
  Reason satisfied(char command, int bank) const {
    Reason reason;
    const auto take = [&](Edge at, Cause cause) {
      if (at > reason.since || (at == reason.since && cause < reason.cause)) reason = {at, cause};
    };
    for (const Limit& limit : limits_[letter(command)]) {
      const auto& last = last_[table(limit.scope)][limit.before];
      const int own = instance(limit.scope, bank);
      if (limit.scope != 'O') {
        take(last[static_cast<std::size_t>(own)] + limit.edges, limit.cause);
        continue;
      }
      for (int sid = own / g_.sids * g_.sids; sid < own / g_.sids * g_.sids + g_.sids; ++sid) {
        if (sid != own) take(last[static_cast<std::size_t>(sid)] + limit.edges, limit.cause);
      }
    }
    const std::vector<Edge>& acts = acts_[static_cast<std::size_t>(instance('P', bank))];
    if (command == 'A' && acts.size() >= 4) take(acts[acts.size() - 4] + 2 * t_.faw, Cause::activation);
    return reason;
  }
  void issue(char command, int bank, Edge now) {
    for (const char scope : {'P', 'S', 'G', 'B'}) {
      last_[table(scope)][letter(command)][static_cast<std::size_t>(instance(scope, bank))] = now;
    }
    if (command == 'A') acts_[static_cast<std::size_t>(instance('P', bank))].push_back(now);
  }

 private:
  struct Limit {  // a rule that a command has to keep
    char scope;
    std::size_t before;
    Edge edges;
    Cause cause;
  };
  Edge received(char command) const {  // edges from its first one until the device has it
    if (command == 'A') return act_;
    return command == 'P' || command == 'a' || command == 'b' ? pre_ : 2;
  }
  static std::size_t table(char scope) { return scope == 'P' ? 0 : scope == 'G' ? 2 : scope == 'B' ? 3 : 1; }
  static std::size_t letter(char command) { return std::string_view(kLetters).find(command); }

  const dram::Timing& t_;
  const dram::Geometry& g_;
  Edge act_, pre_;
  int per_pc_;
  std::vector<Rule> rules_;
  std::array<std::vector<Limit>, 8> limits_;            // [command]
  std::array<std::vector<std::vector<Edge>>, 4> last_;  // [scope][command][instance]
  std::array<std::vector<Edge>, 2> acts_;
};

inline void place(const dram::ChannelConfig& c, int pc, std::uint64_t unit, Access& access) {
  const dram::Geometry& g = c.standard.geometry;
  std::map<std::string, int> value, bits;
  std::istringstream words(c.map.empty() ? dram::AddressMap::default_text(g) : c.map);
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find(':'));
    if (name == "row") break;
    const int count = name == "sid" ? g.sids : 1 << (word.back() - '0');
    value[name] += static_cast<int>(unit % static_cast<unsigned>(count)) << bits[name];
    if (name != "sid") bits[name] += word.back() - '0';
    unit /= static_cast<unsigned>(count);
  }
  access.row = static_cast<std::int64_t>(unit);
  int flat = value["bg"] + value["bank"] * g.bank_groups;  // the hash sees the bank's bits as one number
  if (c.hash == dram::BankHash::xor_row)
    flat ^= static_cast<int>(unit % static_cast<unsigned>(g.bank_groups * g.banks));
  access.bank = ((pc * g.sids + value["sid"]) * g.bank_groups + flat % g.bank_groups) * g.banks + flat / g.bank_groups;
}

}  // namespace kb::test
