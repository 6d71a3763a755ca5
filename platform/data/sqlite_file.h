// A SQLite database in an output file of a command, written once.
#pragma once

#include <string>
#include <string_view>

#include "platform/data/sqlite_handle.h"
#include "platform/observe/output_file.h"

namespace kb::data {

// Writes one transaction without a journal, through a page cache of fixed size. Equal statements give equal bytes.
class SqliteFile {
 public:
  using Statement = SqliteStatement;

  // `file` is a regular file. All functions throw the errors of OutputFile::write(); the database cannot be written
  // after one.
  explicit SqliteFile(observe::OutputFile& file);

  bool is_open() const { return database_ != nullptr; }
  void run(const std::string& sql);
  Statement prepare(const std::string& sql);
  void execute(Statement& statement);  // also resets the statement
  // Creates indices. Sorting may need temporary files, which are created in the folder of the file.
  void run_sorting(const std::string& sql);
  // Ends the transaction and completes the file. All statements must be destroyed before.
  void finish();

 private:
  void refuse_stale_journal();
  void check(int code);

  observe::OutputFile& file_;
  SqliteHandle database_;
};

// `text` must live until the statement is executed. Columns count from 1.
void bind_text(sqlite3_stmt* statement, int column, std::string_view text);

}  // namespace kb::data
