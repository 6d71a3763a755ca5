#include "sim/study/sweep/axis_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/study/sweep/value_file.h"

namespace kb::sweep {
namespace {

using topology::MapReader;

constexpr std::size_t kMaxAxes = 64;
constexpr std::size_t kMaxValues = 1'000'000;
constexpr std::size_t kMaxZipped = 64;
constexpr std::array<const char*, 3> kTargets{"set", "machine", "run"};
constexpr std::array<const char*, 6> kReserved{"point", "status", "cause", "result", "run_folder", "pareto"};
// Decimal digits of a value; they hide the rounding errors of sums and products of steps.
constexpr int kDigits = 12;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string number_of(double value) {
  const double whole = std::round(value);
  if (std::abs(value - whole) <= std::abs(value) * 1e-12 && std::abs(whole) < 9e15) {
    return std::to_string(static_cast<long long>(whole));
  }
  return fmt::format("{:.{}g}", value, kDigits);
}

// The first and the last value belong to the axis, however steps round.
constexpr double kSlack = 1e-9;

std::vector<std::string> stepped(MapReader& range, double from, double to, double step) {
  if (step == 0.0 || (to - from) * step < 0.0) {
    range.report("step", fmt::format("steps of {} never lead from {} to {}", step, from, to),
                 "use another step, or exchange the ends");
    return {};
  }
  const double count = std::floor((to - from) / step + kSlack) + 1.0;
  if (count > static_cast<double>(kMaxValues)) {
    range.report("step", fmt::format("the range has {:.0f} values, but an axis has at most {}", count, kMaxValues),
                 "use a larger step, or a sample");
    return {};
  }
  std::vector<std::string> values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    values.push_back(number_of(from + static_cast<double>(i) * step));
  }
  return values;
}

std::vector<std::string> multiplied(MapReader& range, double from, double to, double factor) {
  const bool leads =
      from > 0.0 && to > 0.0 && factor > 0.0 && factor != 1.0 && (to == from || (to > from) == (factor > 1.0));
  if (!leads) {
    range.report("factor", fmt::format("multiplying by {} never leads from {} to {}", factor, from, to),
                 "use positive ends and a factor that leads from the first to the second");
    return {};
  }
  const double steps = std::log(to / from) / std::log(factor);
  if (steps >= static_cast<double>(kMaxValues)) {
    range.report("factor", fmt::format("the range has {:.0f} values, but an axis has at most {}", steps, kMaxValues),
                 "use a factor that is farther from 1");
    return {};
  }
  std::vector<std::string> values;
  const auto count = static_cast<std::size_t>(std::floor(steps + kSlack)) + 1;
  for (std::size_t i = 0; i < count; ++i) values.push_back(number_of(from * std::pow(factor, static_cast<double>(i))));
  return values;
}

std::vector<std::string> read_range(MapReader range) {
  const Bounds any{-1e15, 1e15};
  const double from = range.real("from", std::nullopt, any), to = range.real("to", std::nullopt, any);
  const std::optional<double> step = range.given_real("step", any), factor = range.given_real("factor", any);
  const bool counted = range.has("count");
  const std::int64_t count =
      counted ? range.whole("count", std::nullopt, at_least(2, static_cast<double>(kMaxValues))) : 0;
  if (!counted) range.allow("count");
  range.done();
  if (range.context().is_bad(range.path())) return {};
  if ((step ? 1 : 0) + (factor ? 1 : 0) + (counted ? 1 : 0) != 1) {
    range.report("from", "a range needs one of step, factor and count", "for example {from: 16, to: 128, step: 16}");
    return {};
  }
  for (const char* key : {"from", "to", "step", "factor", "count"}) {
    if (range.context().is_bad(range.path(key))) return {};
  }
  if (factor) return multiplied(range, from, to, *factor);
  if (step) return stepped(range, from, to, *step);
  std::vector<std::string> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(number_of(from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1)));
  }
  return values;
}

std::vector<std::string> read_values(MapReader& axis, const std::string& folder) {
  const bool values = axis.has("values"), range = axis.has("range"), file = axis.has("file"), sql = axis.has("sql");
  for (const char* key : {"values", "range", "file", "column", "sql"}) axis.allow(key);
  if ((values ? 1 : 0) + (range ? 1 : 0) + (file ? 1 : 0) + (sql ? 1 : 0) != 1) {
    axis.report(range ? "range" : "values", "an axis needs its values by one of values, range, file and sql",
                "for example values: [128, 256, 512]");
    return {};
  }
  if (range) return read_range(axis.map("range"));
  if (sql) return {};
  std::vector<std::string> list;
  if (values) {
    list = axis.words("values", "128, 256, 512");
  } else {
    const std::string name = axis.text("file", std::nullopt);
    const std::string column = axis.has("column") ? axis.text("column", std::nullopt) : std::string();
    if (name.empty()) return {};
    try {
      list = values_of_file(folder, name, column);
    } catch (const Error& error) {
      axis.report(column.empty() ? "file" : "column", error.what(), "");
      return {};
    }
  }
  const bool bad = axis.context().is_bad(axis.path("values")) || axis.context().is_bad(axis.path("file"));
  if (list.empty() && !bad) {
    axis.report(values ? "values" : "file", "there are no values", "give at least two");
  }
  return list;
}

