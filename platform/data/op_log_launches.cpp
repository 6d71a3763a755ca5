// What the operation log says about launches.
#include <sqlite3.h>

#include <map>

#include "platform/data/op_log_database.h"

namespace kb::data {
std::vector<LaunchRow> OpLogDatabase::launches() {
  const std::lock_guard lock(mutex_);
  std::vector<LaunchRow> launches;
  Statement known =
      prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('launch', 'launch_part')");
  constexpr int kTables = 2;
  if (!step(known) || sqlite3_column_int(known.get(), 0) != kTables) return launches;

  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> place;
  Statement rows = prepare(
      "SELECT id, sip, kernel, label, ok, submit_fs, start_fs, completed_fs, dma_fs, compute_fs, macs, useful_macs, "
      "late_pes, max_late_fs FROM launch ORDER BY id, sip");
  while (step(rows)) {
    sqlite3_stmt* const row = rows.get();
    const auto number = [&](int column) { return sqlite3_column_int64(row, column); };
    place.emplace(std::pair(number(0), number(1)), launches.size());
    launches.push_back({number(0),
                        number(1),
                        text_of(row, 2),
                        text_of(row, 3),
                        number(4) != 0,
                        number(5),
                        number_of(row, 6),
                        number_of(row, 7),
                        number(8),
                        number(9),
                        number(10),
                        number(11),
                        number(12),
                        number(13),
                        {}});
  }
  Statement parts = prepare("SELECT launch_id, sip, name, time_fs FROM launch_part WHERE kind = 'part'");
  while (step(parts)) {
    sqlite3_stmt* const row = parts.get();
    const auto launch = place.find({sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1)});
    if (launch == place.end()) refuse(SQLITE_OK, "it has parts of a launch that there is not; write it again");
    launches[launch->second].parts.emplace_back(text_of(row, 2), sqlite3_column_int64(row, 3));
  }
  return launches;
}

}  // namespace kb::data
