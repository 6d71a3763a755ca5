// The choice of an operation log's format.
#pragma once

#include <memory>
#include <string>

#include "platform/data/op_log.h"

namespace kb::data {

// True when the name ends in .sqlite, .sqlite3 or .db.
bool names_database(const std::string& path);

// What its file may be: a database has to be a regular file.
observe::OutputFile::Target op_log_target(const std::string& path);

// The sink for `file`: a SQLite database or tab-separated text, by its name.
std::unique_ptr<IOpSink> open_op_log(observe::OutputFile& file, OpLog::Options options);

}  // namespace kb::data
