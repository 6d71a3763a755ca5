#include "sim/study/sweep/objectives.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/nearest.h"

namespace kb::sweep {
namespace {

constexpr std::size_t kMostObjectives = 8;  // every pair has a figure
const std::vector<std::string> kGoals{"min", "max"};

}  // namespace

const char* name_of(Goal goal) {
  return kGoals[static_cast<std::size_t>(goal)].c_str();
}

std::string objectives_text(const std::vector<Objective>& objectives) {
  std::string text;
  for (const Objective& one : objectives) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(one.goal), one.column);
  }
  return text;
}

std::vector<Objective> read_objectives(topology::MapReader& top, const std::vector<Axis>& axes,
                                       const std::vector<Column>& columns) {
  const std::vector<std::string> names = column_names(axes, columns);
  std::vector<Objective> objectives;
  for (topology::MapReader& reader : top.list_of_maps("objectives", kMostObjectives, "objectives are more than")) {
    Objective one;
    one.column = reader.text("column", std::nullopt);
    one.goal = static_cast<Goal>(reader.choice("goal", std::nullopt, kGoals));
    one.place = reader.context().place({reader.path("column")});
    reader.done();
    const auto same = [&](const Objective& other) { return other.column == one.column; };
    if (!one.column.empty() && std::count(names.begin(), names.end(), one.column) == 0) {
      reader.report("column", fmt::format("there is no column '{}'", one.column), suggest(one.column, names));
    } else if (std::any_of(objectives.begin(), objectives.end(), same)) {
      reader.report("column", fmt::format("'{}' is an objective twice", one.column), "name each column once");
    }
    objectives.push_back(std::move(one));
  }
  if (top.has("objectives") && objectives.size() < 2 && !top.context().is_bad("objectives")) {
    top.report(
        "objectives",
        objectives.empty() ? "there is no objective" : "one objective alone has a best point and no Pareto front",
        "name two or more columns, or sort the table by the one");
  }
  return objectives;
}

}  // namespace kb::sweep
