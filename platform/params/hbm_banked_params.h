// Parameters of builtin.hbm_banked besides those of every HBM controller (C-DRAM).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/dram/policies.h"
#include "platform/dram/standards.h"
#include "platform/params/field_table.h"
#include "platform/params/hbm_ctrl_params.h"

namespace kb::params {

inline constexpr const char* kHbmBanked = "builtin.hbm_banked";

// Index in dram::standard_names().
enum class DramPreset : std::uint8_t {};

struct HbmBankedParams {
  static constexpr std::size_t kTimings = 24;  // dram::timing_keys()

  DramPreset preset = DramPreset(3);
  std::optional<double> tck_ns, sids, bank_groups, banks, rows;  // otherwise the preset's
  std::array<std::optional<double>, kTimings> timing;            // in ticks, by dram::timing_keys()
  std::string map = "default";
  dram::BankHash hash = dram::BankHash::none;
  dram::PagePolicy pages = dram::PagePolicy::open;
  std::int64_t timeout_ticks = 100;
  dram::RefreshMode refresh = dram::RefreshMode::per_bank;
  std::int64_t postpone = 0;
  dram::Drain drain = dram::Drain::watermark;
  std::int64_t read_entries = 64, write_entries = 32;
  std::int64_t high = 26, low = 6;
  Nanoseconds frontend{8.0}, backend{6.0};
  std::int64_t response_entries = 96;
  std::int64_t row_hit_cap = 16;
  dram::WriteAck write_ack = dram::WriteAck::committed;

  static const FieldTable& fields();

  // The preset with the values that replace it. Not checked: see problems_of().
  dram::Standard standard() const;
  std::string map_text() const { return map == "default" ? "" : map; }
};

// Why a controller with these parameters cannot be.
struct MemoryProblem {
  std::vector<std::string> keys;  // of HbmBankedParams or HbmCtrlParams; the first that is written is to blame
  std::string text;
  std::string remedy;
};
// `slice_bytes`: what the controller has to hold.
std::vector<MemoryProblem> problems_of(const HbmBankedParams& banked, const HbmCtrlParams& kind,
                                       std::uint64_t slice_bytes);

// Longest time by which a single access on an idle memory may differ from memory_traits(): it waits for the next tick,
// and while its bank is refreshed.
TimeFs unsteadiness_of(const HbmBankedParams& banked);

// What is wrong with pseudo-channels of this bandwidth; no value when it is the preset's.
std::optional<std::string> wrong_rate(const HbmBankedParams& banked, Bandwidth of_channel);

}  // namespace kb::params
