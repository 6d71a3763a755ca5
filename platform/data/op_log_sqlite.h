// The operation log as a SQLite database; docs/guides/oplog.md documents the tables.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/data/op_log.h"
#include "platform/data/sqlite_file.h"

namespace kb::data {

// Stores the same facts as the text format of OpLog (P-67 .. P-70). Rows go to the file in one transaction without a
// journal, through a page cache of fixed size, so that memory does not grow with the run (P-74). finish() adds the
// indices. Equal records give equal bytes.
class OpLogSqlite final : public IOpSink {
 public:
  static constexpr int kSchemaVersion = 2;

  // `file` is a regular file. All functions throw the errors of OutputFile::write().
  OpLogSqlite(observe::OutputFile& file, OpLog::Options options);
  ~OpLogSqlite() override;
  OpLogSqlite(const OpLogSqlite&) = delete;
  OpLogSqlite& operator=(const OpLogSqlite&) = delete;

  void record(std::uint64_t sequence, const OpRecord& record) override;
  void finish() override;

 private:
  struct Row {
    std::array<std::int64_t, 7> numbers;  // the columns before `params`
    std::size_t params_end;  // end of the row's parameters in params_; they begin at the end of the previous row's
  };

  void write_engines();
  void write_rows();
  void write_activity(const record::ActivityRecorder& recorder);
  void insert_name(const char* sql, std::int64_t id, std::string_view kind, std::string_view name);
  void insert_component(std::int64_t id, NodeId component);
  std::int64_t component_id(NodeId component);
  std::int64_t operation_id(std::string_view kind, std::string_view name);
  // Id in the table `place` of a whole record; 0: no line.
  std::int64_t place_id(account::PlaceId place) const;

  OpLog::Options options_;
  SqliteFile database_;
  bool finished_ = false;
  SqliteFile::Statement insert_rows_;
  std::vector<Row> rows_;  // not yet inserted
  fmt::memory_buffer params_;
  std::vector<bool> known_components_;                                // index 0 is the host, then NodeId + 1
  std::vector<std::pair<std::string_view, std::string>> operations_;  // kind and name, by id
};

}  // namespace kb::data
