// A SQLite database that is written once, into an output file of a command.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "platform/observe/output_file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace kb::data {

// One transaction without journal, through a page cache of fixed size. Equal statements give equal bytes.
class SqliteFile {
 public:
  struct Close {
    void operator()(sqlite3* database) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Close>;

  // `file` is a regular file. Errors as those of OutputFile::write(), here and below; nothing can be written after one.
  explicit SqliteFile(observe::OutputFile& file);

  bool is_open() const { return database_ != nullptr; }
  void run(const std::string& sql);
  Statement prepare(const std::string& sql);
  void execute(Statement& statement);  // and makes it ready for the next values
  // Indices may need room for sorting: beside the file, where the room for the file itself is.
  void run_sorting(const std::string& sql);
  // Ends the transaction and completes the file. Statements have to be gone.
  void finish();

 private:
  void refuse_remains();
  void check(int code);

  observe::OutputFile& file_;
  std::unique_ptr<sqlite3, Close> database_;
};

// `text` lives until the statement is executed. Columns begin with 1.
void bind_text(sqlite3_stmt* statement, int column, std::string_view text);

}  // namespace kb::data
