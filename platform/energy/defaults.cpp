// Published coefficients. Where a figure is derived from another one, its source says how.
#include <cmath>
#include <utility>

#include "platform/base/error.h"
#include "platform/energy/events.h"

namespace kb::energy {
namespace {

struct Row {
  Part part{};
  const char* event;
  double pj, low, high;
  const char* node;
  const char* source;
};

constexpr const char* kDramSim = "DRAMsim3, HBM2_8Gb_x128.ini: 1.2 V x (current of the command - standby) x its time";
constexpr const char* kHorowitz = "Horowitz, ISSCC 2014, at 45 nm, x 0.2 for 7 nm (assumed)";
constexpr const char* kAsF16 = "as f16: Horowitz, ISSCC 2014, at 45 nm, x 0.2 for 7 nm (assumed); derived";
constexpr const char* kMultiply = "one multiplication (low: addition): Horowitz, ISSCC 2014, at 45 nm, x 0.2 (assumed)";

// A read or written bit of HBM2.
constexpr Row kHbm2[] = {
    {Part::hbm, "bit", 3.9, 3, 7, "HBM2", "Accelergy plug-in, citing O'Connor et al., MICRO 2017"},
    {Part::hbm, "act", 828, 700, 1000, "HBM2, row of 1 KB", kDramSim},
    {Part::hbm, "read_bit", 1.57, 1.5, 2.3, "HBM2", kDramSim},
    {Part::hbm, "write_bit", 2.09, 1.5, 2.3, "HBM2", kDramSim},
    {Part::hbm, "io_bit", 0.3, 0.3, 0.8, "HBM2, interposer", "O'Connor et al., MICRO 2017"},
    {Part::hbm, "refresh", 3800, 2500, 6000, "HBM2, one of 16 banks",
     "DRAMsim3, HBM2_8Gb_x128.ini: a sixteenth of all banks, derived; range assumed"},
    {Part::hbm, "refresh_all", 60800, 40000, 90000, "HBM2, 16 banks",
     "DRAMsim3, HBM2_8Gb_x128.ini: 1.2 V x (250 - 55) mA x 260 ns; range assumed"},
};

// Two routers pass a transfer to the neighbour: 596 pJ / (2 x 4096 B x 8).
constexpr Row kLogic[] = {
    {Part::routers, "bit", 0.009094, 0.0075, 0.06, "GF 12 nm, post-layout",
     "FlooNoC, Fischer et al., IEEE TVLSI 2025: 4 kB to the neighbour take 596 pJ in its two routers"},
    {Part::wires, "bit_mm", 0.06, 0.02, 0.12, "7 nm",
     "middle of 0.02 to 0.04 (NVIDIA, VLSI 2018, 16 nm) and 0.1 (Dally et al., CACM 2020)"},
    {Part::ucie, "bit", 0.5, 0.25, 0.6, "UCIe standard package", "UCIe, Hot Interconnects 2025"},
    {Part::gemm, "mac_f16", 0.3, 0.15, 0.6, "7 nm", kHorowitz},
    {Part::gemm, "mac_bf16", 0.3, 0.1, 0.6, "7 nm", kAsF16},
    {Part::gemm, "mac_f32", 0.92, 0.46, 1.84, "7 nm", kHorowitz},
    {Part::gemm, "mac_i8", 0.046, 0.023, 0.092, "7 nm", kHorowitz},
    {Part::math, "element_f16", 0.22, 0.04, 0.44, "7 nm", kMultiply},
    {Part::math, "element_bf16", 0.22, 0.02, 0.44, "7 nm", kAsF16},
    {Part::math, "element_f32", 0.74, 0.09, 1.48, "7 nm", kMultiply},
};

struct Set {
  const char* name;
  const char* text;
  double widen_low, widen_high;  // of the HBM's range
  const char* derived;           // note in node and source of the HBM's coefficients; empty: they are its own
};

constexpr Set kSets[] = {
    {"hbm2_7nm", "HBM2, logic of 7 to 12 nm, UCIe standard package", 1, 1, ""},
    {"hbm3_7nm", "the same with HBM3, derived from HBM2", 0.6, 1.2, "HBM3, derived from "},
    {"hbm4_7nm", "the same with HBM4, derived from HBM2", 0.4, 1.2, "HBM4, derived from "},
    {"none", "nothing; every coefficient has to be given", 1, 1, ""},
};

const Set& set_named(std::string_view name) {
  for (const Set& set : kSets) {
    if (name == set.name) return set;
  }
  throw Error::model("there is no set of coefficients '" + std::string(name) + "'");
}

// Dally et al., CACM 2020, in pJ per bit of a memory of so many bits; half and three times as much are its range.
Coefficient of_memory(std::uint64_t bytes) {
  const double pj = 0.05 + 0.000022 * std::sqrt(8.0 * static_cast<double>(bytes));
  return Coefficient::of_pj(pj, pj * 0.5, pj * 3, "",
                            "Dally et al., CACM 2020: 0.05 + 0.000022 x sqrt(bits of the memory) pJ");
}

}  // namespace

const std::vector<std::string>& default_sets() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Set& set : kSets) all.emplace_back(set.name);
    return all;
  }();
  return names;
}

std::string default_set_text(std::string_view name) {
  return set_named(name).text;
}

Table defaults(std::string_view name, const MemorySizes& sizes) {
  const Set& set = set_named(name);
  Table table;
  table.defaults = set.name;
  table.of_event.resize(events().size());
  if (name == "none") return table;
  for (const Row& row : kHbm2) {
    table.of_event[find(row.part, row.event)] = Coefficient::of_pj(
        row.pj, row.low * set.widen_low, row.high * set.widen_high, std::string(set.derived) + row.node, row.source);
  }
  for (const Row& row : kLogic) {
    table.of_event[find(row.part, row.event)] = Coefficient::of_pj(row.pj, row.low, row.high, row.node, row.source);
  }
  table.of_event[find(Part::sram, "bit")] = of_memory(sizes.sram_bytes);
  table.of_event[find(Part::tcm, "bit")] = of_memory(sizes.tcm_bytes);
  for (auto& coefficient : table.of_event) {
    if (coefficient) coefficient->origin = Coefficient::Origin::default_set;
  }
  return table;
}

}  // namespace kb::energy
