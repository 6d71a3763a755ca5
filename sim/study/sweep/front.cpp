#include "sim/study/sweep/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/base/printable.h"
#include "sim/study/files/csv.h"
#include "sim/study/sweep/pareto.h"
#include "sim/study/sweep/selector.h"

namespace kb::sweep {
namespace {

constexpr std::size_t kRowsShown = 12;

// Turns a row into costs, of which less is better. Returns no value when a cell is not a number.
std::optional<std::vector<double>> costs_of(const std::vector<Objective>& objectives,
                                            const std::vector<std::size_t>& places, const std::vector<Json>& row) {
  std::vector<double> costs;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Json& cell = row[places[i]];
    if (!cell.is_number()) return std::nullopt;
    costs.push_back(objectives[i].goal == Goal::min ? cell.get<double>() : -cell.get<double>());
  }
  return costs;
}

std::vector<std::size_t> objective_places(const std::vector<Objective>& objectives, const Table& table) {
  std::vector<std::size_t> places;
  for (const Objective& one : objectives) places.push_back(column_index(table, one.column));
  return places;
}

}  // namespace

Front front_of(const SweepSpec& spec, const Table& table) {
  Front front;
  if (spec.objectives.empty()) return front;
  const std::vector<std::size_t> places = objective_places(spec.objectives, table);
  const std::size_t status = column_index(table, "status");
  std::vector<std::pair<std::vector<double>, std::size_t>> compared;  // costs, row
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Json& what = table.rows[i][status];
    if (what != "ok") {
      ++(what == "failed" ? front.failed : front.missing);
    } else if (std::optional<std::vector<double>> costs = costs_of(spec.objectives, places, table.rows[i])) {
      compared.emplace_back(std::move(*costs), i);
    } else {
      ++front.no_value;
    }
  }
  front.compared = compared.size();
  front.on.resize(table.rows.size());
  std::sort(compared.begin(), compared.end());
  std::vector<std::vector<double>> costs;
  for (const auto& [cost, row] : compared) costs.push_back(cost);
  const std::vector<bool> on = on_pareto_front(costs);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    front.on[compared[i].second] = on[i];
    if (on[i]) front.rows.push_back(compared[i].second);
  }
  return front;
}

std::string front_csv(const Table& table, const Front& front) {
  std::string text = files::csv_line(table.columns);
  for (const std::size_t row : front.rows) text += csv_row(table.rows[row]);
  return text;
}

namespace {

// Says what was not compared: "2 failed, 1 missing".
std::string left_out(const Front& front) {
  std::string text;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(front.failed, "failed");
  add(front.missing, "missing");
  add(front.no_value, "without a number for an objective");
  return text;
}

// Returns the places of the point, the objectives, and the axes that are not objectives.
std::vector<std::size_t> shown_columns(const SweepSpec& spec, const Table& table) {
  std::vector<std::size_t> shown{column_index(table, "point")};
  for (const std::size_t place : objective_places(spec.objectives, table)) shown.push_back(place);
  for (const Axis& axis : spec.axes) {
    for (const AxisColumn& column : axis.columns) {
      const std::size_t place = column_index(table, column.name);
      if (std::count(shown.begin(), shown.end(), place) == 0) shown.push_back(place);
    }
  }
  return shown;
}

// Six digits are enough to choose by; pareto.csv has all of them.
std::string short_text(const Json& cell) {
  return cell.is_number_float() ? fmt::format("{:.6g}", cell.get<double>()) : printable_line(cell_text(cell));
}

std::string rows_text(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) text += fmt::format("  {:>{}}", line[i], widths[i]);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string front_text(const SweepSpec& spec, const Table& table, const Front& front) {
  std::string text = fmt::format("Pareto front of {}: {} of {} points\n", objectives_text(spec.objectives),
                                 front.rows.size(), front.compared);
  if (!front.rows.empty()) {
    const std::vector<std::size_t> columns = shown_columns(spec, table);
    std::vector<std::vector<std::string>> lines(1);
    for (const std::size_t column : columns) lines.front().push_back(table.columns[column]);
    for (std::size_t i = 0; i < std::min(front.rows.size(), kRowsShown); ++i) {
      std::vector<std::string>& line = lines.emplace_back();
      for (const std::size_t column : columns) {
        line.push_back(short_text(table.rows[front.rows[i]][column]));
      }
    }
    text += rows_text(lines);
  }
  if (front.rows.size() > kRowsShown) text += fmt::format("  and {} more\n", front.rows.size() - kRowsShown);
  const std::string others = left_out(front);
  if (!others.empty()) text += "  not compared: " + others + "\n";
  return text;
}

}  // namespace kb::sweep
