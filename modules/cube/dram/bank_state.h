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

  Half packed() const { return packed_; }
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

using Index = std::uint16_t;  // of a job or an entry
inline constexpr Index kNone = 0xffff;

// State of a bank in one line of the cache; thousands of channels take turns. Times are those of Banks::time().
struct alignas(64) Bank {
  static constexpr std::size_t kSlots = 6;
  static constexpr std::uint32_t kClosed = ~0u;

  std::array<std::int32_t, kSlots> next{};    // earliest time of a command by the bank's own constraints, packed
  std::int32_t opened_at = 0, closed_at = 0;  // latest ACT; latest PRE or column command with auto-precharge
  std::int32_t opened_limit = 0, closed_limit = 0;
  std::int32_t refresh_begin = 0;
  std::uint32_t row = kClosed;
  std::uint32_t hits : 31;     // column commands since the row was opened
  std::uint32_t conflict : 1;  // the row before was closed for another access
  // Accesses by direction: by age, and the oldest one whose row is open.
  std::array<Index, 2> head{kNone, kNone}, tail{kNone, kNone}, hit{kNone, kNone};

  Bank() : hits(0), conflict(0) {}
};
static_assert(sizeof(Bank) == 64);

// The banks of a channel, and the earliest edges of commands by the constraints of the standard. Copies share the table
// of constraints. Times are kept in 32 bits from a base that moves along; what is older than 40 ms counts as long ago.
class Banks {
 public:
  explicit Banks(const Standard& standard);

  Bank& operator[](std::uint32_t bank) { return banks_[bank]; }
  const Bank& operator[](std::uint32_t bank) const { return banks_[bank]; }
  std::size_t size() const { return banks_.size(); }

  void issue(Command command, std::uint32_t bank, Half at);
  // Earliest edge of a command without auto-precharge by the constraints alone.
  Half ready(Command command, std::uint32_t bank) const { return time_of_packed(latest(command, bank)); }
  // The same as far as the pseudo-channel is concerned.
  Half ready_in_pc(Command command, std::size_t pc) const {
    return time_of_packed(next_[index(command) * parts_ + pc]);
  }
  Limit limit(Command command, std::uint32_t bank) const { return limit_of(latest(command, bank)); }

  // What the members of a bank mean, and back.
  Half time(std::int32_t kept) const { return base_ + kept; }
  std::int32_t keep(Half time) const { return static_cast<std::int32_t>(std::max(time - base_, kOldest)); }
  Limit limit_of(std::int32_t kept) const { return Limit(base_ * kTick + kept); }
  std::int32_t keep(Limit limit) const {
    return static_cast<std::int32_t>(std::max(limit.packed() - base_ * kTick, kOldest * kTick));
  }
  // Moves everything that was issued by the same span.
  void shift(Half span);

 private:
  static constexpr Half kTick = Limit::kCauseMask + 1;
  static constexpr Half kOldest = -(Half{1} << 26);
  static constexpr Half kSpan = Half{1} << 25;  // after which the base moves
  static constexpr std::size_t kWindow = 4;
  static constexpr std::size_t kFirstSid = kPcs;
  // The place of a command in Bank::next. Auto-precharge has no constraints of its own, nor has a refresh of all banks
  // here.
  static constexpr std::array<std::uint8_t, kCommands> kSlot = {0, 1, 2, 2, 3, 3, 4, 5};
  struct Rule {
    Scope scope;
    Command after;
    std::uint32_t first;  // of `after` in next_; in Bank::next for Scope::bank
    std::int32_t add;     // to the packed time of the command
  };
  struct WindowRule {
    Rule rule;
    std::size_t window;
  };
  struct Rules {  // by the first command
    std::vector<Rule> plain, siblings, of_bank;
    std::vector<WindowRule> windows;
  };
  using Table = std::array<Rules, kCommands>;

  std::shared_ptr<const Table> table_of(const Standard& standard) const;
  static void drop_implied(Rules& rules);
  // Parts of a bank; banks of a pseudo-channel, a SID and a bank group follow one another.
  std::size_t pc_of(std::uint32_t bank) const { return bank >= banks_per_pc_ ? 1 : 0; }
  std::size_t sid_of(std::uint32_t bank) const { return kFirstSid + (bank >> sid_shift_); }
  std::size_t group_of(std::uint32_t bank) const { return first_group_ + (bank >> group_shift_); }
  Half time_of_packed(std::int32_t packed) const { return base_ + (packed >> Limit::kCauseBits); }
  std::int32_t latest(Command command, std::uint32_t bank) const {
    const std::int32_t* const next = next_.data() + index(command) * parts_;
    return std::max(std::max(next[pc_of(bank)], next[sid_of(bank)]),
                    std::max(next[group_of(bank)], banks_[bank].next[kSlot[index(command)]]));
  }
  static void delay(std::int32_t& time, const Rule& rule, std::int32_t packed) {
    time = std::max(time, packed + rule.add);
  }
  void delay_siblings(const Rule& rule, std::uint32_t bank, std::int32_t packed);
  void count_activation(std::uint32_t bank, Half at);
  void move_base(Half to);

  Half base_ = 0;
  std::shared_ptr<const Table> table_;
  std::uint32_t banks_per_pc_ = 0, sids_ = 0;
  unsigned sid_shift_ = 0, group_shift_ = 0;
  std::size_t first_group_ = 0, parts_ = 0;
  std::vector<std::int32_t> next_;  // earliest time of each command at each part larger than a bank, packed
  std::vector<Bank> banks_;
  std::array<std::array<Half, kWindow>, kPcs> acts_{};  // latest ACTs, the oldest first
};

}  // namespace kb::dram