// "tile_m", "cube.links.ucie_bw_gbs" -> "ucie_bw_gbs"
std::string last_part(const std::string& key) {
  std::string name = key.substr(key.rfind('.') + 1);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_letter(c) && c != '_' && (c < '0' || c > '9'); }, '_');
  return name;
}

std::optional<AxisColumn> read_column(MapReader& axis, const std::string& name, const std::string& folder) {
  AxisColumn column;
  std::size_t targets = 0;
  for (std::size_t i = 0; i < kTargets.size(); ++i) {
    axis.allow(kTargets[i]);
    if (!axis.has(kTargets[i])) continue;
    ++targets;
    column.target = static_cast<Target>(i);
    column.key = column.target == Target::run ? run_options()[axis.choice("run", std::nullopt, run_options())]
                                              : axis.text(kTargets[i], std::nullopt);
    column.place = axis.context().place({axis.path(kTargets[i])});
  }
  if (targets != 1) {
    axis.report("set",
                "an axis varies one of set (a parameter of the workload), machine (a key of the topology) and run",
                "for example {set: tile_m, values: [16, 32]}");
    return std::nullopt;
  }
  column.name = name.empty() ? last_part(column.key) : name;
  column.values = read_values(axis, folder);
  if (axis.has("sql")) column.sql = axis.text("sql", std::nullopt);
  axis.done();
  return column;
}

void read_zip(MapReader& reader, Axis& axis, const std::string& folder) {
  reader.allow("zip");
  for (MapReader& part : reader.list_of_maps("zip", kMaxZipped, "zipped parts are more than")) {
    const std::string name = part.has("as") ? part.text("as", std::nullopt) : std::string();
    part.allow("as");
    if (std::optional<AxisColumn> column = read_column(part, name, folder)) axis.columns.push_back(*column);
  }
  reader.done();
  for (const AxisColumn& column : axis.columns) {
    if (column.values.size() == axis.size() || column.values.empty() || axis.size() == 0)
      continue;  // a query gives its values later
    reader.report("zip",
                  fmt::format("{} has {} values and {} has {}", axis.columns.front().name, axis.size(), column.name,
                              column.values.size()),
                  "zipped parts advance together and need equally many");
    return;
  }
}

void check_names(MapReader& reader, const Axis& axis, std::vector<std::string>& known) {
  for (const AxisColumn& column : axis.columns) {
    std::string problem = problem_of_name(column.name);
    if (problem.empty() && std::count(known.begin(), known.end(), column.name) != 0) problem = "is there twice";
    if (problem.empty()) {
      known.push_back(column.name);
    } else {
      reader.report(axis.name, fmt::format("the column '{}' {}", column.name, problem),
                    axis.columns.size() > 1 ? "name it with as:" : "rename the axis");
    }
  }
}

}  // namespace

const std::vector<std::string>& run_options() {
  static const std::vector<std::string> options{"workload", "topology", "device", "seed"};
  return options;
}

std::string problem_of_name(const std::string& name) {
  const auto fits = [](char c) { return is_letter(c) || c == '_' || (c >= '0' && c <= '9'); };
  if (name.empty() || !is_letter(name.front()) || !std::all_of(name.begin(), name.end(), fits)) {
    return "must begin with a letter and have letters, digits and _ only";
  }
  if (std::count(kReserved.begin(), kReserved.end(), name) != 0) return "has a name that every table uses itself";
  return {};
}

std::vector<Axis> read_axes(MapReader& top, const std::string& folder) {
  std::vector<Axis> axes;
  std::vector<std::string> known;
  MapReader all = top.map("axes");
  const std::vector<std::string> names = all.keys();
  if (names.empty() && !top.context().is_bad("axes")) {
    top.report("axes", "there is nothing to vary", "add an axis, for example tile: {set: tile_m, values: [16, 32]}");
  }
  if (names.size() > kMaxAxes) {
    top.report("axes", fmt::format("{} axes are too many", names.size()), fmt::format("use at most {}", kMaxAxes));
    return axes;
  }
  for (const std::string& name : names) {
    MapReader reader = all.map(name);
    Axis axis;
    axis.name = name;
    axis.place = all.context().place({all.path(name)});
    if (reader.has("zip")) {
      read_zip(reader, axis, folder);
    } else if (std::optional<AxisColumn> column = read_column(reader, name, folder)) {
      axis.columns.push_back(std::move(*column));
    }
    check_names(all, axis, known);
    axes.push_back(std::move(axis));
  }
  all.done();
  return axes;
}

}  // namespace kb::sweep
