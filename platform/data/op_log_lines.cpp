// What the operation log says about lines of kernels.
#include <sqlite3.h>

#include "platform/data/op_log_database.h"

namespace kb::data {
namespace {

// ?1: a launch, or NULL for all launches of the kernel ?2.
constexpr const char* kChosen =
    "JOIN launch ON launch.id = launch_id AND launch.sip = one.sip "
    "WHERE (?1 IS NULL OR launch_id = ?1) AND (?1 IS NOT NULL OR launch.kernel = ?2) ";

}  // namespace

void OpLogDatabase::read_places() {
  Statement known = prepare(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN "
      "('place', 'source', 'line_time', 'line_use', 'launch')");
  constexpr int kTables = 5;
  has_lines_ = step(known) && sqlite3_column_int(known.get(), 0) == kTables;
  if (!has_lines_) return;
  constexpr const char* kAll = "SELECT id, file, line, call, range, tensor FROM place ORDER BY id LIMIT 100000";
  Statement rows = prepare(kAll);
  while (step(rows)) {
    sqlite3_stmt* const row = rows.get();
    names_.places.push_back({sqlite3_column_int64(row, 0), text_of(row, 1), sqlite3_column_int64(row, 2),
                             text_of(row, 3), text_of(row, 4), text_of(row, 5)});
  }
}

std::optional<LineTables> OpLogDatabase::lines(const LineQuery& query, double seconds) {
  LineTables found;
  if (!has_lines_) return found;
  const std::lock_guard lock(mutex_);
  const Deadline deadline(*this, seconds);
  const auto each = [&](const std::string& sql, const auto& take) {
    Statement rows = prepare(sql);
    if (query.launch) sqlite3_bind_int64(rows.get(), 1, *query.launch);
    sqlite3_bind_text(rows.get(), 2, query.kernel.c_str(), -1, SQLITE_TRANSIENT);
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(rows.get())) == SQLITE_ROW) take(rows.get());
    if (code != SQLITE_DONE && code != SQLITE_INTERRUPT) refuse(code, sqlite3_errmsg(database_.get()));
    return code == SQLITE_DONE;
  };
  const bool has_times =
      each(std::string("SELECT place_id, held_by, share, total(last_pe_fs), total(all_pes_fs) FROM line_time AS one ") +
               kChosen + "GROUP BY place_id, held_by, share ORDER BY place_id, held_by, share",
           [&](sqlite3_stmt* row) {
             found.times.push_back({sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1), text_of(row, 2),
                                    sqlite3_column_double(row, 3), sqlite3_column_double(row, 4)});
           });
  // SQLite takes columns without an aggregate from the row that has the max().
  const bool has_uses = each(
      std::string("SELECT place_id, role, total(busy_fs), total(wait_fs), total(bytes), most_at, max(most_wait_fs) "
                  "FROM line_use AS one ") +
          kChosen + "GROUP BY place_id, role ORDER BY place_id, role",
      [&](sqlite3_stmt* row) {
        found.uses.push_back({sqlite3_column_int64(row, 0), text_of(row, 1), sqlite3_column_double(row, 2),
                              sqlite3_column_double(row, 3), sqlite3_column_double(row, 4), text_of(row, 5),
                              sqlite3_column_double(row, 6)});
      });
  if (!has_times || !has_uses) return std::nullopt;
  return found;
}

std::optional<std::string> OpLogDatabase::source(const std::string& file) {
  if (!has_lines_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  Statement row = prepare("SELECT text FROM source WHERE file = ?1");
  sqlite3_bind_text(row.get(), 1, file.c_str(), -1, SQLITE_TRANSIENT);
  if (!step(row)) return std::nullopt;
  return text_of(row.get(), 0);
}

}  // namespace kb::data
