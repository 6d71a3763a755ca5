#include "platform/params/hbm_banked_params.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "platform/base/error.h"
#include "platform/base/units.h"
#include "platform/dram/address_map.h"

namespace kb::params {
namespace {

void add_geometry(Fields<HbmBankedParams>& fields) {
  fields
      .add_optional(
          "sids", [](auto& p) -> auto& { return p.sids; }, at_least(1, 16), "stack IDs, instead of the preset's")
      .add_optional(
          "bank_groups", [](auto& p) -> auto& { return p.bank_groups; }, at_least(1, 64),
          "bank groups of a stack ID, a power of two, instead of the preset's")
      .add_optional(
          "banks", [](auto& p) -> auto& { return p.banks; }, at_least(1, 64),
          "banks of a bank group, a power of two, instead of the preset's")
      .add_optional(
          "rows", [](auto& p) -> auto& { return p.rows; }, at_least(1, 1 << 30),
          "rows of 1 KiB of a bank, instead of the preset's")
      .add_optional(
          "tck_ns", [](auto& p) -> auto& { return p.tck_ns; }, rate(100.0), "a tick, instead of the preset's");
  const std::vector<std::string> keys = dram::timing_keys();
  for (std::size_t i = 0; i < HbmBankedParams::kTimings; ++i) {
    fields.add_optional(
        "t" + keys[i], [i](auto& p) -> auto& { return p.timing[i]; }, at_least(0, 1e6),
        keys[i] + " in ticks, instead of the preset's");
  }
}

void add_policies(Fields<HbmBankedParams>& fields) {
  using P = HbmBankedParams;
  fields
      .add("map", &P::map,
           "order of the address bits in a pseudo-channel from the lowest 32 B up, as 'col:3 bg:2 bank:2 sid col:2 "
           "row', or default")
      .trials({"default", "bg col bank sid row", "col:4 bg bank sid col row", "col bg bank sid row"})
      .add("hash", &P::hash, {"none", "xor"}, "`xor`: bits of bank group and bank ^= the lowest row bits")
      .add("pages", &P::pages, {"open", "closed", "timeout"},
           "rows stay open, are closed by the last queued access, or after `timeout_ticks`")
      .add("timeout_ticks", &P::timeout_ticks, at_least(1, 1e6), "ticks without use, for pages: timeout")
      .add("refresh", &P::refresh, {"per_bank", "all_bank", "none"}, "what a refresh takes")
      .add("postpone", &P::postpone, at_least(0, 8), "intervals of tREFI that refresh may be late while there is work")
      .trials({"8"})
      .add("drain", &P::drain, {"watermark", "oldest"},
           "writes are served from `high` entries down to `low`, or reads and writes by age")
      .add("read_entries", &P::read_entries, at_least(1, 1024), "queued read bursts of a channel")
      .add("write_entries", &P::write_entries, at_least(1, 1024), "queued write bursts of a channel")
      .add("high", &P::high, at_least(1, 1024), "write entries from which writes go first")
      .add("low", &P::low, at_least(0, 1023), "write entries at which reads go first again")
      .add("frontend_ns", &P::frontend, at_least(1, 1e6), "from the arrival of a burst until it can be scheduled")
      .add("backend_ns", &P::backend, "from the data of a read until they can leave")
      .add("response_entries", &P::response_entries, at_least(1, 4096), "bursts of read data that a channel holds")
      .add("row_hit_cap", &P::row_hit_cap, at_least(1, 1e6),
           "accesses to a row before an older one to another row of the bank goes first")
      .add("write_ack", &P::write_ack, {"committed", "accepted"},
           "a write is acknowledged when the bank has its data, or when it is queued");
}

const char* const kFromBanks = "leave it out: with banks it follows from preset and timing";

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Words of a text in lower case, with a space before and behind each.
std::string words_of(const std::string& text) {
  std::string words(1, ' ');
  for (const char c : text) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (letter) words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!letter && words.back() != ' ') words += ' ';
  }
  return words + ' ';
}

// Attributes of geometry and timing that a message names: 'tRC', 'CL' for tCL, 'bank groups'.
std::vector<std::string> named_in(const std::string& text) {
  const std::string words = words_of(text);
  std::vector<std::string> names;
  for (const Field& field : HbmBankedParams::fields().fields()) {
    if (!field.optional) continue;
    const std::string name = field.name == "tck_ns" ? " tck " : words_of(field.name);
    const bool timing = name[1] == 't' && field.name != "tck_ns";
    const bool short_name = timing && words.find(" " + name.substr(2)) != std::string::npos;
    if (short_name || words.find(name) != std::string::npos) names.push_back(field.name);
  }
  return names;
}

int whole(double value) {
  return static_cast<int>(std::lround(value));
}

void check_whole(const HbmBankedParams& banked, std::vector<MemoryProblem>& problems) {
  for (const Field& field : HbmBankedParams::fields().fields()) {
    if (!field.optional || field.name == "tck_ns") continue;
    const auto value = field.get(&banked);
    if (!value || std::get<double>(*value) == std::round(std::get<double>(*value))) continue;
    problems.push_back({{field.name}, fmt::format("{} is no whole number", std::get<double>(*value)), "write ticks"});
  }
}

