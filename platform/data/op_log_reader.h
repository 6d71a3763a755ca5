// Reader of an operation log in database format (op_log_sqlite.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "platform/base/units.h"
#include "platform/data/sqlite_handle.h"

namespace kb::data {

// One operation. The strings are valid until the next row.
struct LoggedOp {
  std::uint64_t sequence = 0;
  TimeFs start = 0_fs;
  TimeFs end = 0_fs;
  std::string_view component;  // "sip0.cube0.pe0.pe_dma"
  std::string_view kind;       // "memory"
  std::string_view name;       // "dma_read"
  std::string_view params;     // JSON
};

class OpLogReader {
 public:
  // Configuration Error when the file is missing, is not a database, or has another schema version.
  explicit OpLogReader(const std::string& path);
  ~OpLogReader();
  OpLogReader(const OpLogReader&) = delete;
  OpLogReader& operator=(const OpLogReader&) = delete;

  // Value of a fact of the run ("bench", "topology_sha256", ...); empty when the log does not have it.
  std::string fact(std::string_view key) const;
  // Visits the operations in the order of (start, sequence) (P-68).
  void for_each(const std::function<void(const LoggedOp&)>& visit) const;

 private:
  void query(const char* sql, std::string_view bound, const std::function<void(void*)>& row) const;
  [[noreturn]] void fail(std::string_view why) const;

  std::string path_;
  SqliteHandle database_;
};

}  // namespace kb::data
