#include "sim/study/sweep/table.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "platform/base/printable.h"
#include "platform/base/version.h"
#include "platform/data/table_sqlite.h"
#include "platform/observe/json_writer.h"
#include "sim/result/write.h"
#include "sim/study/files/csv.h"
#include "sim/study/sweep/formula.h"
#include "sim/study/sweep/front.h"
#include "sim/study/sweep/point_sql.h"
#include "sim/study/sweep/selector.h"

namespace kb::sweep {
namespace {

// A value of an axis as spelled in the file; a number if possible.
Json value_cell(const std::string& text) {
  return Json::parse(result::json_scalar(text));
}

Json number_cell(double value) {
  constexpr double kExact = 9007199254740992.0;  // integers are written as integers
  if (std::abs(value) < kExact && std::floor(value) == value) return static_cast<std::int64_t>(value);
  return value;
}

std::optional<double> cell_number(const Json& cell) {
  if (cell.is_boolean()) return cell.get<bool>() ? 1.0 : 0.0;
  return cell.is_number() ? std::optional(cell.get<double>()) : std::nullopt;
}

std::string remark_on(const Answer& answer) {
  if (!answer.ok) return printable_line(answer.code + ": " + answer.cause);
  if (answer.unknown_accesses == 0) return "";
  return "warning: " + std::to_string(answer.unknown_accesses) +
         " accesses have indices or masks that data mode off does not know";
}

// Formulas refer to columns by their place in the row.
class RowMaker {
 public:
  RowMaker(const SweepSpec& spec, Table& table) : spec_(spec) {
    table.columns.emplace_back("point");
    for (const Axis& axis : spec.axes) {
      for (const AxisColumn& column : axis.columns) table.columns.push_back(column.name);
    }
    for (const Column& column : spec.columns) {
      if (column.formula) {
        Formula formula(column.text, table.columns);
        std::vector<std::size_t> places;
        for (const std::string& name : formula.variables()) {
          places.push_back(static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), name) -
                                                    table.columns.begin()));
        }
        formulas_.push_back({std::move(formula), std::move(places)});
      }
      table.columns.push_back(column.name);
    }
    table.columns.emplace_back("status");
    table.columns.emplace_back("cause");
    if (spec.keep != Keep::columns) table.columns.emplace_back(kept_column(spec.keep));
    if (!spec.objectives.empty()) table.columns.emplace_back(kFrontColumn);
  }

  std::vector<Json> row(const Space& space, std::uint64_t point, const Answer* answer) const {
    std::vector<Json> row{point};
    for (const Assignment& one : space.assignments(point)) row.push_back(value_cell(one.value));
    std::size_t selector = 0, formula = 0;
    for (const Column& column : spec_.columns) {
      if (answer == nullptr || !answer->ok) {
        row.emplace_back(nullptr);
      } else if (column.formula) {
        row.push_back(computed(formulas_[formula++], row));
      } else {
        row.push_back(selector < answer->cells.size() ? answer->cells[selector] : Json(nullptr));
        ++selector;
      }
    }
    row.emplace_back(answer == nullptr ? "missing" : answer->ok ? "ok" : "failed");
    row.emplace_back(answer == nullptr ? "" : remark_on(*answer));
    return row;
  }

 private:
  struct Placed {
    Formula formula;
    std::vector<std::size_t> places;
  };

  static Json computed(const Placed& placed, const std::vector<Json>& row) {
    std::vector<double> values;
    for (const std::size_t place : placed.places) {
      const std::optional<double> value = cell_number(row[place]);
      if (!value) return nullptr;
      values.push_back(*value);
    }
    const std::optional<double> value = placed.formula.evaluate(values);
    return value ? number_cell(*value) : Json(nullptr);
  }

  const SweepSpec& spec_;
  std::vector<Placed> formulas_;
};

}  // namespace

std::size_t column_index(const Table& table, const std::string& name) {
  return static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), name) - table.columns.begin());
}

std::string cell_text(const Json& cell) {
  if (cell.is_null()) return {};
  if (cell.is_number_float()) return Json(observe::tidy(cell.get<double>())).dump();
  return cell.is_string() ? cell.get<std::string>() : cell.dump();
}

std::vector<std::string> table_columns(const SweepSpec& spec) {
  Table table;
  const RowMaker maker(spec, table);
  return table.columns;
}

Table make_table(const SweepSpec& spec, const Space& space, const std::vector<const Answer*>& answers,
                 const std::vector<std::string>& kept) {
  Table table;
  const RowMaker maker(spec, table);
  table.rows.reserve(answers.size());
  for (std::uint64_t point = 0; point < answers.size(); ++point) {
    std::vector<Json>& row = table.rows.emplace_back(maker.row(space, point, answers[point]));
    if (spec.keep == Keep::columns) continue;
    row.emplace_back(answers[point] != nullptr && answers[point]->ok ? Json(kept[point]) : Json(nullptr));
  }
  if (spec.objectives.empty()) return table;
  const Front front = front_of(spec, table);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].emplace_back(front.on[i] ? Json(*front.on[i]) : Json(nullptr));
  }
  return table;
}

std::string csv_row(const std::vector<Json>& row) {
  std::vector<std::string> cells;
  for (const Json& cell : row) cells.push_back(cell_text(cell));
  return files::csv_line(cells);
}

std::string render_csv(const Table& table) {
  std::string text = files::csv_line(table.columns);
  for (const std::vector<Json>& row : table.rows) text += csv_row(row);
  return text;
}

namespace {

// Options of the points that are not the defaults of `kernbench run`.
void add_options(const SweepSpec& spec, std::vector<std::pair<std::string, std::string>>& facts) {
  const SweepSpec usual;
  if (spec.device != usual.device) facts.emplace_back("device", spec.device);
  if (spec.seed != usual.seed) facts.emplace_back("seed", std::to_string(spec.seed));
  if (spec.data != usual.data) facts.emplace_back("data", spec.data);
  if (spec.verify) facts.emplace_back("verify", "true");
  for (std::size_t i = 0; i < spec.plugins.size(); ++i) {
    facts.emplace_back("plugin." + std::to_string(i), spec.plugins[i]);
  }
}

}  // namespace

void write_database(const Table& table, const SweepSpec& spec, observe::OutputFile& file) {
  std::vector<std::pair<std::string, std::string>> facts{
      {"kernbench", kVersion}, {"sweep", spec.name}, {"workload", spec.workload}, {"topology", spec.topology}};
  add_options(spec, facts);
  for (const Assignment& one : spec.fixed) {
    facts.emplace_back((one.target == Target::machine ? "machine." : "set.") + one.name, one.value);
  }
  for (const Column& column : spec.columns) facts.emplace_back("column." + column.name, column.text);
  data::TableSqlite database(file, "points", table.columns, facts);
  for (const std::vector<Json>& row : table.rows) {
    std::vector<data::TableCell> cells;
    for (const Json& cell : row) cells.push_back(sweep::cell_of(cell));
    database.add(cells);
  }
  database.finish();
}

}  // namespace kb::sweep
