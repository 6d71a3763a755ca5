// What constraints and open rows say about each bank of a channel.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "platform/dram/standards.h"

namespace kb::dram {

using Half = std::int64_t;  // time in half ticks of tCK
inline constexpr Half kNoEdge = INT64_MAX / 4;
inline constexpr Half kLongAgo = -kNoEdge;

// Set of at most 128 banks.
class BankSet {
 public:
  BankSet() = default;
  void insert(std::uint32_t bank) { words_[bank >> 6] |= 1ull << (bank & 63); }
  void erase(std::uint32_t bank) { words_[bank >> 6] &= ~(1ull << (bank & 63)); }
  bool contains(std::uint32_t bank) const { return (words_[bank >> 6] >> (bank & 63) & 1) != 0; }
  void clear() { words_[0] = words_[1] = 0; }
  bool empty() const { return (words_[0] | words_[1]) == 0; }
  BankSet without(const BankSet& other) const { return {words_[0] & ~other.words_[0], words_[1] & ~other.words_[1]}; }
  template <typename F>
  void each(F&& f) const {
    for (std::uint32_t w = 0; w < 2; ++w) {
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        f(w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(rest)));
      }
    }
  }

 private:
  BankSet(std::uint64_t low, std::uint64_t high) : words_{low, high} {}

  std::uint64_t words_[2] = {0, 0};
};

// A time in the upper bits and a cause in the lower ones. The maximum of two is the latest time with the first cause.
class Limit {
 public:
  static constexpr int kCauseBits = 4;
  static constexpr Half kCauseMask = (Half{1} << kCauseBits) - 1;
  static constexpr Half kNever = kLongAgo / 32;  // before every time

  constexpr Limit() = default;
  constexpr explicit Limit(Half packed) : packed_(packed) {}
  constexpr Limit(Half time, Cause cause)
      : packed_(time * (kCauseMask + 1) + kCauseMask - static_cast<Half>(index(cause))) {}

  Half time() const { return packed_ >> kCauseBits; }
  Cause cause() const {  // beyond the causes when nothing was issued
    return static_cast<Cause>(std::min(kCauseMask - (packed_ & kCauseMask), static_cast<Half>(Cause::other)));
  }
  void take(Half at, Cause why) { packed_ = std::max(packed_, Limit(at, why).packed_); }
  // Commands begin at multiples of `step`, 1 or 2.
  void align(Half step) {
    if (step == 2 && (time() & 1) != 0) packed_ += kCauseMask + 1;
  }

 private:
  Half packed_ = Limit(kNever, Cause::other).packed_;
};

// A command to a row and what it waited for.
struct RowCommand {
  Half at = kLongAgo;
  Limit limit;
};

struct alignas(64) Bank {
  RowCommand opened, closed;
  Half refresh_begin = kLongAgo, refresh_end = kLongAgo;  // of the latest one, until ACT may follow
  Half used = 0;                                          // latest column command or ACT
  int hits = 0;                                           // column commands since the row was opened
  bool conflict = false;                                  // the row before was closed for another access
};

// Earliest edges of commands by the constraints of the standard. Copies share the table of constraints.
class BankTimes {
 public:
  explicit BankTimes(const Standard& standard);

  void issue(Command command, std::uint32_t bank, Half at);
  // Earliest edge of a command without auto-precharge by the constraints alone.
  Half ready(Command command, std::uint32_t bank) const { return latest(command, bank) >> Limit::kCauseBits; }
  Limit limit(Command command, std::uint32_t bank) const { return Limit(latest(command, bank)); }
  // The same as far as the pseudo-channel is concerned.
  Half ready_in_pc(Command command, std::size_t pc) const {
    return next_[index(command) * first_bank_ + pc] >> Limit::kCauseBits;
  }
  // Moves everything that was issued by the same span.
  void shift(Half span);

 private:
  static constexpr Half kNotIssued = Limit::kNever;
  static constexpr std::size_t kWindow = 4;
  static constexpr std::size_t kFirstSid = kPcs;
  struct Rule {
    Scope scope;
    Command after;
    std::uint32_t first;  // in next_, of the second command in parts of the scope
    Half add;             // to the packed time of the command
  };
  struct WindowRule {
    Rule rule;
    std::size_t window;
  };
  struct Rules {  // by the first command
    std::vector<Rule> plain, siblings;
    std::vector<WindowRule> windows;
  };
  using Table = std::array<Rules, kCommands>;

  std::shared_ptr<const Table> table_of(const Standard& standard) const;
  static void drop_implied(Rules& rules);
  // Parts of a bank; banks of a pseudo-channel, a SID and a bank group follow one another.
  std::size_t pc_of(std::uint32_t bank) const { return bank >= banks_per_pc_ ? 1 : 0; }
  std::size_t sid_of(std::uint32_t bank) const { return kFirstSid + (bank >> sid_shift_); }
  std::size_t group_of(std::uint32_t bank) const { return first_group_ + (bank >> group_shift_); }
  Half latest(Command command, std::uint32_t bank) const {
    const Half* const next = next_.data() + index(command) * first_bank_;
    const Half of_bank = next_[(first_bank_ + bank) * kCommands + index(command)];
    return std::max(std::max(next[pc_of(bank)], next[sid_of(bank)]), std::max(next[group_of(bank)], of_bank));
  }
  void delay(std::size_t part, const Rule& rule, Half packed) {
    Half& time = next_[rule.first + part];
    time = std::max(time, packed + rule.add);
  }
  void delay_siblings(const Rule& rule, std::uint32_t bank, Half packed);

  std::shared_ptr<const Table> table_;
  std::uint32_t banks_per_pc_ = 0, sids_ = 0;
  unsigned sid_shift_ = 0, group_shift_ = 0;
  std::size_t first_group_ = 0, first_bank_ = 0;
  // Earliest time of each command, packed with the cause: command by command at the parts larger than a bank, then bank
  // by bank, because the commands to a bank look at all of the former and at one of the latter.
  std::vector<Half> next_;
  std::array<std::array<Half, kWindow>, kPcs> acts_{};  // latest ACTs, the oldest first
};

}  // namespace kb::dram
