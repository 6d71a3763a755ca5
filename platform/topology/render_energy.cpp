// The coefficients of a machine, for `kernbench topology`.
#include <fmt/format.h>

#include "platform/energy/events.h"
#include "platform/topology/schema.h"

namespace kb::topology {
namespace {

std::string row(const std::string& key, const energy::Coefficient& one, double (*amount)(std::int64_t),
                const std::string& unit) {
  return fmt::format("  {:<22}{:<28}{} .. {}; {}{}\n", key, fmt::format("{:.6g} {}", amount(one.value), unit),
                     fmt::format("{:.6g}", amount(one.low)), fmt::format("{:.6g}", amount(one.high)), one.source,
                     one.node.empty() ? "" : " (" + one.node + ")");
}

}  // namespace

std::string energy_text(const MachineSpec& spec) {
  if (!spec.energy) return "";
  std::string out = fmt::format("\nEnergy (coefficients: {})\n", spec.energy->defaults);
  for (energy::EventId id = 0; id < energy::events().size(); ++id) {
    const energy::EventRow& event = energy::events()[id];
    const auto& coefficient = spec.energy->of_event[id];
    const std::string key = fmt::format("{}.{}", energy::word_of(event.part).name, event.name);
    if (coefficient) out += row(key, *coefficient, energy::to_pj, "pJ per " + event.per);
  }
  for (const auto& [part, power] : spec.energy->static_power) {
    out += row(fmt::format("{}.static", energy::word_of(part).name), power, energy::to_watts, "W");
  }
  return out;
}

}  // namespace kb::topology
