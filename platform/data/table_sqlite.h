// A table of texts and numbers as a SQLite database.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "platform/data/sqlite_file.h"

namespace kb::data {

using TableCell = std::variant<std::monostate, std::int64_t, double, std::string>;  // the first is NULL

std::string quoted_name(const std::string& name);  // of a table or column, for a statement
// `cell` lives until the statement is executed. Columns begin with 1.
void bind_cell(sqlite3_stmt* statement, int column, const TableCell& cell);

// CREATE TABLE meta (key, value) and one with a column for each name, without types: a cell is what it is.
class TableSqlite {
 public:
  // Errors as those of SqliteFile. `columns` are different, also where upper case is taken for lower case.
  TableSqlite(observe::OutputFile& file, const std::string& table, const std::vector<std::string>& columns,
              const std::vector<std::pair<std::string, std::string>>& facts);

  void add(const std::vector<TableCell>& row);
  void finish();

 private:
  SqliteFile database_;
  SqliteFile::Statement insert_;
};

}  // namespace kb::data
