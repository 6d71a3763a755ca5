// Tables of an evaluation that come from files.
#pragma once

#include <string>
#include <vector>

#include "platform/data/sql_database.h"

namespace kb::evaluate {

struct CsvTable {
  std::vector<std::string> columns;
  std::vector<data::TableRow> rows;  // a cell that reads as a number is one; an empty one is NULL
};

// The first line has the names; lines that begin with # and empty ones are skipped; RFC 4180 otherwise. Configuration
// Error with file and line.
CsvTable read_csv_table(const std::string& file);

}  // namespace kb::evaluate
