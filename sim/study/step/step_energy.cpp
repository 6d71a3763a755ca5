#include "sim/study/step/step_energy.h"

#include <algorithm>

#include "sim/analysis/energy/event_prices.h"

namespace kb::step {
namespace {

constexpr std::uint64_t kBitsPerByte = 8;

bool is_refresh(const std::string& key) {
  return key.rfind("hbm.refresh", 0) == 0;
}

bool opens_rows(const Events& launch) {
  return launch.counts.count("hbm.act") > 0;
}

sim::EventCounts refreshes(const Answer& run, TimeFs step) {
  sim::EventCounts counts;
  for (const auto& [key, count] : run.events->counts) {
    if (!is_refresh(key)) continue;
    const energy::Count share = energy::Count{count} * static_cast<std::uint64_t>(step.fs());
    counts[key] = static_cast<std::uint64_t>(share / static_cast<std::uint64_t>(run.times.at(0).fs()));
  }
  return counts;
}

std::uint64_t memory_bits(const std::vector<sim::EventCounts>& shares) {
  std::uint64_t bits = 0;
  for (const sim::EventCounts& share : shares) {
    for (const char* key : {"hbm.bit", "hbm.read_bit", "hbm.write_bit"}) {
      const auto found = share.find(key);
      if (found != share.end()) bits += found->second;
    }
  }
  return bits;
}

}  // namespace

StepEnergy price_step(const energy::Table& table, const StepEvents& events,
                      const std::vector<std::vector<std::size_t>>& rows, TimeFs step) {
  Events all;
  std::vector<sim::EventCounts> shares;
  for (const std::vector<std::size_t>& launches : rows) {
    Events row;
    for (const std::size_t launch : launches) row.add(events.launches.at(launch));
    all.add(row);
    shares.push_back(std::move(row.counts));
  }
  if (events.run) shares.push_back(refreshes(*events.run, step));
  sim::EventPrices prices = sim::price_events(table, all.declared, shares);
  sim::add_static_power(table, step, prices);
  StepEnergy energy;
  energy.defaults = table.defaults;
  energy.total = prices.total;
  energy.parts = std::move(prices.parts);
  energy.rows.assign(prices.shares.begin(), prices.shares.begin() + static_cast<std::ptrdiff_t>(rows.size()));
  for (std::size_t i = rows.size(); i < prices.shares.size(); ++i) energy.nobodys.add(prices.shares[i]);
  energy.memory_bytes = memory_bits(shares) / kBitsPerByte;
  energy.not_counted = std::move(prices.not_counted);
  if (!events.run && opens_rows(all)) {
    energy.not_counted.emplace_back("refresh of banks, which a run of the step shows (--memo off, --sample)");
  }
  energy.not_counted.emplace_back("what the host reads and writes between two steps");
  return energy;
}

}  // namespace kb::step
