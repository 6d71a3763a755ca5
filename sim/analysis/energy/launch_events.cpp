#include "sim/analysis/energy/launch_events.h"

#include <algorithm>

namespace kb::sim {
namespace {

bool is_declared(const Counted& event) {
  return event.coefficient != nullptr && event.coefficient->origin == energy::Coefficient::Origin::declared;
}

std::string key_of(const Counted& event) {
  return is_declared(event) ? event.part + '/' + event.name + '/' + event.unit : event.part + '.' + event.name;
}

}  // namespace

void add_events(EventCounts& sum, const EventCounts& more) {
  for (const auto& [key, count] : more) {
    std::uint64_t& all = sum[key];
    all = energy::counted_sum(all, count, 1);
  }
}

LaunchEvents events_of_launches(const EnergyInput& input) {
  const account::PlaceTable& places = input.recorder->places();
  LaunchEvents out;
  for (const Counted& event : count_events(input)) {
    const std::string key = key_of(event);
    if (is_declared(event)) out.declared.emplace(key, *event.coefficient);
    std::uint64_t left = event.total;
    for (const auto& [place, count] : event.by_place) {
      const std::uint64_t launch = places[place].launch;
      const std::uint64_t counted = std::min(count, left);
      if (launch == 0 || counted == 0) continue;
      left -= counted;
      out.launches[launch][key] += counted;
    }
    if (left > 0) out.nobodys[key] = left;
  }
  return out;
}

}  // namespace kb::sim
