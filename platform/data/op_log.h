// The operation log as a file of tab-separated values; docs/guides/oplog.md documents the columns.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/data/i_op_sink.h"

namespace kb::data {

// Rows stream to FILE.part; finish() renames it to FILE. Something else than a regular file (a pipe, /dev/null) is
// written directly.
class OpLog final : public IOpSink {
 public:
  struct Options {
    std::vector<std::string> component_names;              // by NodeId; the host is "host"
    std::function<std::string_view(std::uint64_t)> space;  // "hbm", "sram", "tcm" of an address; absent: no spaces
  };

  // Configuration Error with the operating system's reason when the file cannot be made.
  OpLog(std::string path, Options options);
  ~OpLog() override;
  OpLog(const OpLog&) = delete;
  OpLog& operator=(const OpLog&) = delete;

  // Configuration Error OPLOG_WRITE with the operating system's reason (disk full, ...); the partial file is then removed.
  void record(std::uint64_t sequence, const OpRecord& record) override;
  void finish() override;

  const std::string& path() const { return path_; }

 private:
  void flush();
  void discard();
  [[noreturn]] void fail(std::string_view doing, int error);

  std::string path_;
  std::string part_;  // equals path_ when written directly
  Options options_;
  int file_ = -1;
  fmt::memory_buffer buffer_;
};

}  // namespace kb::data
