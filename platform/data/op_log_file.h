// The file of an operation log while it is written, and the choice of its format.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "platform/data/op_log.h"

namespace kb::data {

// The sink for `path`: a SQLite database when the name ends in .sqlite, .sqlite3 or .db, else tab-separated text.
// Errors as those of the two classes' constructors.
std::unique_ptr<IOpSink> open_op_log(const std::string& path, OpLog::Options options);

// FILE.part, which commit() renames to FILE; destroyed before that it leaves nothing.
class OpLogFile {
 public:
  enum class Target {
    any,           // pipes and devices are written directly
    regular_file,  // they are a configuration Error
  };

  // Creates the file empty. Configuration Error with the operating system's reason.
  OpLogFile(std::string path, Target target);
  ~OpLogFile();
  OpLogFile(const OpLogFile&) = delete;
  OpLogFile& operator=(const OpLogFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& part() const { return part_; }  // where to write; equals path() when written directly
  int descriptor() const { return file_; }
  bool open() const { return open_; }

  void commit();
  void discard();
  // Configuration Error OPLOG_WRITE. What was written is removed.
  [[noreturn]] void fail(std::string_view doing, std::string_view reason);
  [[noreturn]] void fail(std::string_view doing, int error_number);

 private:
  std::string path_;
  std::string part_;
  int file_ = -1;
  bool open_ = false;
};

}  // namespace kb::data
