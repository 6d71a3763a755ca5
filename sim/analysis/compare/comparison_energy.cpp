#include "sim/analysis/compare/comparison_energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "sim/analysis/compare/matched_lines.h"

namespace kb::sim {
namespace {

using result::Energy;
using result::EnergyEvent;
using result::Joules;

double more_joules(std::uint64_t before, std::uint64_t after) {
  return static_cast<double>(after) - static_cast<double>(before);
}

// A use and a byte of a declared resource are two events of one name.
std::string event_key(const EnergyEvent& event) {
  return event.part + '.' + event.name + '/' + event.per;
}

std::map<std::string, const EnergyEvent*> events_of(const Energy& energy) {
  std::map<std::string, const EnergyEvent*> all;
  for (const EnergyEvent& event : energy.events) all[event_key(event)] = &event;
  return all;
}

bool is_static(const EnergyEvent& event) {
  return event.name == "static";
}

// The run counted the event and has no coefficient for it. Static power has no count, so that a run without it has no
// coefficient.
bool lacks_coefficient(const Energy& energy, const EnergyEvent& event) {
  const std::string key = fmt::format("(energy.{}.{})", event.part, event.name);
  return is_static(event) || std::any_of(energy.not_counted.begin(), energy.not_counted.end(), [&](const auto& phrase) {
           return phrase.size() >= key.size() && phrase.compare(phrase.size() - key.size(), key.size(), key) == 0;
         });
}

CoefficientDifference::Side amounts_of(const EnergyEvent& event) {
  return {event.value, event.low, event.high};
}

bool same_amounts(const EnergyEvent& a, const EnergyEvent& b) {
  return a.value == b.value && a.low == b.low && a.high == b.high;
}

CoefficientDifference difference_of(const EnergyEvent* before, const EnergyEvent* after) {
  const EnergyEvent& one = before != nullptr ? *before : *after;
  CoefficientDifference difference{one.part + '.' + one.name, is_static(one) ? one.per : "pJ per " + one.per,
                                   std::nullopt, std::nullopt};
  if (before != nullptr) difference.before = amounts_of(*before);
  if (after != nullptr) difference.after = amounts_of(*after);
  return difference;
}

std::vector<CoefficientDifference> coefficient_differences(const Energy& before, const Energy& after) {
  const auto others = events_of(after), known = events_of(before);
  std::vector<CoefficientDifference> list;
  for (const EnergyEvent& event : before.events) {
    const auto other = others.find(event_key(event));
    if (other == others.end()) {
      if (lacks_coefficient(after, event)) list.push_back(difference_of(&event, nullptr));
    } else if (!same_amounts(event, *other->second)) {
      list.push_back(difference_of(&event, other->second));
    }
  }
  for (const EnergyEvent& event : after.events) {
    if (known.count(event_key(event)) == 0 && lacks_coefficient(before, event)) {
      list.push_back(difference_of(nullptr, &event));
    }
  }
  return list;
}

// Memories without a model of banks count bits, the others rows and columns, from figures that do not agree.
bool counts_rows(const Energy& energy) {
  return std::any_of(energy.events.begin(), energy.events.end(), [](const EnergyEvent& event) {
    return event.part == "hbm" && (event.name == "act" || event.name == "read_bit" || event.name == "write_bit");
  });
}
bool counts_bits(const Energy& energy) {
  return std::any_of(energy.events.begin(), energy.events.end(),
                     [](const EnergyEvent& event) { return event.part == "hbm" && event.name == "bit"; });
}

// Each event at the end of its range that makes the difference least, and largest.
void set_range(EnergyComparison& comparison, const Energy& before, const Energy& after) {
  struct Ends {
    Joules before, after;
  };
  std::map<std::string, Ends> events;
  for (const EnergyEvent& event : before.events) events[event_key(event)].before = event.energy;
  for (const EnergyEvent& event : after.events) events[event_key(event)].after = event.energy;
  double least = 0, largest = 0;
  for (const auto& [key, ends] : events) {
    const double low = more_joules(ends.before.low, ends.after.low);
    const double high = more_joules(ends.before.high, ends.after.high);
    least += std::min(low, high);
    largest += std::max(low, high);
  }
  comparison.least = least;
  comparison.largest = largest;
}

std::vector<EnergyChange> part_changes(const Energy& before, const Energy& after) {
  std::vector<EnergyChange> changes;
  for (const result::EnergyPart& part : before.parts) changes.push_back({part.name, part.label, part.energy, {}});
  for (const result::EnergyPart& part : after.parts) {
    const auto same =
        std::find_if(changes.begin(), changes.end(), [&](const EnergyChange& one) { return one.name == part.name; });
    if (same == changes.end()) {
      changes.push_back({part.name, part.label, {}, part.energy});
    } else {
      same->after = part.energy;
    }
  }
  return changes;
}

LinesByCall<Joules> joules_of_calls(const Energy& energy) {
  LinesByCall<Joules> calls;
  for (const result::EnergyLine& one : *energy.lines) {
    calls[line_call(one.kernel, one.line)][one.line.line] = one.energy;
  }
  return calls;
}

Joules joules_of(const std::optional<EnergyLineChange::Side>& side) {
  return side ? side->energy : Joules();
}

double change_of_line(const EnergyLineChange& one) {
  return more_joules(joules_of(one.before).value, joules_of(one.after).value);
}

std::vector<EnergyLineChange> energy_lines(const Energy& before, const Energy& after) {
  std::vector<EnergyLineChange> changes;
  pair_lines(joules_of_calls(before), joules_of_calls(after), [&](const LineCall& call, const auto* a, const auto* b) {
    EnergyLineChange change;
    std::tie(change.kernel, change.file, change.call, change.tensor, change.range) = call;
    if (a != nullptr) change.before = EnergyLineChange::Side{a->first, a->second};
    if (b != nullptr) change.after = EnergyLineChange::Side{b->first, b->second};
    if (differs(joules_of(change.before), joules_of(change.after))) changes.push_back(std::move(change));
  });
  std::stable_sort(changes.begin(), changes.end(), [](const EnergyLineChange& x, const EnergyLineChange& y) {
    return std::abs(change_of_line(x)) > std::abs(change_of_line(y));
  });
  return changes;
}

void add_notes(EnergyComparison& comparison, const Energy& before, const Energy& after) {
  if (!comparison.coefficients.empty()) {
    comparison.notes.emplace_back(
        "The coefficients of A and B differ, so a change of joules is not one of the work alone");
  }
  if (counts_rows(before) != counts_rows(after) && counts_bits(before) != counts_bits(after)) {
    const char* const rows = counts_rows(before) ? "A" : "B";
    comparison.notes.push_back(
        fmt::format("The memory of {} has banks and that of {} has none, and their coefficients are of different "
                    "sources: their joules differ for equal work",
                    rows, *rows == 'A' ? "B" : "A"));
  }
  for (const auto& [name, energy] : {std::pair("A", &before), std::pair("B", &after)}) {
    if (!energy->lines) {
      comparison.notes.push_back(
          fmt::format("{} recorded no activity (--no-findings), so there are no joules of lines", name));
    }
  }
}

}  // namespace

bool differs(const Joules& before, const Joules& after) {
  return 1e6 * std::abs(more_joules(before.value, after.value)) >
         static_cast<double>(std::max(before.value, after.value));
}

std::optional<EnergyComparison> compare_energy(const result::Result& before, const result::Result& after) {
  if (!before.energy && !after.energy) return std::nullopt;
  EnergyComparison comparison;
  if (before.energy) comparison.before_defaults = before.energy->defaults;
  if (after.energy) comparison.after_defaults = after.energy->defaults;
  if (!before.energy || !after.energy) {
    const Energy& one = before.energy ? *before.energy : *after.energy;
    comparison.notes.push_back(fmt::format(
        "Only {} has joules; run {} again with --set energy.defaults={} and the other keys of energy: of {}",
        before.energy ? "A" : "B", before.energy ? "B" : "A", one.defaults, before.energy ? "A" : "B"));
    return comparison;
  }
  const Energy &a = *before.energy, &b = *after.energy;
  comparison.in_both = true;
  comparison.coefficients = coefficient_differences(a, b);
  add_notes(comparison, a, b);
  comparison.total = {"total", "total", a.total, b.total};
  if (comparison.coefficients.empty()) set_range(comparison, a, b);
  comparison.parts = part_changes(a, b);
  if (a.nobodys && b.nobodys) {
    comparison.nobodys = EnergyChange{"nobodys", "no launch: static power, refresh, copies", *a.nobodys, *b.nobodys};
  }
  if (a.lines && b.lines) comparison.lines = energy_lines(a, b);
  return comparison;
}

}  // namespace kb::sim
