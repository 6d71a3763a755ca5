// What constraints and open rows say about each bank of a channel.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "platform/dram/standards.h"

namespace kb::dram {

using Half = std::int64_t;  // time in half ticks of tCK
inline constexpr Half kNoEdge = INT64_MAX / 4;
inline constexpr Half kLongAgo = -kNoEdge;

// Set of at most 128 banks.
class BankSet {
 public:
  void insert(std::uint32_t bank) { words_[bank >> 6] |= 1ull << (bank & 63); }
  void erase(std::uint32_t bank) { words_[bank >> 6] &= ~(1ull << (bank & 63)); }
  bool contains(std::uint32_t bank) const { return (words_[bank >> 6] >> (bank & 63) & 1) != 0; }
  bool empty() const { return (words_[0] | words_[1]) == 0; }
  template <typename F>
  void each(F&& f) const {
    for (std::uint32_t w = 0; w < 2; ++w) {
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        f(w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(rest)));
      }
    }
  }

 private:
  std::uint64_t words_[2] = {0, 0};
};

// The constraint of a command that was satisfied last.
struct Limit {
  Half time = kLongAgo;
  Cause cause = Cause::other;

  void take(Half at, Cause why) {
    if (at > time || (at == time && why < cause)) {
      time = at;
      cause = why;
    }
  }
};

// A command to a row and what it waited for.
struct RowCommand {
  Half at = kLongAgo;
  Limit limit;
};

struct Bank {
  int hits = 0;   // column commands since the row was opened
  Half used = 0;  // latest column command or ACT
  RowCommand opened, closed;
  Half refresh_begin = kLongAgo, refresh_end = kLongAgo;  // of the latest one, until ACT may follow
  bool conflict = false;                                  // the row before was closed for another access
};

// Earliest edges of commands by the constraints of the standard. A time and the cause of its constraint are one number,
// whose maximum is the latest time with the first cause.
class BankTimes {
 public:
  explicit BankTimes(const Standard& standard);

  void issue(Command command, std::uint32_t bank, Half at);
  // Earliest edge of a command without auto-precharge by the constraints alone.
  Half ready(Command command, std::uint32_t bank) const { return latest(command, bank) >> kCauseBits; }
  Limit limit(Command command, std::uint32_t bank) const {
    const Half last = latest(command, bank);
    const Half cause = kCauseMask - (last & kCauseMask);  // beyond the causes when nothing was issued
    return {last >> kCauseBits, static_cast<Cause>(std::min(cause, static_cast<Half>(Cause::other)))};
  }
  // Moves everything that was issued by the same span.
  void shift(Half span);

 private:
  static constexpr int kCauseBits = 4;
  static constexpr Half kCauseMask = (Half{1} << kCauseBits) - 1;
  static constexpr Half kNotIssued = kLongAgo / 16;
  static constexpr std::size_t kWindow = 4;
  using Nodes = std::array<std::uint16_t, kScopes>;
  struct Rule {
    std::uint32_t first;  // of the second command in next_
    std::uint8_t scope;
    bool sibling;
    std::uint8_t window;
    Half add;  // to the packed time of the command
  };

  Half latest(Command command, std::uint32_t bank) const {
    const Nodes& nodes = nodes_[bank];
    const Half* next = next_.data() + index(command) * parts_;
    return std::max(std::max(next[nodes[0]], next[nodes[1]]), std::max(next[nodes[2]], next[nodes[3]]));
  }
  void delay_siblings(Half* next, const Nodes& nodes, Half until) const;

  int sids_;
  std::vector<Nodes> nodes_;                        // of each bank, by scope
  std::array<std::vector<Rule>, kCommands> rules_;  // by the first command
  std::size_t parts_ = 0;
  std::vector<Half> next_;                              // earliest time of each command at each part, packed
  std::array<std::array<Half, kWindow>, kPcs> acts_{};  // latest ACTs, the oldest first
};

}  // namespace kb::dram
