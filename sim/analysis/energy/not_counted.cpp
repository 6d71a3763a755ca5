// What costs energy in a machine and has no coefficient.
#include <fmt/format.h>

#include <set>

#include "sim/analysis/energy/energy_account.h"

namespace kb::sim {
namespace {

void add_without_power(const energy::Table& table, std::vector<std::string>& phrases) {
  std::string parts;
  for (std::size_t i = 0; i < energy::kParts; ++i) {
    const auto part = static_cast<energy::Part>(i);
    if (table.static_power.count(part) != 0) continue;
    parts += (parts.empty() ? "" : ", ") + std::string(energy::word_of(part).name);
  }
  if (!parts.empty()) phrases.push_back("static power of " + parts + " (energy.PART.static)");
}

}  // namespace

std::string without_coefficient(const std::string& part, const std::string& event, const std::string& per,
                                std::uint64_t count) {
  return fmt::format("{} {} of {} (energy.{}.{})", count, per, part, part, event);
}

void add_never_counted(const energy::Table& table, std::vector<std::string>& phrases) {
  add_without_power(table, phrases);
  phrases.emplace_back(
      "CPUs, schedulers, DMA engines, translation, the host and its link: their events have no coefficient");
}

std::vector<std::string> not_counted(const EnergyInput& input, const std::vector<Counted>& events) {
  std::vector<std::string> phrases;
  for (const Counted& event : events) {
    if (event.coefficient != nullptr) continue;
    phrases.push_back(without_coefficient(event.part, event.name, event.per, event.total / event.ratio));
  }
  for (const auto& [engine, elements] : input.work.of_plugins()) {
    phrases.push_back(
        fmt::format("{} elements of the engine {}: engines of plug-ins declare a resource with a "
                    "coefficient",
                    elements, engine));
  }
  std::set<std::string> resources;
  for (const resource::DeclaredUse& use : input.declared) {
    const topology::Node& node = input.graph.node(use.node);
    if (!node.foreign || use.sums.uses == 0 || use.declaration.energy_per_use || use.declaration.energy_per_byte) {
      continue;
    }
    resources.insert(
        fmt::format("the resource {} of {}, which declares no coefficient", use.declaration.name, node.impl));
  }
  phrases.insert(phrases.end(), resources.begin(), resources.end());
  add_never_counted(*input.graph.spec.energy, phrases);
  return phrases;
}

}  // namespace kb::sim
