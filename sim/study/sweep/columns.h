// Table columns that are computed from results.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/spec_reader.h"
#include "sim/study/sweep/axis.h"

namespace kb::sweep {

struct Column {
  std::string name;
  std::string text;  // text of a selector (selector.h), a formula (formula.h) or a query (point_sql.h)
  bool formula = false;
  bool sql = false;
  bool optional = false;  // the result may lack it
  Diagnostic place = {};
};

// Columns in file order: `name: text`, or `name: {of: text, optional: true}`. A formula may use the axes and the
// earlier columns; a text that begins with SELECT or WITH is a query. Problems are reported to the reader's context.
std::vector<Column> read_columns(topology::MapReader& top, const std::vector<Axis>& axes);

// Returns the names of axes and columns in the order of the table.
std::vector<std::string> column_names(const std::vector<Axis>& axes, const std::vector<Column>& columns);

}  // namespace kb::sweep
