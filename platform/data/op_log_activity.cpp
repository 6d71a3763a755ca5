// Writes the activity of resources to the operation log.
#include <sqlite3.h>

#include <map>

#include "platform/data/op_log_database.h"

namespace kb::data {
namespace {

std::string bytes_of(sqlite3_stmt* statement, int column) {
  const void* data = sqlite3_column_blob(statement, column);
  const int size = sqlite3_column_bytes(statement, column);
  return data == nullptr ? "" : std::string(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

}  // namespace

ActivityTables OpLogDatabase::activity() {
  const std::lock_guard lock(mutex_);
  ActivityTables tables;
  Statement known =
      prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('epoch', 'series', 'activity')");
  constexpr int kTables = 3;
  if (!step(known) || sqlite3_column_int(known.get(), 0) != kTables) return tables;

  std::map<std::int64_t, std::size_t> epoch_of, series_of;
  Statement epochs = prepare("SELECT id, sip, launch_id, t0_fs, t1_fs, bin_fs FROM epoch ORDER BY id");
  while (step(epochs)) {
    ActivityTables::Epoch epoch{number_of(epochs.get(), 1), number_of(epochs.get(), 2),
                                sqlite3_column_int64(epochs.get(), 3), sqlite3_column_int64(epochs.get(), 4),
                                sqlite3_column_int64(epochs.get(), 5)};
    const bool possible = epoch.begin_fs >= 0 && epoch.end_fs >= epoch.begin_fs && epoch.bin_fs > 0;
    if (!possible) refuse(SQLITE_OK, "an epoch of its activity has impossible times; write it again");
    epoch_of.emplace(sqlite3_column_int64(epochs.get(), 0), tables.epochs.size());
    tables.epochs.push_back(epoch);
  }
  Statement series = prepare(
      "SELECT series.id, series.kind, series.name, series.units, at.name, at.node_kind, at.label, at.sip, at.io, "
      "at.cube, at.pe, peer.name, peer.node_kind, peer.label, peer.sip, peer.io, peer.cube, peer.pe, series.resource "
      "FROM series JOIN "
      "component AS at ON at.id = series.component_id LEFT JOIN component AS peer ON peer.id = series.peer_id ORDER BY "
      "series.id");
  while (step(series)) {
    constexpr int kNode = 4, kPeer = 11, kResource = 18;  // their first columns
    series_of.emplace(sqlite3_column_int64(series.get(), 0), tables.series.size());
    NodeEntry node = node_of(series.get(), kNode), peer = node_of(series.get(), kPeer);
    tables.series.push_back({std::move(node.id), text_of(series.get(), 1), text_of(series.get(), 2),
                             sqlite3_column_int64(series.get(), 3), std::move(node.coord), std::move(peer.id),
                             std::move(peer.coord), text_of(series.get(), kResource)});
  }
  Statement rows = prepare("SELECT epoch_id, series_id, busy_fs, wait_fs, bytes, queue_max, data FROM activity");
  while (step(rows)) {
    const auto epoch = epoch_of.find(sqlite3_column_int64(rows.get(), 0));
    const auto one = series_of.find(sqlite3_column_int64(rows.get(), 1));
    if (epoch == epoch_of.end() || one == series_of.end()) {
      refuse(SQLITE_OK, "its activity is of an epoch or a series that there is not; write it again");
    }
    tables.rows.push_back({epoch->second, one->second, sqlite3_column_int64(rows.get(), 2),
                           sqlite3_column_int64(rows.get(), 3), sqlite3_column_int64(rows.get(), 4),
                           sqlite3_column_int64(rows.get(), 5), bytes_of(rows.get(), 6)});
  }
  return tables;
}

}  // namespace kb::data
