// Tables in memory that are asked in SQL.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/data/table_sqlite.h"

struct sqlite3;

namespace kb::data {

using TableRow = std::vector<TableCell>;

struct SqlResult {
  std::vector<std::string> columns;
  std::vector<TableRow> rows;
};

// Configuration Errors with SQLite's own words and the nearest name, here and below. Statements cannot reach files:
// ATTACH and the like are refused, so that a script from elsewhere reads and makes tables only.
class SqlDatabase {
 public:
  using Function = std::function<TableCell(const TableRow& arguments)>;

  // Has the aggregate covered(start, end): the length of the union of intervals.
  SqlDatabase();
  ~SqlDatabase();
  SqlDatabase(const SqlDatabase&) = delete;
  SqlDatabase& operator=(const SqlDatabase&) = delete;

  // The tables of a database file, for reading, as if they were here.
  void attach(const std::string& path);
  void add_table(const std::string& name, const std::vector<std::string>& columns, const std::vector<TableRow>& rows);
  // Equal arguments give equal values. What it throws becomes the error of the statement.
  void add_function(const std::string& name, int arguments, Function function);

  void run(const std::string& script);
  // One statement. `parameters` by name without the colon; those that it does not use are left out.
  SqlResult query(const std::string& sql, const std::vector<std::pair<std::string, TableCell>>& parameters = {}) const;

  // All tables and views; completes the file.
  void save(observe::OutputFile& file) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  [[noreturn]] void fail() const;
  void check(int code) const;
  std::vector<std::string> names_of(const char* query) const;

  std::unique_ptr<sqlite3, Close> database_;
  mutable bool attaching_ = false;  // a statement of our own may do what others may not
};

std::string text_of(const TableCell& cell);  // "" for NULL; numbers as short as they are exact
// Whether the word stands in the text, apart from other letters, digits and _.
bool has_word(const std::string& text, const std::string& word);

}  // namespace kb::data
