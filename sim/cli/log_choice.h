#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/observe/event_log.h"
#include "platform/observe/output_set.h"
#include "platform/topology/graph.h"
#include "sim/run/driver/progress.h"

namespace CLI {
class App;
}

namespace kb::cli {

class FileRoles;

// Output of a simulating command during the run: --log, --log-file and --progress.
class LogChoice {
 public:
  void add_options(CLI::App& app);
  void add_log_option(CLI::App& app);  // adds only --log
  void add_roles(FileRoles& roles) const;
  // Must be called before the run: usage Errors for a pattern that matches no block, an unknown level, and --log-file
  // without --log.
  void check(const topology::Graph& graph);
  // Requires check(); returns null without --log. The file of --log-file is one of `outputs`.
  std::unique_ptr<observe::EventLog> open(observe::OutputSet& outputs) const;
  // Disables automatic progress when a log is written to standard error, because the lines would mix. Usage Error for
  // --progress with `quiet`.
  sim::Progress progress(bool quiet) const;
  const std::string& file() const { return file_; }

 private:
  std::vector<std::string> texts_;
  std::vector<observe::LogRequest> requests_;
  std::string file_;
  bool progress_ = false;
};

}  // namespace kb::cli
