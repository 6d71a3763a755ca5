#include "platform/data/op_log_file.h"

#include <string_view>
#include <utility>

#include "platform/data/op_log_sqlite.h"

namespace kb::data {

bool names_database(const std::string& path) {
  for (const std::string_view ending : {".sqlite", ".sqlite3", ".db"}) {
    if (path.size() >= ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0) {
      return true;
    }
  }
  return false;
}

observe::OutputFile::Target op_log_target(const std::string& path) {
  return names_database(path) ? observe::OutputFile::Target::regular_file : observe::OutputFile::Target::any;
}

std::unique_ptr<IOpSink> open_op_log(observe::OutputFile& file, OpLog::Options options) {
  if (names_database(file.path())) return std::make_unique<OpLogSqlite>(file, std::move(options));
  return std::make_unique<OpLog>(file, std::move(options));
}

}  // namespace kb::data
