#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "platform/energy/coefficient.h"
#include "platform/observe/json_writer.h"
#include "platform/observe/text_table.h"
#include "sim/analysis/compare/comparison_energy.h"

namespace kb::sim {
namespace {

using energy::joules_text;
using observe::TextTable;
using result::Joules;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kWidth = 120;

// Joules have less than 2^64 fJ.
std::string signed_joules(double femtojoules) {
  const auto size = static_cast<std::uint64_t>(std::abs(femtojoules));
  return (size == 0 ? "" : femtojoules < 0 ? "-" : "+") + joules_text(size);
}

double change_of(const Joules& before, const Joules& after) {
  return static_cast<double>(after.value) - static_cast<double>(before.value);
}

std::string ratio_of(const Joules& before, const Joules& after) {
  if (before.value == 0) return "";
  return observe::fixed(static_cast<double>(after.value) / static_cast<double>(before.value), 3);
}

std::string ends_of(const Joules& energy) {
  return energy.value == 0 ? "" : joules_text(energy.low) + " .. " + joules_text(energy.high);
}

std::string amount_text(const std::optional<CoefficientDifference::Side>& side, const char* run) {
  if (!side) return fmt::format("none in {}", run);
  const std::string range = side->low == side->high ? ""
                                                    : fmt::format(" ({} to {})", observe::number_text(side->low),
                                                                  observe::number_text(side->high));
  return fmt::format("{}{} in {}", observe::number_text(side->value), range, run);
}

std::string coefficients_text(const EnergyComparison& energy, std::size_t rows) {
  std::string text;
  const std::size_t shown = std::min(rows, energy.coefficients.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const CoefficientDifference& one = energy.coefficients[i];
    text += fmt::format("    {}, {}: {}, {}\n", one.name, one.unit, amount_text(one.before, "A"),
                        amount_text(one.after, "B"));
  }
  if (shown < energy.coefficients.size()) {
    text += fmt::format("    and {} more (--rows {} shows all)\n", energy.coefficients.size() - shown,
                        energy.coefficients.size());
  }
  return text;
}

std::string sets_text(const EnergyComparison& energy) {
  if (energy.before_defaults == energy.after_defaults) return energy.before_defaults;
  return energy.before_defaults + " in A, " + energy.after_defaults + " in B";
}

std::string parts_table(const EnergyComparison& energy) {
  constexpr auto kRightAligned = TextTable::Align::right;
  TextTable table({{"part"},
                   {"A", kRightAligned},
                   {"range of A", kRightAligned},
                   {"B", kRightAligned},
                   {"range of B", kRightAligned},
                   {"B - A", kRightAligned},
                   {"B / A", kRightAligned}});
  const auto add = [&](const EnergyChange& one) {
    table.add({one.label, joules_text(one.before.value), ends_of(one.before), joules_text(one.after.value),
               ends_of(one.after), signed_joules(change_of(one.before, one.after)), ratio_of(one.before, one.after)});
  };
  for (const EnergyChange& part : energy.parts) add(part);
  add(energy.total);
  return table.render("  ");
}

std::string range_sentence(const EnergyComparison& energy) {
  if (!energy.least || *energy.least == *energy.largest) return "";
  return fmt::format("  B - A lies between {} and {} for all coefficients within their ranges, the same in A and B\n",
                     signed_joules(*energy.least), signed_joules(*energy.largest));
}

std::string name_of(const EnergyLineChange& one) {
  const std::uint64_t before = one.before ? one.before->line : 0, after = one.after ? one.after->line : 0;
  if (before == 0 && after == 0) return "(distribution of launches)";
  return changed_line(one.file, one.call, before, after);
}

std::string lines_table(const EnergyComparison& energy, std::size_t rows) {
  constexpr auto kToTheRight = TextTable::Align::right;
  TextTable table({{"line"},
                   {"tensor"},
                   {"range"},
                   {"A", kToTheRight},
                   {"B", kToTheRight},
                   {"B - A", kToTheRight},
                   {"B / A", kToTheRight}});
  const auto cell = [](const auto& side) { return side ? joules_text(side->energy.value) : "-"; };
  for (std::size_t i = 0; i < std::min(rows, energy.lines.size()); ++i) {
    const EnergyLineChange& one = energy.lines[i];
    const Joules before = one.before ? one.before->energy : Joules(), after = one.after ? one.after->energy : Joules();
    table.add({name_of(one), one.tensor, one.range, cell(one.before), cell(one.after),
               signed_joules(change_of(before, after)), ratio_of(before, after)});
  }
  if (energy.nobodys && differs(energy.nobodys->before, energy.nobodys->after)) {
    const EnergyChange& one = *energy.nobodys;
    table.add({one.label, "", "", joules_text(one.before.value), joules_text(one.after.value),
               signed_joules(change_of(one.before, one.after)), ratio_of(one.before, one.after)});
  }
  if (table.empty()) return "";
  std::string text = fmt::format("\n  Lines whose energy changed most, of {} that changed\n{}", energy.lines.size(),
                                 table.render("  "));
  if (energy.lines.size() > rows) {
    text += fmt::format("  and {} that changed less (--rows {} shows all)\n", energy.lines.size() - rows,
                        energy.lines.size());
  }
  return text;
}

OrderedJson joules_json(const Joules& energy) {
  return {{"fj", energy.value}, {"low_fj", energy.low}, {"high_fj", energy.high}};
}

OrderedJson energy_change_json(const EnergyChange& change) {
  return {{"name", change.name},
          {"label", change.label},
          {"before", joules_json(change.before)},
          {"after", joules_json(change.after)}};
}

OrderedJson coefficient_json(const CoefficientDifference& one) {
  const auto side = [](const std::optional<CoefficientDifference::Side>& amounts) -> OrderedJson {
    if (!amounts) return {};
    return {{"value", observe::tidy(amounts->value)},
            {"low", observe::tidy(amounts->low)},
            {"high", observe::tidy(amounts->high)}};
  };
  return {{"name", one.name}, {"unit", one.unit}, {"before", side(one.before)}, {"after", side(one.after)}};
}

OrderedJson energy_line_json(const EnergyLineChange& one) {
  const auto side = [](const std::optional<EnergyLineChange::Side>& line) -> OrderedJson {
    if (!line) return {};
    OrderedJson json = {{"line", line->line}};
    json.update(joules_json(line->energy));
    return json;
  };
  return {{"kernel", one.kernel}, {"file", one.file},           {"call", one.call},        {"tensor", one.tensor},
          {"range", one.range},   {"before", side(one.before)}, {"after", side(one.after)}};
}

}  // namespace

std::string energy_section(const EnergyComparison& energy, std::size_t rows) {
  std::string text = energy.in_both
                         ? fmt::format("Energy (coefficients: {}; half of all bits toggle)\n", sets_text(energy))
                         : "Energy\n";
  for (const std::string& note : energy.notes) {
    for (const std::string& line : observe::wrapped(note, kWidth - 2)) text += "  " + line + "\n";
  }
  text += coefficients_text(energy, rows);
  if (!energy.in_both) return text;
  return text + parts_table(energy) + range_sentence(energy) + lines_table(energy, rows);
}

OrderedJson energy_json(const EnergyComparison& energy) {
  const auto list = [](const auto& all, const auto& to_json) {
    OrderedJson json = OrderedJson::array();
    for (const auto& one : all) json.push_back(to_json(one));
    return json;
  };
  OrderedJson json = {{"defaults", {{"before", energy.before_defaults}, {"after", energy.after_defaults}}},
                      {"notes", energy.notes},
                      {"coefficients", list(energy.coefficients, coefficient_json)},
                      {"total", energy.in_both ? energy_change_json(energy.total) : OrderedJson()}};
  json["difference_fj"] = energy.least ? OrderedJson{{"low", *energy.least}, {"high", *energy.largest}} : OrderedJson();
  json["parts"] = list(energy.parts, energy_change_json);
  json["nobodys"] = energy.nobodys ? energy_change_json(*energy.nobodys) : OrderedJson();
  json["lines"] = list(energy.lines, energy_line_json);
  return json;
}

std::string changed_line(const std::string& file, const std::string& call, std::uint64_t before, std::uint64_t after) {
  std::string text = fmt::format("{}:{}", file.substr(file.rfind('/') + 1), before != 0 ? before : after);
  if (before != 0 && after != 0 && before != after) text += fmt::format(" -> {}", after);
  return text + ' ' + call;
}

}  // namespace kb::sim
