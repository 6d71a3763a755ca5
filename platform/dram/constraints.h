// Commands of a DRAM channel, the times that must lie between them, and the causes of waiting (C-DRAM-10, C-DRAM-13).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kb::dram {

// rda and wra close the bank by themselves; ref_all refreshes the banks of a pseudo-channel.
enum class Command : std::uint8_t { act, pre, rd, rda, wr, wra, ref_bank, ref_all };
inline constexpr std::size_t kCommands = 8;
inline constexpr std::array<std::string_view, kCommands> kCommandNames = {"ACT", "PRE", "RD",   "RDA",
                                                                          "WR",  "WRA", "REFB", "REFA"};
constexpr std::size_t index(Command command) {
  return static_cast<std::size_t>(command);
}

// Part of the channel within which a constraint holds, from the largest.
enum class Scope : std::uint8_t { pc, sid, bank_group, bank };
inline constexpr std::size_t kScopes = 4;

// Why an access waits. At equal times the first one of this list is named.
enum class Cause : std::uint8_t {
  row,
  activation,  // tFAW and tRRD
  column_bus,  // command and data bus: tCCDS, tCCDR, burst length, an older access
  bank_group,  // tCCDL
  row_bus,
  refresh,
  turnaround,
  hazard,
  write_drain,
  queue_full,
  response_full,
  other,
};
inline constexpr std::size_t kCauses = 12;
inline constexpr std::array<std::string_view, kCauses> kCauseNames = {
    "row",        "activation", "column bus",  "bank group", "row bus",       "refresh",
    "turnaround", "hazard",     "write drain", "queue full", "response full", "other"};
constexpr std::size_t index(Cause cause) {
  return static_cast<std::size_t>(cause);
}

// Times between commands in ticks of tCK, from the end of a command to that of the next.
struct Timing {
  int bl = 0, cl = 0, cwl = 0;
  int rcdrd = 0, rcdwr = 0, rp = 0, ras = 0, rc = 0;
  int ccds = 0, ccdl = 0, ccdr = 0;  // ccdr: another SID
  int rrds = 0, rrdl = 0, faw = 0;
  int rtp = 0, wr = 0, wtrs = 0, wtrl = 0, rtw = 0, ppd = 0;
  int rfc = 0, rfcpb = 0, rrefd = 0, refi = 0;
};

// The ends of the `window`-th last command of `before` in the scope, and of one of `after`, are at least `ticks` apart.
// sibling: `after` is in another instance of the scope within the same pseudo-channel.
struct Constraint {
  Scope scope = Scope::bank;
  std::vector<Command> before, after;
  int ticks = 0;
  Cause cause = Cause::other;
  int window = 1;
  bool sibling = false;
};

std::vector<Constraint> constraints_of(const Timing& timing);

}  // namespace kb::dram
