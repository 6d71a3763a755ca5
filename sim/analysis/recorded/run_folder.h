// The files of a recorded run.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "platform/data/op_log_database.h"
#include "sim/analysis/recorded/activity.h"
#include "sim/analysis/recorded/machine.h"
#include "sim/analysis/recorded/run_why.h"
#include "sim/result/result.h"

namespace kb::analysis {

// It reads only the files of this folder.
class RunFolder {
 public:
  // `topology` is the machine as printed by `kernbench topology --json`; empty: topology.json of the folder, if it
  // exists. Configuration Error when it is not the folder of a run, or when a file cannot be read.
  explicit RunFolder(const std::string& folder, const std::string& topology = "");

  const std::string& name() const { return name_; }
  const result::Result& result() const { return result_; }
  // Read at each call, because `kernbench why` may have written it in the meantime.
  RunWhy why() const { return read_run_why(folder_, result_); }
  // JSON of RunAnswer.
  std::string summary() const;
  // All launches of ops.sqlite, or the launches that result.json lists when there is no such table.
  std::vector<data::LaunchRow> launches() const;

  // False when the topology is known and differs from that of the run.
  bool own_topology() const { return own_topology_; }

  // The topology file of the run.
  const std::string& topology_file() const { return result_.setup.topology.file; }

  bool has_operations() const { return operations_ != nullptr; }
  data::OpLogDatabase& operations() const { return *operations_; }
  // A second connection to operations(), for long queries that must not block other requests.
  data::OpLogDatabase& operations_for_long() const;
  // Ends running and later queries on the operations immediately.
  void stop() const;
  const std::string& operations_file() const { return operations_file_; }
  // Empty without operations, and for a run without recorded activity. Read on first use, from any thread.
  const Activity& activity() const;

  // The nodes of the machine, and nodes of operations that are not in the machine.
  const Nodes& nodes() const { return nodes_; }
  // Null when the topology is unknown.
  const Machine* machine() const { return machine_ ? &*machine_ : nullptr; }

 private:
  std::string folder_, name_;
  result::Result result_;
  bool own_topology_ = true;
  std::string operations_file_;
  std::unique_ptr<data::OpLogDatabase> operations_;
  mutable std::mutex long_mutex_;
  mutable std::unique_ptr<data::OpLogDatabase> operations_for_long_;
  mutable bool stopped_ = false;
  std::optional<Machine> machine_;
  Nodes nodes_;
  mutable std::once_flag activity_read_;
  mutable std::optional<Activity> activity_;
};

}  // namespace kb::analysis
