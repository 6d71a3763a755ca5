// Tables in memory with SQL queries.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "platform/data/sqlite_handle.h"
#include "platform/data/table_sqlite.h"

namespace kb::data {

using TableRow = std::vector<TableCell>;

struct SqlResult {
  std::vector<std::string> columns;
  std::vector<TableRow> rows;
};

// All functions throw Configuration Errors with SQLite's message and the nearest valid name. Statements cannot access
// files (ATTACH and similar statements are refused), so that a script from elsewhere can only read and create tables.
class SqlDatabase {
 public:
  using Function = std::function<TableCell(const TableRow& arguments)>;

  // Adds the aggregate covered(start, end): the length of the union of intervals.
  SqlDatabase();
  ~SqlDatabase();
  SqlDatabase(const SqlDatabase&) = delete;
  SqlDatabase& operator=(const SqlDatabase&) = delete;

  // Makes the tables of a database file available, read-only.
  void attach(const std::string& path);
  void add_table(const std::string& name, const std::vector<std::string>& columns, const std::vector<TableRow>& rows);
  // The function must be deterministic. An exception that it throws becomes the error of the statement.
  void add_function(const std::string& name, int arguments, Function function);

  void run(const std::string& script);
  // Runs one statement. Parameter names have no colon; parameters that the statement does not use are ignored.
  SqlResult query(const std::string& sql, const std::vector<std::pair<std::string, TableCell>>& parameters = {}) const;

  // Writes all tables and views to the file and completes it.
  void save(observe::OutputFile& file) const;

 private:
  [[noreturn]] void fail() const;
  void check(int code) const;
  std::vector<std::string> names_of(const char* query) const;

  SqliteHandle database_;
  mutable bool attaching_ = false;  // allows ATTACH, for the database's own statement
};

std::string text_of(const TableCell& cell);  // "" for NULL; numbers in their shortest exact form
// True when `word` occurs in `text` and is not part of a longer identifier.
bool has_word(const std::string& text, const std::string& word);

}  // namespace kb::data
