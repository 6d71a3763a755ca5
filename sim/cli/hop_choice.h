#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/observe/output_set.h"
#include "sim/analysis/hops/hop_trace.h"

namespace CLI {
class App;
}

namespace kb::cli {

class FileRoles;

// Which transactions a command follows over the fabric: --hops and --hops-of.
class HopChoice {
 public:
  void add_options(CLI::App& app);
  void add_roles(FileRoles& roles) const;
  // Validates the options and adds the file to `outputs`; call it before the run. Throws a usage Error when --hops-of
  // is without --hops or has a pattern that no node matches.
  void open(const topology::Graph& graph, observe::OutputSet& outputs);
  sim::HopTrace* trace() const { return trace_.get(); }  // null without --hops
  // After the run, before the outputs are committed.
  void write(std::vector<std::string>& warnings) const;
  // What was written, for the report.
  void add_files(std::vector<std::pair<std::string, std::string>>& list) const;

 private:
  std::string name_;
  std::vector<std::string> initiators_;
  observe::OutputFile* file_ = nullptr;
  std::unique_ptr<sim::HopTrace> trace_;
};

}  // namespace kb::cli