void check_capacity(const dram::Standard& standard, std::uint64_t bytes_of_pc, std::vector<MemoryProblem>& problems) {
  const dram::Geometry& g = standard.geometry;
  if (bytes_of_pc <= g.bytes_per_pc()) return;
  const std::uint64_t of_row = g.bytes_per_pc() / g.rows, rows = (bytes_of_pc + of_row - 1) / of_row;
  problems.push_back({{"rows", "sids", "bank_groups", "banks", "preset"},
                      fmt::format("a pseudo-channel of {} has {} ({}, {} banks each, {} rows), but its share of the "
                                  "slice is {}",
                                  standard.name, format_size(g.bytes_per_pc()),
                                  g.sids == 1 ? "1 stack ID" : fmt::format("{} stack IDs", g.sids),
                                  g.bank_groups * g.banks, g.rows, format_size(bytes_of_pc)),
                      fmt::format("write rows: {}, more sids, or a smaller memory_map.hbm_total_gb_per_cube", rows)});
}

}  // namespace

const FieldTable& HbmBankedParams::fields() {
  static const FieldTable table = [] {
    Fields<HbmBankedParams> fields;
    fields.add("preset", &HbmBankedParams::preset, dram::standard_names(),
               "generation whose geometry and timing the banks have");
    add_policies(fields);
    add_geometry(fields);
    for (const char* key : {"access_ns", "switch_penalty_ns", "efficiency", "access_bytes"}) {
      fields.misplaced(key, kFromBanks);
    }
    return fields.table();
  }();
  return table;
}

dram::Standard HbmBankedParams::standard() const {
  dram::Standard made = dram::standard(dram::standard_names()[static_cast<std::size_t>(preset)]);
  dram::Geometry& g = made.geometry;
  if (sids) g.sids = whole(*sids);
  if (bank_groups) g.bank_groups = whole(*bank_groups);
  if (banks) g.banks = whole(*banks);
  if (rows) g.rows = static_cast<std::uint64_t>(*rows);
  if (tck_ns) made.tck = ns_to_fs(*tck_ns);
  const std::vector<std::string> keys = dram::timing_keys();
  for (std::size_t i = 0; i < kTimings; ++i) {
    if (timing[i]) dram::override_timing(made, keys[i], whole(*timing[i]));
  }
  return made;
}

std::vector<MemoryProblem> problems_of(const HbmBankedParams& banked, const HbmCtrlParams& kind,
                                       std::uint64_t slice_bytes) {
  std::vector<MemoryProblem> problems;
  const dram::Standard standard = banked.standard();
  const auto attempt = [&](std::vector<std::string> keys, const char* remedy, auto&& check) {
    try {
      check();
    } catch (const Error& error) {
      std::string text = error.what();
      const std::size_t line = text.find("\n  ");  // a list: its first entry
      if (line != std::string::npos) text = first_line(text.substr(line + 3));
      std::vector<std::string> blamed = named_in(text);
      blamed.insert(blamed.end(), keys.begin(), keys.end());
      problems.push_back({std::move(blamed), text, remedy});
    }
  };
  check_whole(banked, problems);
  attempt({"preset"}, "change the value that contradicts, or leave it out", [&] { dram::check(standard); });
  if (!problems.empty()) return problems;
  attempt({"map", "preset"}, "every bit of the geometry once, from the lowest 32 B up",
          [&] { dram::AddressMap(banked.map_text(), banked.hash, standard.geometry); });
  attempt({"tRFC", "tRFCPB", "tRREFD", "tRRDL", "sids", "refresh", "preset"}, "raise tREFI, or write refresh: none",
          [&] { dram::check_refresh(standard, banked.refresh, static_cast<int>(banked.postpone)); });
  const auto refuse = [&](std::vector<std::string> keys, std::string text, std::string remedy) {
    problems.push_back({std::move(keys), std::move(text), std::move(remedy)});
  };
  if (banked.high > banked.write_entries) {
    refuse({"high", "write_entries", "preset"},
           fmt::format("high is {}, but there are {} write_entries", banked.high, banked.write_entries),
           "high can be at most write_entries");
  }
  if (banked.low >= banked.high) {
    refuse({"low", "high", "preset"}, fmt::format("low is {}, but high is {}", banked.low, banked.high),
           "low has to be less than high");
  }
  if (kind.burst_bytes > 256) {
    refuse({"burst_bytes"}, fmt::format("a burst of {} B is longer than 256 B", kind.burst_bytes), "write at most 256");
  }
  const auto channels = static_cast<std::uint64_t>(kind.num_pcs);
  if (kind.num_pcs % dram::kPcs != 0) {
    refuse({"num_pcs"}, fmt::format("a channel has two pseudo-channels, and there is {}", kind.num_pcs),
           "set cube.memory_map.hbm_channels_per_pe to 2 or more");
    return problems;
  }
  check_capacity(standard, (slice_bytes + channels - 1) / channels, problems);
  return problems;
}

TimeFs unsteadiness_of(const HbmBankedParams& banked) {
  const dram::Standard standard = banked.standard();
  const dram::Timing& t = standard.timing;
  int ticks = 2;
  if (banked.refresh == dram::RefreshMode::per_bank) ticks += t.rfcpb + t.rp;
  if (banked.refresh == dram::RefreshMode::all_bank) ticks += t.rfc + t.rp;
  return ticks * standard.tck;
}

std::optional<std::string> wrong_rate(const HbmBankedParams& banked, Bandwidth of_channel) {
  const dram::Standard standard = banked.standard();
  const double needed = standard.channel_gbs(), given = of_channel.gbs();
  if (std::abs(given - needed) <= 1e-9 * needed) return std::nullopt;
  return fmt::format("a pseudo-channel of {} has {:g} GB/s, but here it has {:g}", standard.name, needed, given);
}

}  // namespace kb::params
