#include "platform/data/op_log_reader.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

#include "platform/base/error.h"
#include "platform/data/op_log_sqlite.h"

namespace kb::data {
namespace {

std::string_view text(sqlite3_stmt* row, int column) {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
  return bytes == nullptr ? std::string_view()
                          : std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(row, column)));
}

}  // namespace

OpLogReader::OpLogReader(const std::string& path) : path_(path) {
  sqlite3* opened = nullptr;
  // otherwise SQLite would interpret file:... as a URI
  const std::string file = std::filesystem::absolute(path).string();
  const int code = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) fail(sqlite3_errmsg(opened));
  const std::string version = fact("schema_version");
  if (version != std::to_string(OpLogSqlite::kSchemaVersion)) {
    fail(fmt::format("its schema version is '{}', this program reads {}", version, OpLogSqlite::kSchemaVersion));
  }
}

OpLogReader::~OpLogReader() = default;

std::string OpLogReader::fact(std::string_view key) const {
  std::string value;
  query("SELECT value FROM meta WHERE key = ?1", key,
        [&](void* row) { value = text(static_cast<sqlite3_stmt*>(row), 0); });
  return value;
}

void OpLogReader::for_each(const std::function<void(const LoggedOp&)>& visit) const {
  query(
      "SELECT op.seq, t_start_fs, t_end_fs, component.name, operation.kind, operation.name, params FROM op "
      "JOIN component ON component.id = component_id JOIN operation ON operation.id = operation_id "
      "ORDER BY t_start_fs, op.seq",
      {}, [&](void* at) {
        auto* const row = static_cast<sqlite3_stmt*>(at);
        visit({static_cast<std::uint64_t>(sqlite3_column_int64(row, 0)), TimeFs(sqlite3_column_int64(row, 1)),
               TimeFs(sqlite3_column_int64(row, 2)), text(row, 3), text(row, 4), text(row, 5), text(row, 6)});
      });
}

void OpLogReader::query(const char* sql, std::string_view bound, const std::function<void(void*)>& row) const {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql, -1, &prepared, nullptr) != SQLITE_OK)
    fail(sqlite3_errmsg(database_.get()));
  const SqliteStatement statement(prepared);
  if (sqlite3_bind_parameter_count(prepared) > 0) {
    sqlite3_bind_text(prepared, 1, bound.data(), static_cast<int>(bound.size()), SQLITE_STATIC);
  }
  int step = SQLITE_ROW;
  while ((step = sqlite3_step(prepared)) == SQLITE_ROW) row(prepared);
  if (step != SQLITE_DONE) fail(sqlite3_errmsg(database_.get()));
}

void OpLogReader::fail(std::string_view why) const {
  throw Error::configuration(fmt::format(
      "cannot read the operation log {}: {}; it has to be a database of 'kernbench run --oplog FILE.sqlite'", path_,
      why));
}

}  // namespace kb::data
