// The parts of a machine that cost energy, and what is counted of each: the one table from which come the keys of a
// topology file, the rows of reports and what is listed as not counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/display_text.h"
#include "platform/base/dtype.h"
#include "platform/energy/coefficient.h"

namespace kb::energy {

enum class Part : std::uint8_t { hbm, routers, wires, ucie, pcie, sram, tcm, gemm, math, control };
inline constexpr std::size_t kParts = 10;
const DisplayText& word_of(Part part);  // name: the key of the part in `energy:`
std::vector<std::string> part_names();

// An event that costs energy, as a position in events().
using EventId = std::size_t;

struct EventRow {
  Part part{};
  std::string name;     // the key in the part: "bit", "mac_f16"
  std::string unit;     // of counts: "bit", "MAC", "bit um"
  std::string per;      // of the coefficient: "bit", "bit mm"
  std::uint32_t ratio;  // counts in one unit of the coefficient
  std::string text;     // what is counted
  std::string key() const { return "energy." + std::string(word_of(part).name) + '.' + name; }
};

// In the order of reports. The last events of the engines are by dtype.
const std::vector<EventRow>& events();
std::vector<EventId> events_of(Part part);
EventId find(Part part, std::string_view name);  // model Error when there is none
EventId mac_of(Dtype dtype);
EventId element_of(Dtype dtype);

// Sizes that coefficients of memories depend on.
struct MemorySizes {
  std::uint64_t sram_bytes = 0, tcm_bytes = 0;
};

// Coefficients of a machine: the section `energy:` of its file.
struct Table {
  std::string defaults;                              // name of the set
  std::vector<std::optional<Coefficient>> of_event;  // by event; no value: not counted
  std::map<Part, Coefficient> static_power;          // of all blocks of the part together
};

// Named sets of published coefficients; "none" has none.
const std::vector<std::string>& default_sets();
std::string default_set_text(std::string_view name);
Table defaults(std::string_view set, const MemorySizes& sizes);

}  // namespace kb::energy
