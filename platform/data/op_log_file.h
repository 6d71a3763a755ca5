// Chooses the format of an operation log.
#pragma once

#include <memory>
#include <string>

#include "platform/data/op_log.h"

namespace kb::data {

// True when the name ends in .sqlite, .sqlite3 or .db.
bool names_database(const std::string& path);

// Allowed kinds of output file: a database must be a regular file.
observe::OutputFile::Target op_log_target(const std::string& path);

// Opens a SQLite database or tab-separated text on `file`, depending on its name.
std::unique_ptr<IOpSink> open_op_log(observe::OutputFile& file, OpLog::Options options);

}  // namespace kb::data
