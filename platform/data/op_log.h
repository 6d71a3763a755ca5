// The operation log as tab-separated text; docs/guides/oplog.md documents the columns.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/base/node_coord.h"
#include "platform/data/i_op_sink.h"
#include "platform/engine/engine_id.h"
#include "platform/observe/output_file.h"

namespace kb::record {
class ActivityRecorder;
struct SeriesInfo;
}  // namespace kb::record

namespace kb::data {

// Rows stream to the file. finish() completes the file; the owner of the file commits it.
class OpLog final : public IOpSink {
 public:
  struct Options {
    std::vector<NodeEntry> nodes;  // indexed by NodeId; the host is "host"
    // memory of an address: "hbm", "sram", "tcm"; default: no column values
    std::function<std::string_view(std::uint64_t)> space;
    std::vector<std::pair<std::string, std::string>> facts = {};  // facts of the run, stored in a database only
    const record::ActivityRecorder* activity = nullptr;  // stored in a database only; finished before the log is
    std::function<std::string(const record::SeriesInfo&)> series_label = {};  // names of the activity series
    engine::EngineCatalogPtr engines = engine::built_in_engines();  // engines of the machine; only stored in a database
  };

  OpLog(observe::OutputFile& file, Options options);

  // Errors are those of OutputFile::write().
  void record(std::uint64_t sequence, const OpRecord& record) override;
  void finish() override;

 private:
  void flush();

  Options options_;
  observe::OutputFile& file_;
  fmt::memory_buffer buffer_;
};

}  // namespace kb::data
