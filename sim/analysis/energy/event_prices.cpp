#include "sim/analysis/energy/event_prices.h"

#include <algorithm>
#include <cstdint>

#include "sim/analysis/energy/energy_account.h"

namespace kb::sim {
namespace {

std::uint64_t count_of(const EventCounts& events, const std::string& key) {
  const auto found = events.find(key);
  return found == events.end() ? 0 : found->second;
}

class Pricing {
 public:
  Pricing(const std::vector<EventCounts>& shares, EventPrices& prices) : shares_(shares), prices_(prices) {
    prices_.shares.resize(shares.size());
    for (const EventCounts& share : shares) add_events(all_, share);
  }

  std::uint64_t total(const std::string& key) const { return count_of(all_, key); }

  void price(const std::string& key, const std::string& part, const energy::Coefficient& coefficient,
             std::uint32_t ratio) {
    if (total(key) == 0) return;
    energy::Division division(coefficient, ratio);
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const energy::Energy energy = division.next(count_of(shares_[i], key));
      prices_.shares[i].add(energy);
      prices_.total.add(energy);
      part_of(prices_.parts, part).energy.add(energy);
    }
  }

 private:
  const std::vector<EventCounts>& shares_;
  EventPrices& prices_;
  EventCounts all_;
};

}  // namespace

EventPrices price_events(const energy::Table& table, const std::map<std::string, energy::Coefficient>& declared,
                         const std::vector<EventCounts>& shares) {
  EventPrices prices;
  Pricing pricing(shares, prices);
  for (energy::EventId id = 0; id < energy::events().size(); ++id) {
    const energy::EventRow& row = energy::events()[id];
    const std::string part(energy::word_of(row.part).name);
    const std::string key = part + '.' + row.name;
    if (table.of_event[id]) {
      pricing.price(key, part, *table.of_event[id], row.ratio);
    } else if (const std::uint64_t count = pricing.total(key); count > 0) {
      prices.not_counted.push_back(without_coefficient(part, row.name, row.per, count / row.ratio));
    }
  }
  for (const auto& [key, coefficient] : declared) pricing.price(key, key.substr(0, key.find('/')), coefficient, 1);
  add_never_counted(table, prices.not_counted);
  return prices;
}

void add_static_power(const energy::Table& table, TimeFs time, EventPrices& prices) {
  energy::Energy& share = prices.shares.emplace_back();
  for (const auto& [part, power] : table.static_power) {
    const energy::Energy energy = power.times(static_cast<std::uint64_t>(time.fs()));
    part_of(prices.parts, std::string(energy::word_of(part).name)).energy.add(energy);
    share.add(energy);
    prices.total.add(energy);
  }
}

}  // namespace kb::sim
