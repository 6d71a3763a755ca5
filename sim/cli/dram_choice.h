#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/cube/dram/command_trace.h"
#include "platform/observe/output_set.h"
#include "platform/observe/packed_file.h"
#include "platform/topology/graph.h"

namespace CLI {
class App;
}

namespace kb::cli {

class FileRoles;

// The trace of the commands of all memories with banks: --dram-trace.
class DramChoice {
 public:
  void add_options(CLI::App& app);
  void add_roles(FileRoles& roles) const;
  // Adds the file to `outputs`; must be called before the run. Usage Error when no memory of the machine has banks.
  void open(const topology::Graph& graph, observe::OutputSet& outputs);
  dram::CommandLog* log() { return traces_.get(); }  // null without --dram-trace
  // Must be called after the run, before the outputs are committed.
  void finish();
  // Adds the written file to the report's list.
  void add_files(std::vector<std::pair<std::string, std::string>>& list) const;

 private:
  std::string name_;
  std::unique_ptr<observe::PackedOutput> text_;
  std::unique_ptr<dram::CommandTraces> traces_;
};

}  // namespace kb::cli
