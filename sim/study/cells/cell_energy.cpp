#include "sim/study/cells/cell_energy.h"

#include <set>
#include <string>

#include "sim/analysis/energy/energy_account.h"
#include "sim/analysis/energy/event_prices.h"

namespace kb::cells {
namespace {

using profile::LaunchTables;

constexpr double kJoules = 1e-15;  // of a femtojoule
constexpr double kWatts = 1e-6;    // of a microwatt

// Events by their names: how many there are differs from cell to cell.
void note_not_counted(const energy::Table& table, const sim::EventCounts& counts, std::set<std::string>& names) {
  for (energy::EventId id = 0; id < energy::events().size(); ++id) {
    const energy::EventRow& row = energy::events()[id];
    const auto found = counts.find(std::string(energy::word_of(row.part).name) + '.' + row.name);
    if (!table.of_event[id] && found != counts.end() && found->second > 0) names.insert(row.key());
  }
  if (counts.count("hbm.act") > 0) names.insert("refresh of banks");
  std::vector<std::string> never;
  sim::add_never_counted(table, never);
  names.insert(never.begin(), never.end());
  names.insert("what the host reads and writes between two steps");
}

}  // namespace

serving::Joules static_watts(const energy::Table& table) {
  serving::Joules watts;
  for (const auto& [part, power] : table.static_power) {
    watts.add({static_cast<double>(power.value), static_cast<double>(power.low), static_cast<double>(power.high)},
              kWatts);
  }
  return watts;
}

void add_joules(const energy::Table& table, const profile::Cell& cell, const std::vector<step::Events>& parts,
                std::size_t batches, double work, profile::LaunchJoules& joules) {
  step::Events all;
  std::vector<sim::EventCounts> shares;
  for (const step::Events& part : parts) {
    all.add(part);
    shares.push_back(part.counts);
  }
  LaunchTables::Parts value, low, high;
  const double mean = kJoules / static_cast<double>(batches);
  for (const energy::Energy& share : sim::price_events(table, all.declared, shares).shares) {
    value.push_back(static_cast<double>(share.value) * mean);
    low.push_back(static_cast<double>(share.low) * mean);
    high.push_back(static_cast<double>(share.high) * mean);
  }
  joules.value.add_parts(cell, std::move(value), work);
  joules.low.add_parts(cell, std::move(low), work);
  joules.high.add_parts(cell, std::move(high), work);
  note_not_counted(table, all.counts, joules.not_counted);
}

serving::Joules joules_of(const energy::Table& table, const step::StepTimes& step) {
  step::Events all;
  for (const step::Events& launch : step.events->launches) all.add(launch);
  const energy::Energy total = sim::price_events(table, all.declared, {all.counts}).total;
  return {static_cast<double>(total.value) * kJoules, static_cast<double>(total.low) * kJoules,
          static_cast<double>(total.high) * kJoules};
}

}  // namespace kb::cells
