// The columns of a table that come from results.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/spec_reader.h"
#include "sim/study/sweep/axis.h"

namespace kb::sweep {

struct Column {
  std::string name;
  std::string text;  // of a selector (selector.h), a formula (formula.h) or a query (point_sql.h)
  bool formula = false;
  bool sql = false;
  bool optional = false;  // a result may be without it
  Diagnostic place = {};
};

// In the file's order: `name: text`, or `name: {of: text, optional: true}`. A formula uses the axes and the columns
// above it; a text that begins with SELECT or WITH is a query. Problems go to the reader's context.
std::vector<Column> read_columns(topology::MapReader& top, const std::vector<Axis>& axes);

}  // namespace kb::sweep
