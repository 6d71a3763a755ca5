#include "sim/run/driver/energy_result.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "platform/energy/coefficient.h"

namespace kb::sim {
namespace {

result::Joules joules(const energy::Energy& energy) {
  return {energy.value, energy.low, energy.high};
}

void increase(result::Joules& sum, const energy::Energy& more) {
  sum.value += more.value;
  sum.low += more.low;
  sum.high += more.high;
}

result::EnergyEvent event_of(const EnergyEvent& event) {
  const energy::Coefficient& used = event.coefficient;
  result::EnergyEvent row{event.part,
                          event.name,
                          event.text,
                          event.count,
                          event.unit,
                          event.per,
                          0,
                          0,
                          0,
                          used.node,
                          used.source,
                          origin_name(used.origin),
                          joules(event.energy)};
  const auto amount = [&](std::int64_t value) {
    return event.is_static() ? energy::to_watts(value) : energy::to_pj(value);
  };
  row.value = amount(used.value);
  row.low = amount(used.low);
  row.high = amount(used.high);
  return row;
}

std::vector<result::EnergyLine> lines_of(const RunRecord& run, std::size_t most) {
  const EnergyRecord& energy = *run.energy;
  std::map<std::pair<std::string, std::uint32_t>, result::EnergyLine> sums;
  for (const PlaceEnergy& one : energy.places) {
    const std::string& kernel = run.launches[one.launch].kernel;
    const auto [found, is_new] = sums.try_emplace({kernel, one.place});
    result::EnergyLine& line = found->second;
    if (is_new) {
      const SourcePlace& place = run.places[one.place];
      line.kernel = kernel;
      line.line = {place.file, place.line, place.call, place.range, place.tensor};
    }
    increase(line.energy, one.energy);
    const std::string& part = energy.parts[one.part].name;
    const auto same =
        std::find_if(line.parts.begin(), line.parts.end(), [&](const auto& p) { return p.first == part; });
    if (same == line.parts.end()) {
      line.parts.emplace_back(part, one.energy.value);
    } else {
      same->second += one.energy.value;
    }
  }
  std::vector<result::EnergyLine> lines;
  for (auto& [key, line] : sums) lines.push_back(std::move(line));
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.energy.value > b.energy.value; });
  if (lines.size() > most) lines.resize(most);
  return lines;
}

void add_to_launches(const RunRecord& run, result::Result& document) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, const energy::Energy*> of_launch;
  std::map<std::string, result::Joules> of_kernel;
  for (std::size_t i = 0; i < run.energy->launches.size(); ++i) {
    const LaunchRecord& launch = run.launches[i];
    of_launch[{launch.id, launch.sip.value}] = &run.energy->launches[i];
    increase(of_kernel[launch.kernel], run.energy->launches[i]);
  }
  for (result::Launch& launch : document.launches) {
    const auto found = of_launch.find({launch.id, launch.sip});
    if (found != of_launch.end()) launch.energy = joules(*found->second);
  }
  for (result::Kernel& kernel : document.kernels) {
    const auto found = of_kernel.find(kernel.kernel);
    if (found != of_kernel.end()) kernel.energy = found->second;
  }
}

std::optional<double> per(const energy::Energy& total, std::uint64_t count) {
  if (count == 0) return std::nullopt;
  return static_cast<double>(total.value) / 1000.0 / static_cast<double>(count);
}

}  // namespace

void add_energy(const RunRecord& run, std::size_t most, result::Result& document) {
  if (!run.energy) return;
  const EnergyRecord& energy = *run.energy;
  result::Energy& out = document.energy.emplace();
  out.defaults = energy.defaults;
  out.total = joules(energy.total);
  out.power_w = watts(energy.total.value, energy.time);
  out.pj_per_flop = per(energy.total, energy.flops);
  out.pj_per_byte = per(energy.total, energy.memory_bytes);
  for (const EnergyPart& part : energy.parts) {
    out.parts.push_back({part.name, part.label, joules(part.energy), watts(part.energy.value, energy.time), {}});
    if (!part.bins.empty()) out.parts.back().bins = part.bins;
  }
  for (const EnergyEvent& event : energy.events) out.events.push_back(event_of(event));
  out.not_counted = energy.not_counted;
  if (energy.recorded) {
    out.nobodys = joules(energy.nobodys);
    out.lines = lines_of(run, most);
    add_to_launches(run, document);
  }
  if (energy.bin > 0_fs) out.bin = energy.bin;
}

}  // namespace kb::sim
