#include "sim/analysis/energy/energy_account.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace kb::sim {
namespace {

using energy::Energy;

// Sums of launches and lines.
class Sharing {
 public:
  Sharing(const account::PlaceTable& places, const std::deque<LaunchRecord>& launches, EnergyRecord& record)
      : places_(places), record_(record) {
    for (std::size_t i = 0; i < launches.size(); ++i) launch_of_[launches[i].id] = i;
    record_.launches.resize(launches.size());
  }

  // Divides the energy of an event; what is not of a known launch is nobody's.
  void share(const Counted& event, std::uint32_t part) {
    energy::Division division(*event.coefficient, event.ratio);
    std::uint64_t left = event.total;
    for (const auto& [place, count] : event.by_place) {
      const std::uint64_t counted = std::min(count, left);
      left -= counted;
      add(place, part, division.next(counted));
    }
    record_.nobodys.add(division.next(left));
  }

  void finish() {
    for (const auto& [key, energy] : sums_) {
      record_.places.push_back({key.launch, key.site, key.part, energy});
    }
  }

 private:
  struct Key {
    std::uint32_t launch = 0, site = 0, part = 0;
    bool operator<(const Key& other) const {
      return std::tie(launch, site, part) < std::tie(other.launch, other.site, other.part);
    }
  };

  void add(account::PlaceId place, std::uint32_t part, const Energy& energy) {
    const auto launch = launch_of_.find(places_[place].launch);
    if (places_[place].launch == 0 || launch == launch_of_.end()) return record_.nobodys.add(energy);
    record_.launches[launch->second].add(energy);
    sums_[{static_cast<std::uint32_t>(launch->second), places_.site(place).value, part}].add(energy);
  }

  const account::PlaceTable& places_;
  EnergyRecord& record_;
  std::unordered_map<std::uint64_t, std::size_t> launch_of_;
  std::map<Key, Energy> sums_;
};

std::uint32_t part_index(EnergyRecord& record, const std::string& name) {
  return static_cast<std::uint32_t>(&part_of(record.parts, name) - record.parts.data());
}

void add_event(EnergyRecord& record, std::uint32_t part, EnergyEvent event) {
  record.parts[part].energy.add(event.energy);
  record.total.add(event.energy);
  record.events.push_back(std::move(event));
}

// Static power is nobody's.
void add_static(const EnergyInput& input, EnergyRecord& record) {
  for (const auto& [part, power] : input.graph.spec.energy->static_power) {
    const auto time = static_cast<std::uint64_t>(input.end.fs());
    const std::string name(energy::word_of(part).name);
    EnergyEvent event{name, "static",         "fs", "W", "static power of all blocks of the part", power,
                      time, power.times(time)};
    if (input.recorder != nullptr) record.nobodys.add(event.energy);
    add_event(record, part_index(record, name), std::move(event));
  }
}

std::uint64_t memory_bytes(const std::vector<Counted>& events) {
  std::uint64_t bits = 0;
  for (const Counted& event : events) {
    if (event.part == "hbm" && (event.name == "bit" || event.name == "read_bit" || event.name == "write_bit")) {
      bits += event.total;
    }
  }
  return bits / 8;
}

}  // namespace

EnergyPart& part_of(std::vector<EnergyPart>& parts, const std::string& name) {
  const auto known = std::find_if(parts.begin(), parts.end(), [&](const EnergyPart& one) { return one.name == name; });
  if (known != parts.end()) return *known;
  std::string label = name;
  for (std::size_t part = 0; part < energy::kParts; ++part) {
    const DisplayText& word = energy::word_of(static_cast<energy::Part>(part));
    if (word.name == name) label = word.label;
  }
  parts.push_back({name, label, {}, {}});
  return parts.back();
}

double watts(std::uint64_t femtojoules, TimeFs time) {
  return time == 0_fs ? 0.0 : static_cast<double>(femtojoules) / static_cast<double>(time.fs());
}

EnergyRecord account_energy(const EnergyInput& input, const std::deque<LaunchRecord>& launches) {
  EnergyRecord record;
  record.defaults = input.graph.spec.energy->defaults;
  record.time = input.end;
  record.recorded = input.recorder != nullptr;
  const std::vector<Counted> events = count_events(input);
  std::optional<Sharing> sharing;
  if (input.recorder != nullptr) sharing.emplace(input.recorder->places(), launches, record);
  for (const Counted& event : events) {
    if (event.coefficient == nullptr) continue;
    const std::uint32_t part = part_index(record, event.part);
    add_event(record, part,
              {event.part, event.name, event.unit, event.per, event.text, *event.coefficient, event.total,
               event.coefficient->times(event.total, event.ratio)});
    if (sharing) sharing->share(event, part);
  }
  if (sharing) sharing->finish();
  add_static(input, record);
  record.not_counted = not_counted(input, events);
  record.flops = 2 * input.work.useful_macs();
  record.memory_bytes = memory_bytes(events);
  if (input.recorder != nullptr) add_power(input, events, record);
  return record;
}

}  // namespace kb::sim
