#include "sim/run/driver/energy_report.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "platform/observe/text_table.h"

namespace kb::sim {
namespace {

using energy::joules_text;
using energy::three_digits;
using observe::TextTable;
using Align = TextTable::Align;

constexpr std::size_t kMaxRows = 8;

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return observe::fixed(whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole), 1);
}

std::string more_rows(std::size_t rows) {
  return rows <= kMaxRows ? "" : "  ... and " + std::to_string(rows - kMaxRows) + " more in the result file\n";
}

std::string range_text(const energy::Energy& energy) {
  return joules_text(energy.low) + " .. " + joules_text(energy.high);
}

std::string total_text(const EnergyRecord& energy) {
  std::string text = "  " + joules_text(energy.total.value) + " (" + range_text(energy.total) + ")";
  if (energy.time > 0_fs) text += ", " + three_digits(watts(energy.total.value, energy.time)) + " W over the run";
  const auto per = [&](std::uint64_t count, const char* what) {
    if (count == 0) return;
    text += ", " + three_digits(static_cast<double>(energy.total.value) / 1e3 / static_cast<double>(count)) +
            " pJ per " + what;
  };
  per(energy.flops, "FLOP");
  per(energy.memory_bytes, "byte of HBM");
  return text + '\n';
}

std::string parts_text(const EnergyRecord& energy) {
  TextTable table({{"part", Align::left},
                   {"energy", Align::right},
                   {"%", Align::right},
                   {"low", Align::right},
                   {"high", Align::right},
                   {"W", Align::right}});
  for (const EnergyPart& part : energy.parts) {
    table.add({part.label, joules_text(part.energy.value), percent(part.energy.value, energy.total.value),
               joules_text(part.energy.low), joules_text(part.energy.high),
               three_digits(watts(part.energy.value, energy.time))});
  }
  return table.render("  ");
}

// Mean power from submission to completion.
std::string power_of(const LaunchRecord& launch, const energy::Energy& energy) {
  return launch.completed == kNever ? "" : three_digits(watts(energy.value, launch.completed - launch.submitted));
}

std::string launches_text(const RunRecord& run) {
  const EnergyRecord& energy = *run.energy;
  std::vector<std::size_t> order(energy.launches.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return energy.launches[a].value > energy.launches[b].value; });
  TextTable table({{"launch", Align::right},
                   {"kernel", Align::left},
                   {"energy", Align::right},
                   {"%", Align::right},
                   {"W", Align::right},
                   {"range", Align::left}});
  for (std::size_t i = 0; i < order.size() && i < kMaxRows; ++i) {
    const LaunchRecord& launch = run.launches[order[i]];
    const energy::Energy& one = energy.launches[order[i]];
    table.add({std::to_string(launch.id), launch.name(), joules_text(one.value), percent(one.value, energy.total.value),
               power_of(launch, one), range_text(one)});
  }
  table.add({"-", "no launch: static power, refresh, copies", joules_text(energy.nobodys.value),
             percent(energy.nobodys.value, energy.total.value), "", range_text(energy.nobodys)});
  return "\n" + table.render("  ") + more_rows(order.size());
}

// Energy of each line over all launches, with its two most expensive parts.
std::string lines_text(const RunRecord& run) {
  const EnergyRecord& energy = *run.energy;
  struct Sum {
    std::uint64_t energy = 0;
    std::map<std::uint32_t, std::uint64_t> parts;
  };
  std::map<std::uint32_t, Sum> sums;
  for (const PlaceEnergy& one : energy.places) {
    sums[one.place].energy += one.energy.value;
    sums[one.place].parts[one.part] += one.energy.value;
  }
  std::vector<std::pair<std::uint32_t, Sum>> lines(sums.begin(), sums.end());
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.second.energy > b.second.energy; });
  TextTable table({{"line", Align::left},
                   {"tensor", Align::left},
                   {"range", Align::left},
                   {"energy", Align::right},
                   {"%", Align::right},
                   {"of it", Align::left}});
  for (std::size_t i = 0; i < lines.size() && i < kMaxRows; ++i) {
    const SourcePlace& place = run.places[lines[i].first];
    const Sum& sum = lines[i].second;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> parts(sum.parts.begin(), sum.parts.end());
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string of_it;
    for (std::size_t p = 0; p < parts.size() && p < 2; ++p) {
      of_it +=
          (p > 0 ? ", " : "") + energy.parts[parts[p].first].label + " " + percent(parts[p].second, sum.energy) + " %";
    }
    table.add({place.line == 0 ? "(distribution of launches)" : place.text(), place.tensor, place.range,
               joules_text(sum.energy), percent(sum.energy, energy.total.value), of_it});
  }
  return lines.empty() ? "" : "\n" + table.render("  ") + more_rows(lines.size());
}

}  // namespace

std::string render_energy(const RunRecord& run) {
  if (!run.energy) return "";
  const EnergyRecord& energy = *run.energy;
  std::string text = "\nEnergy (coefficients: " + energy.defaults +
                     "; half of all bits toggle; no area, no voltage scaling)\n" + total_text(energy) +
                     parts_text(energy);
  if (energy.recorded) text += launches_text(run) + lines_text(run);
  text += "  not counted:\n";
  for (const std::string& phrase : energy.not_counted) text += "    " + phrase + '\n';
  return text;
}

}  // namespace kb::sim
