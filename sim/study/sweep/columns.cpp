#include "sim/study/sweep/columns.h"

#include <algorithm>

#include "sim/study/sweep/axis_reader.h"
#include "sim/study/sweep/formula.h"
#include "sim/study/sweep/point_sql.h"
#include "sim/study/sweep/selector.h"

namespace kb::sweep {
namespace {

using topology::MapReader;

void check_text(Column& column, const std::vector<std::string>& names) {
  column.sql = is_query(column.text);
  column.formula = !column.sql && !Selector::is_selector(column.text);
  if (column.sql) return;
  if (column.formula) {
    const Formula checked(column.text, names);
  } else {
    const Selector checked(column.text);
  }
}

}  // namespace

std::vector<std::string> column_names(const std::vector<Axis>& axes, const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    for (const AxisColumn& column : axis.columns) names.push_back(column.name);
  }
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

std::vector<Column> read_columns(MapReader& top, const std::vector<Axis>& axes) {
  std::vector<std::string> names = column_names(axes, {});
  MapReader all = top.map("columns");
  if (all.keys().empty() && !top.context().is_bad("columns")) {
    top.report("columns", "no column of the table is named", "for example time_ns: /sim_time_ns");
  }
  std::vector<Column> columns;
  for (const std::string& name : all.keys()) {
    Column column;
    column.name = name;
    if (all.has_map(name)) {
      MapReader one = all.map(name);
      column.text = one.text("of", std::nullopt);
      column.optional = one.flag("optional", false);
      one.done();
    } else {
      column.text = all.text(name, std::nullopt);
    }
    column.place = all.context().place({all.path(name)});
    std::string problem = problem_of_name(name);
    if (problem.empty() && std::count(names.begin(), names.end(), name) != 0) problem = "is an axis, too";
    if (!problem.empty()) {
      all.report(name, "the column '" + name + "' " + problem, "rename it");
      continue;
    }
    if (all.context().is_bad(all.path(name)) || all.context().is_bad(all.path(name) + ".of")) continue;
    try {
      check_text(column, names);
    } catch (const Error& error) {
      all.report(name, error.what(),
                 "write a place such as /sim_time_ns, a formula of columns above, or a query that begins with SELECT");
    }
    names.push_back(name);
    columns.push_back(std::move(column));
  }
  all.done();
  return columns;
}

}  // namespace kb::sweep
