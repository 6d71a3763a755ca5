// Tables of an evaluation that are read from files.
#pragma once

#include <string>
#include <vector>

#include "platform/data/sql_database.h"

namespace kb::evaluate {

struct CsvTable {
  std::vector<std::string> columns;
  std::vector<data::TableRow> rows;  // a numeric cell is a number, an empty cell is NULL
};

// The first line has the column names; lines that begin with # and empty lines are skipped; otherwise RFC 4180.
// Configuration Error with file and line.
CsvTable read_csv_table(const std::string& file);

}  // namespace kb::evaluate
