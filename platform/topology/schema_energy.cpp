// The section `energy:` (E-110 .. E-112): a named set of coefficients, and values that replace or add to it.
#include <fmt/format.h>

#include "platform/energy/events.h"
#include "platform/topology/schema.h"

namespace kb::topology {
namespace {

using energy::Coefficient;

// Reads a key that may be absent; the JSON schema also learns of it then.
std::optional<double> read_optional(MapReader& map, const std::string& key, const Bounds& bounds) {
  if (!map.has(key) && map.context().record() == nullptr) {
    map.allow(key);
    return std::nullopt;
  }
  return map.real(key, std::nullopt, bounds);
}

struct Range {
  double value = 0.0, low = 0.0, high = 0.0;
};

void check_range(MapReader& map, const std::string& unit, const Range& range) {
  const auto refuse = [&](const char* key, const char* relation, double bound) {
    map.report(key, fmt::format("{} {} is {} {} {}", key, number_text(bound), relation, unit, number_text(range.value)),
               fmt::format("the range has to hold the value: low <= {} <= high", unit));
  };
  if (range.low > range.value) refuse("low", "above", range.low);
  if (range.high < range.value) refuse("high", "below", range.high);
}

// `unit`: key of the value, "pj" or "w". Without low and high the value is exact.
std::optional<Coefficient> read_coefficient(MapReader& map, const std::string& unit, double most) {
  const Bounds bounds = at_least(0.0, most);
  const bool recorded = map.context().record() != nullptr;
  map.has(unit);  // for the JSON schema, in which the mapping may be left out
  map.has("source");
  Range range;
  range.value = map.real(unit, std::nullopt, bounds);
  range.low = read_optional(map, "low", bounds).value_or(range.value);
  range.high = read_optional(map, "high", bounds).value_or(range.value);
  std::string node;
  if (map.has("node") || recorded) node = map.text("node", recorded ? std::nullopt : std::optional<std::string>(""));
  map.allow("node");
  std::string source;
  if (map.has("source") || recorded) {
    source = map.text("source", std::nullopt);
  } else {
    map.allow("source");
    if (map.context().is_bad(map.path())) return std::nullopt;
    map.report("source", "a coefficient needs the source of its value",
               "add for example source: measured on our board, 2026-03");
  }
  map.done();
  const auto bad = [&](const char* key) { return map.context().is_bad(map.path(key)); };
  if (bad(unit.c_str()) || bad("low") || bad("high") || bad("source") || map.context().is_bad(map.path())) {
    return std::nullopt;
  }
  check_range(map, unit, range);
  const auto make = unit == "w" ? Coefficient::of_watts : Coefficient::of_pj;
  Coefficient made = make(range.value, range.low, range.high, node, source);
  made.origin = Coefficient::Origin::given;
  return made;
}

bool reads(MapReader& map, const std::string& key) {
  const bool wanted = map.has(key) || map.context().record() != nullptr;
  if (!wanted) {
    map.allow(key);
    map.context().note_known(map.path(key));
  }
  return wanted;
}

void read_part(MapReader& parts, energy::Part part, energy::Table& table) {
  const std::string name(energy::word_of(part).name);
  if (!reads(parts, name)) return;
  MapReader map = parts.map(name);
  for (const energy::EventId id : energy::events_of(part)) {
    const energy::EventRow& event = energy::events()[id];
    if (!reads(map, event.name)) continue;
    MapReader one = map.map(event.name);
    if (auto coefficient = read_coefficient(one, "pj", energy::kMostPj)) table.of_event[id] = *coefficient;
  }
  if (reads(map, "static")) {
    MapReader one = map.map("static");
    if (auto coefficient = read_coefficient(one, "w", energy::kMostWatts)) table.static_power[part] = *coefficient;
  }
  map.done();
}

}  // namespace

void read_energy(MapReader& top, MachineSpec& spec) {
  if (!top.has("energy")) {
    top.allow("energy");
    top.context().note_known("energy");
    return;
  }
  MapReader section = top.map("energy");
  section.has("defaults");  // for the JSON schema, in which the section may be left out
  const std::size_t set = section.choice("defaults", std::nullopt, energy::default_sets());
  spec.energy = energy::defaults(energy::default_sets()[set], {spec.sram_bytes_per_cube, spec.tcm_bytes_per_pe});
  for (std::size_t part = 0; part < energy::kParts; ++part) {
    read_part(section, static_cast<energy::Part>(part), *spec.energy);
  }
  section.done();
}

}  // namespace kb::topology
