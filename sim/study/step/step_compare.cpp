#include "sim/study/step/step_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "platform/energy/coefficient.h"
#include "platform/observe/json_writer.h"
#include "platform/observe/text_table.h"

namespace kb::step {
namespace {

using observe::fixed;
using observe::TextTable;
constexpr auto kLeft = TextTable::Align::left, kRight = TextTable::Align::right;

std::string microseconds(double ns) {
  return fixed(ns / 1000, 3);
}

void add_settings(StepComparison& comparison) {
  const StepFile &a = comparison.before, &b = comparison.after;
  const auto add = [&](const std::string& name, const std::string& before, const std::string& after) {
    if (before != after) comparison.settings.push_back({name, before, after});
  };
  add("model", a.model, b.model);
  add("machine", a.machine, b.machine);
  add("phase", a.phase, b.phase);
  add("batch", a.batch, b.batch);
  add("dtype", a.dtype, b.dtype);
  add("tp", std::to_string(a.tp), std::to_string(b.tp));
  std::map<std::string, std::pair<std::string, std::string>> keys;
  for (const auto& [key, value] : a.config) keys[key].first = value;
  for (const auto& [key, value] : b.config) keys[key].second = value;
  for (const auto& [key, values] : keys) add(key, values.first, values.second);
}

StepChange& change_of(std::vector<StepChange>& changes, const std::string& name) {
  const auto known =
      std::find_if(changes.begin(), changes.end(), [&](const StepChange& one) { return one.name == name; });
  if (known != changes.end()) return *known;
  changes.emplace_back().name = name;
  return changes.back();
}

std::string step_line(const char* letter, const StepFile& step) {
  return fmt::format("{}  {}: {} on {}, {} of {}, tp {}: {} us, {} tokens/s, {} of the least time{}\n", letter,
                     step.path, step.model, step.machine, step.phase, step.batch, step.tp, microseconds(step.step_ns),
                     fixed(step.tokens_per_s, 0), fixed(100 * step.roofline_ns / step.step_ns, 1) + " %",
                     step.exact ? "" : "; not exact");
}

void write_step(observe::JsonWriter& json, const StepFile& step) {
  json.begin_object(true).key("file").text(step.path).key("model").text(step.model).key("machine").text(step.machine);
  json.key("step_ns").real(step.step_ns).key("exact").boolean(step.exact);
  if (step.fj > 0) json.key("energy_fj").unsigned_integer(step.fj);
  json.end_object();
}

}  // namespace

StepComparison compare_steps(StepFile before, StepFile after) {
  StepComparison comparison{std::move(before), std::move(after), {}, {}};
  add_settings(comparison);
  for (const StepFile::Row& row : comparison.before.rows) {
    StepChange& change = change_of(comparison.changes, row.name);
    change.before_count += row.count;
    change.before_ns += row.ns;
    change.before_limiter = row.limiter;
    change.before_fj += row.fj;
  }
  for (const StepFile::Row& row : comparison.after.rows) {
    StepChange& change = change_of(comparison.changes, row.name);
    change.after_count += row.count;
    change.after_ns += row.ns;
    change.after_limiter = row.limiter;
    change.after_fj += row.fj;
  }
  std::stable_sort(comparison.changes.begin(), comparison.changes.end(), [](const StepChange& a, const StepChange& b) {
    return std::abs(a.difference()) > std::abs(b.difference());
  });
  return comparison;
}

std::string render_step_comparison(const StepComparison& comparison, std::size_t rows) {
  const StepFile &a = comparison.before, &b = comparison.after;
  std::string out = step_line("A", a) + step_line("B", b);
  out += fmt::format("B takes {} times as long as A: {} us {}\n\n", fixed(b.step_ns / a.step_ns, 4),
                     microseconds(std::abs(b.step_ns - a.step_ns)), b.step_ns < a.step_ns ? "less" : "more");
  if (comparison.has_energy()) {
    out.insert(out.size() - 1,
               fmt::format("A step costs {} in A and {} in B, {} times as much\n", energy::joules_text(a.fj),
                           energy::joules_text(b.fj), fixed(static_cast<double>(b.fj) / static_cast<double>(a.fj), 4)));
  }
  if (!comparison.settings.empty()) {
    TextTable settings({{"setting", kLeft}, {"A", kLeft}, {"B", kLeft}});
    const std::size_t shown = std::min(rows, comparison.settings.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const StepComparison::Setting& one = comparison.settings[i];
      settings.add({one.name, one.before.empty() ? "none" : one.before, one.after.empty() ? "none" : one.after});
    }
    out += settings.render("  ");
    if (shown < comparison.settings.size()) {
      out += fmt::format("  ... and {} more (--rows, --json)\n", comparison.settings.size() - shown);
    }
    out += "\n";
  }
  std::vector<TextTable::Column> columns{{"launch", kLeft},   {"A count", kRight}, {"A us", kRight},
                                         {"B count", kRight}, {"B us", kRight},    {"B - A us", kRight},
                                         {"limit A", kLeft},  {"limit B", kLeft}};
  if (comparison.has_energy()) columns.insert(columns.end(), {{"A energy", kRight}, {"B energy", kRight}});
  TextTable table(columns);
  for (const StepChange& one : comparison.changes) {
    const auto side = [](std::int64_t count, const std::string& text) { return count == 0 ? "" : text; };
    std::vector<std::string> row{one.name,
                                 side(one.before_count, std::to_string(one.before_count)),
                                 side(one.before_count, microseconds(one.before_ns)),
                                 side(one.after_count, std::to_string(one.after_count)),
                                 side(one.after_count, microseconds(one.after_ns)),
                                 microseconds(one.difference()),
                                 one.before_limiter,
                                 one.after_limiter};
    if (comparison.has_energy()) {
      const auto joules = [](std::uint64_t fj) { return fj == 0 ? "" : energy::joules_text(fj); };
      row.insert(row.end(), {joules(one.before_fj), joules(one.after_fj)});
    }
    table.add(row);
  }
  return out + "All launches of a name, on the slowest SIP\n" + table.render("  ");
}

std::string render_step_comparison_json(const StepComparison& comparison) {
  observe::JsonWriter json;
  json.begin_object().key("schema").integer(1);
  write_step(json.key("before"), comparison.before);
  write_step(json.key("after"), comparison.after);
  json.key("settings").begin_array();
  for (const StepComparison::Setting& one : comparison.settings) {
    json.begin_object(true).key("name").text(one.name).key("before").text(one.before).key("after").text(one.after);
    json.end_object();
  }
  json.end_array().key("launches").begin_array();
  for (const StepChange& one : comparison.changes) {
    json.begin_object(true).key("op").text(one.name).key("before_count").integer(one.before_count);
    json.key("after_count").integer(one.after_count).key("before_ns").real(one.before_ns);
    json.key("after_ns").real(one.after_ns).key("difference_ns").real(observe::tidy(one.difference()));
    if (comparison.has_energy()) {
      json.key("before_energy_fj").unsigned_integer(one.before_fj);
      json.key("after_energy_fj").unsigned_integer(one.after_fj);
    }
    json.end_object();
  }
  json.end_array().end_object();
  return json.str() + '\n';
}

}  // namespace kb::step
