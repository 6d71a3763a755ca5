// Owners of what SQLite opens and prepares.
#pragma once

#include <memory>

struct sqlite3;
struct sqlite3_stmt;

namespace kb::data {

struct SqliteClose {
  void operator()(sqlite3* database) const;
  void operator()(sqlite3_stmt* statement) const;
};
using SqliteHandle = std::unique_ptr<sqlite3, SqliteClose>;
using SqliteStatement = std::unique_ptr<sqlite3_stmt, SqliteClose>;

}  // namespace kb::data
