#include "platform/data/table_sqlite.h"

#include <sqlite3.h>

namespace kb::data {
std::string quoted_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + "\"";
}

void bind_cell(sqlite3_stmt* statement, int column, const TableCell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) {
    sqlite3_bind_int64(statement, column, *number);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    sqlite3_bind_double(statement, column, *real);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    bind_text(statement, column, *text);
  } else {
    sqlite3_bind_null(statement, column);
  }
}

TableSqlite::TableSqlite(observe::OutputFile& file, const std::string& table, const std::vector<std::string>& columns,
                         const std::vector<std::pair<std::string, std::string>>& facts)
    : database_(file) {
  database_.run("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID");
  SqliteFile::Statement fact = database_.prepare("INSERT INTO meta VALUES (?1, ?2)");
  for (const auto& [key, value] : facts) {
    bind_text(fact.get(), 1, key);
    bind_text(fact.get(), 2, value);
    database_.execute(fact);
  }
  std::string names, marks;
  for (const std::string& column : columns) {
    names += (names.empty() ? "" : ", ") + quoted_name(column);
    marks += marks.empty() ? "?" : ", ?";
  }
  database_.run("CREATE TABLE " + quoted_name(table) + " (" + names + ")");
  insert_ = database_.prepare("INSERT INTO " + quoted_name(table) + " VALUES (" + marks + ")");
}

void TableSqlite::add(const std::vector<TableCell>& row) {
  int column = 0;
  for (const TableCell& cell : row) bind_cell(insert_.get(), ++column, cell);
  database_.execute(insert_);
}

void TableSqlite::finish() {
  insert_.reset();
  database_.finish();
}

}  // namespace kb::data
