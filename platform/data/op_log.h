// The operation log as a file of tab-separated values; docs/guides/oplog.md documents the columns.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/data/i_op_sink.h"

namespace kb::data {

class OpLogFile;

// Rows stream to FILE.part; finish() renames it to FILE. Something else than a regular file (a pipe, /dev/null) is
// written directly.
class OpLog final : public IOpSink {
 public:
  struct Options {
    std::vector<std::string> component_names;              // by NodeId; the host is "host"
    std::function<std::string_view(std::uint64_t)> space;  // "hbm", "sram", "tcm" of an address; absent: no spaces
    std::vector<std::pair<std::string, std::string>> facts = {};  // of the run; a database keeps them, text does not
  };

  // Configuration Error with the operating system's reason when the file cannot be made.
  OpLog(std::string path, Options options);
  ~OpLog() override;
  OpLog(const OpLog&) = delete;
  OpLog& operator=(const OpLog&) = delete;

  // Configuration Error OPLOG_WRITE with the operating system's reason (disk full, ...); the partial file is then
  // removed.
  void record(std::uint64_t sequence, const OpRecord& record) override;
  void finish() override;

  const std::string& path() const;

 private:
  void flush();

  Options options_;
  std::unique_ptr<OpLogFile> file_;
  fmt::memory_buffer buffer_;
};

}  // namespace kb::data
