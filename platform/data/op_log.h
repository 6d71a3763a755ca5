// The operation log as a file of tab-separated values; docs/guides/oplog.md documents the columns.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/data/i_op_sink.h"
#include "platform/observe/output_file.h"

namespace kb::record {
class ActivityRecorder;
struct SeriesInfo;
}  // namespace kb::record

namespace kb::data {

// Rows stream to the file; finish() completes it, and its owner commits it.
class OpLog final : public IOpSink {
 public:
  struct Options {
    std::vector<std::string> component_names;              // by NodeId; the host is "host"
    std::function<std::string_view(std::uint64_t)> space;  // "hbm", "sram", "tcm" of an address; absent: no spaces
    std::vector<std::pair<std::string, std::string>> facts = {};  // of the run; a database keeps them, text does not
    const record::ActivityRecorder* activity = nullptr;           // the same; finished before the log is
    std::function<std::string(const record::SeriesInfo&)> series_label = {};  // of its series
  };

  OpLog(observe::OutputFile& file, Options options);

  // Errors as those of OutputFile::write().
  void record(std::uint64_t sequence, const OpRecord& record) override;
  void finish() override;

 private:
  void flush();

  Options options_;
  observe::OutputFile& file_;
  fmt::memory_buffer buffer_;
};

}  // namespace kb::data
