// Reads a SQLite database in tests: every value as text, NULL as "NULL".
#pragma once

#include <sqlite3.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace kb::test {

using SqlRows = std::vector<std::vector<std::string>>;

// Throws std::runtime_error with SQLite's message.
inline SqlRows sql_rows(const std::string& file, const std::string& query) {
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
  const std::unique_ptr<sqlite3, Close> database(opened);
  const auto expect = [&](bool ok) {
    if (!ok) throw std::runtime_error(file + ": " + sqlite3_errmsg(database.get()) + " in " + query);
  };
  expect(code == SQLITE_OK);
  sqlite3_stmt* prepared = nullptr;
  expect(sqlite3_prepare_v2(database.get(), query.c_str(), -1, &prepared, nullptr) == SQLITE_OK);
  const std::unique_ptr<sqlite3_stmt, Close> statement(prepared);
  SqlRows rows;
  int step = 0;
  while ((step = sqlite3_step(statement.get())) == SQLITE_ROW) {
    std::vector<std::string>& row = rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(statement.get()); ++i) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), i));
      row.emplace_back(text == nullptr ? "NULL" : text);
    }
  }
  expect(step == SQLITE_DONE);
  return rows;
}

}  // namespace kb::test
