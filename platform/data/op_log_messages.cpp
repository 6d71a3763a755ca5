// Reconstructs messages between PEs from the operations that send, copy and receive them.
#include <sqlite3.h>

#include "platform/data/op_log_database.h"

namespace kb::data {
namespace {

constexpr const char* kColumnsSql = R"(
  SELECT component_id, operation.name, t_start_fs, t_end_fs, params ->> '$.src_addr', params ->> '$.dst_addr',
         params ->> '$.sequence', params ->> '$.nbytes', params ->> '$.direction'
  FROM op JOIN operation ON operation.id = op.operation_id)";
constexpr const char* kSomeSql = R"(
  WHERE operation.name IN ('ipcq_send', 'ipcq_copy', 'ipcq_recv') AND t_start_fs >= ?1 AND t_start_fs < ?2
  ORDER BY t_start_fs, seq LIMIT ?3)";

MessageStep::Kind kind_of(const std::string& name) {
  if (name == "ipcq_send") return MessageStep::Kind::send;
  return name == "ipcq_copy" ? MessageStep::Kind::copy : MessageStep::Kind::receive;
}

}  // namespace

MessageStep OpLogDatabase::step_of(sqlite3_stmt* row) {
  const auto whole = [&](int column) { return sqlite3_column_int64(row, column); };
  const auto text = [&](int column) { return text_of(row, column); };
  return {kind_of(text(1)), whole(0), whole(2), whole(3), text(4), text(5), whole(6), whole(7), text(8)};
}

std::optional<std::vector<MessageStep>> OpLogDatabase::message_steps(std::int64_t from_fs, std::int64_t to_fs,
                                                                     std::int64_t limit, double seconds) {
  const std::lock_guard lock(mutex_);
  Statement rows = prepare(std::string(kColumnsSql) + kSomeSql);
  sqlite3_bind_int64(rows.get(), 1, from_fs);
  sqlite3_bind_int64(rows.get(), 2, to_fs);
  sqlite3_bind_int64(rows.get(), 3, limit);
  const Deadline deadline(*this, seconds);
  std::vector<MessageStep> steps;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(rows.get())) == SQLITE_ROW) steps.push_back(step_of(rows.get()));
  if (code == SQLITE_INTERRUPT) return std::nullopt;
  if (code != SQLITE_DONE) refuse(code, sqlite3_errmsg(database_.get()));
  return steps;
}

}  // namespace kb::data
