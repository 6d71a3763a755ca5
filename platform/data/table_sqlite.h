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

std::string quoted_name(const std::string& name);  // a table or column name, quoted for a statement
// `cell` must live until the statement is executed. Columns count from 1.
void bind_cell(sqlite3_stmt* statement, int column, const TableCell& cell);

// Creates a table meta (key, value) and one table with these columns. Columns have no declared type; each cell keeps
// its own.
class TableSqlite {
 public:
  // Errors are those of SqliteFile. The names in `columns` differ, ignoring case.
  TableSqlite(observe::OutputFile& file, const std::string& table, const std::vector<std::string>& columns,
              const std::vector<std::pair<std::string, std::string>>& facts);

  void add(const std::vector<TableCell>& row);
  void finish();

 private:
  SqliteFile database_;
  SqliteFile::Statement insert_;
};

}  // namespace kb::data
