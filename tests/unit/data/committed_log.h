// An operation log and its file.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "platform/data/op_log_file.h"
#include "platform/data/sqlite_file.h"
#include "platform/observe/output_file.h"

namespace kb::data::test {

// finish() also commits the file, after `statements` on the database.
class CommittedLog {
 public:
  CommittedLog(const std::string& path, OpLog::Options options)
      : file_(path, "the operation log", op_log_target(path)), sink_(open_op_log(file_, std::move(options))) {}

  void record(std::uint64_t sequence, const OpRecord& record) { sink_->record(sequence, record); }
  void finish(const std::string& statements = "") {
    sink_->finish();
    if (!statements.empty()) {
      SqliteFile database(file_);
      database.run(statements);
      database.finish();
    }
    file_.commit();
  }

 private:
  observe::OutputFile file_;
  std::unique_ptr<IOpSink> sink_;
};

}  // namespace kb::data::test
