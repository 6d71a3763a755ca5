#include "platform/dram/standards.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/nearest.h"

namespace kb::dram {
namespace {

constexpr std::size_t kTables = 4;
constexpr const char* kVega = "hbm2_vega";
constexpr const char* kHbm2 = "hbm2_2000";
constexpr const char* kHbm2e = "hbm2e_3200";
constexpr const char* kHbm3 = "hbm3_6400";
constexpr const char* kHbm4 = "hbm4_8000";

// One value of the timing in the presets that have a table of their own: hbm2_vega, hbm2_2000, hbm3_6400, hbm4_8000.
struct Field {
  const char* key;
  int Timing::*member;
  int ticks[kTables];
  bool in_ticks;  // counts transfers or commands on a bus, so that it does not scale with the clock
};

constexpr Field kFields[] = {
    {"BL", &Timing::bl, {2, 2, 2, 2}, true},
    {"CL", &Timing::cl, {17, 14, 20, 20}, false},
    {"CWL", &Timing::cwl, {7, 5, 10, 10}, false},
    {"RCDRD", &Timing::rcdrd, {12, 14, 31, 39}, false},
    {"RCDWR", &Timing::rcdwr, {6, 12, 15, 19}, false},
    {"RP", &Timing::rp, {14, 14, 26, 33}, false},
    {"RAS", &Timing::ras, {28, 34, 45, 57}, false},
    {"RC", &Timing::rc, {42, 48, 72, 90}, false},
    {"CCDS", &Timing::ccds, {2, 2, 2, 2}, true},
    {"CCDL", &Timing::ccdl, {3, 4, 4, 4}, true},
    {"CCDR", &Timing::ccdr, {2, 0, 3, 2}, true},
    {"RRDS", &Timing::rrds, {4, 4, 4, 5}, false},
    {"RRDL", &Timing::rrdl, {6, 4, 5, 7}, false},
    {"FAW", &Timing::faw, {16, 15, 24, 30}, false},
    {"RTP", &Timing::rtp, {5, 5, 9, 12}, false},
    {"WR", &Timing::wr, {14, 16, 33, 42}, false},
    {"WTRS", &Timing::wtrs, {4, 6, 7, 9}, false},
    {"WTRL", &Timing::wtrl, {9, 8, 10, 13}, false},
    {"RTW", &Timing::rtw, {18, 13, 20, 25}, false},
    {"PPD", &Timing::ppd, {0, 0, 2, 2}, true},
    {"RFC", &Timing::rfc, {220, 260, 560, 900}, false},
    {"RFCPB", &Timing::rfcpb, {96, 160, 320, 560}, false},
    {"RREFD", &Timing::rrefd, {8, 8, 13, 16}, false},
    {"REFI", &Timing::refi, {3900, 3900, 6240, 7800}, false},
};

struct Table {
  const char* name;
  TimeFs tck;
  Geometry geometry;
  bool half_ticks;  // PRE begins at any half tick: ACT (R-F-R) takes 1.5 ticks, PRE and REF 0.5
  const char* source;
  std::vector<std::pair<const char*, const char*>> of_values;
};

const std::vector<Table>& tables() {
  static const std::vector<Table> all = {
      {kVega, 1_ns, {1, 4, 4, 1 << 15}, false, "DRAMSys 5.1 configs/memspec/HBM2.json, values of a tuning tool", {}},
      {kHbm2,
       1_ns,
       {1, 4, 4, 1 << 15},
       false,
       "Ramulator 2.1 HBM2_2000Mbps, JESD235D",
       {{"RTW", "Ramulator 2.1: CL + BL + 2 - CWL"},
        {"RFC", "JESD235D, 4 Gb per pseudo-channel: 260 ns"},
        {"CCDR", "one SID: no value"},
        {"PPD", "HBM3 and later"}}},
      {kHbm3,
       625'000_fs,
       {2, 4, 4, 1 << 14},
       true,
       "Ramulator 2.1 HBM3_6400Mbps, JESD238",
       {{"RFC", "JESD238 table 84, 8 Gb per channel: 350 ns"}, {"RREFD", "JESD238: 8 ns"}}},
      {kHbm4,
       500'000_fs,
       {2, 2, 8, 1 << 14},
       true,
       "Ramulator 2.1 HBM4_8000Mbps",
       {{"RFC", "Ramulator 2.1, 8 Gb per channel: 450 ns"}, {"RREFD", "Ramulator 2.1: 8 ns"}}},
  };
  return all;
}

Standard from_table(std::size_t t) {
  const Table& table = tables()[t];
  Standard made;
  made.name = table.name;
  made.tck = table.tck;
  made.geometry = table.geometry;
  for (const Field& field : kFields) made.timing.*field.member = field.ticks[t];
  if (table.half_ticks) made.act_halves = 3, made.pre_halves = 1, made.pre_step = 1;
  made.sources[""] = table.source;
  for (const auto& [key, source] : table.of_values) made.sources[key] = source;
  return made;
}

// No public table of HBM2E is known: the nanoseconds of hbm2_2000 at 1.6 GHz.
Standard derived_hbm2e() {
  Standard made = from_table(1);
  const TimeFs from = std::exchange(made.tck, 625'000_fs);
  made.name = kHbm2e;
  for (const Field& field : kFields) {
    if (!field.in_ticks)
      made.timing.*field.member = static_cast<int>(periods(made.timing.*field.member * from, made.tck));
  }
  Timing& t = made.timing;
  t.rc = std::max(t.rc, t.ras + t.rp);
  t.rtw = t.cl + t.bl + 2 - t.cwl;
  made.sources = {{"", "derived: nanoseconds of hbm2_2000 (JESD235D) at tCK 0.625 ns, rounded up"},
                  {"RC", "derived: RAS + RP"},
                  {"RTW", "derived: CL + BL + 2 - CWL"}};
  return made;
}

const Field* find(const std::string& key) {
  for (const Field& field : kFields) {
    if (key == field.key) return &field;
  }
  return nullptr;
}

bool is_power_of_two(int value) {
  return value > 0 && (value & (value - 1)) == 0;
}

}  // namespace

std::uint64_t Geometry::bytes_per_pc() const {
  return (rows << kColumnBits) * kAccessBytes * static_cast<std::uint64_t>(banks_per_pc());
}

int Standard::length(Command command) const {
  switch (command) {
    case Command::act:
      return act_halves;
    case Command::pre:
    case Command::ref_bank:
    case Command::ref_all:
      return pre_halves;
    case Command::rd:
    case Command::rda:
    case Command::wr:
    case Command::wra:
      break;
  }
  return 2;
}

const std::string& Standard::source_of(const std::string& key) const {
  const auto found = sources.find(key);
  return found != sources.end() ? found->second : sources.at("");
}

double Standard::channel_gbs() const {
  return static_cast<double>(kAccessBytes) / (timing.bl * fs_to_ns(tck));
}

std::vector<std::string> standard_names() {
  return {kVega, kHbm2, kHbm2e, kHbm3, kHbm4};
}

Standard standard(const std::string& name) {
  if (name == kHbm2e) return derived_hbm2e();
  for (std::size_t t = 0; t < kTables; ++t) {
    if (name == tables()[t].name) return from_table(t);
  }
  throw Error::configuration(fmt::format("unknown memory preset '{}' ({})", name, suggest(name, standard_names())));
}

std::vector<std::string> timing_keys() {
  std::vector<std::string> keys;
  for (const Field& field : kFields) keys.emplace_back(field.key);
  return keys;
}

int& timing_value(Timing& timing, const std::string& key) {
  const Field* field = find(key);
  if (field == nullptr) {
    throw Error::configuration(fmt::format("unknown memory timing '{}' ({})", key, suggest(key, timing_keys())));
  }
  return timing.*field->member;
}

void override_timing(Standard& standard, const std::string& key, int ticks, const std::string& source) {
  timing_value(standard.timing, key) = ticks;
  standard.sources[key] = source;
}

namespace {

void check_geometry(const Geometry& g, std::vector<std::string>& problems) {
  if (!is_power_of_two(g.bank_groups) || !is_power_of_two(g.banks)) {
    problems.push_back(
        fmt::format("{} bank groups of {} banks: both have to be powers of two", g.bank_groups, g.banks));
  }
  if (g.sids < 1 || g.banks_of_channel() > 128) {
    problems.push_back(fmt::format("{} SIDs with {} banks per pseudo-channel: at least one SID, and at most 64 banks",
                                   g.sids, g.banks_per_pc()));
  }
  if (g.rows < 1 || g.rows > (1u << 30)) problems.push_back(fmt::format("{} rows: has to be 1 to 2^30", g.rows));
}

}  // namespace

void check(const Standard& standard) {
  std::vector<std::string> problems;
  Timing t = standard.timing;
  for (const Field& field : kFields) {
    const int least = field.member == &Timing::ccdr || field.member == &Timing::ppd ? 0 : 1;
    const int value = t.*field.member;
    if (value < least || value > 1'000'000) {
      problems.push_back(fmt::format("t{} = {} ticks: has to be {} to 1000000", field.key, value, least));
    }
  }
  const auto at_least = [&](const char* text, int value, int sum) {
    if (value < sum) problems.push_back(fmt::format("{} contradicts itself: {} < {} ticks", text, value, sum));
  };
  at_least("tRC >= tRAS + tRP", t.rc, t.ras + t.rp);
  at_least("tCCDL >= tCCDS", t.ccdl, t.ccds);
  at_least("tCCDS >= BL", t.ccds, t.bl);
  at_least("tRRDL >= tRRDS", t.rrdl, t.rrds);
  at_least("tFAW >= tRRDS", t.faw, t.rrds);
  at_least("tWTRL >= tWTRS", t.wtrl, t.wtrs);
  at_least("tRTW + CWL >= CL + BL", t.rtw + t.cwl, t.cl + t.bl);
  if (standard.tck <= 0_fs || standard.tck.fs() % 2 != 0) problems.push_back("tCK has to be an even count of fs");
  check_geometry(standard.geometry, problems);
  if (problems.empty()) return;
  std::string text = "memory timing of " + standard.name + ":";
  for (const std::string& problem : problems) text += "\n  " + problem;
  throw Error::configuration(text);
}

}  // namespace kb::dram
