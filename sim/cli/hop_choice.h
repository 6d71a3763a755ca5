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

// Selection of transactions whose hops are traced: --hops and --hops-of.
class HopChoice {
 public:
  void add_options(CLI::App& app);
  void add_roles(FileRoles& roles) const;
  // Validates the options and adds the file to `outputs`; must be called before the run. Usage Error when --hops-of is
  // used without --hops or has a pattern that matches no node.
  void open(const topology::Graph& graph, observe::OutputSet& outputs);
  sim::HopTrace* trace() const { return trace_.get(); }  // null without --hops
  // Must be called after the run, before the outputs are committed.
  void write(std::vector<std::string>& warnings) const;
  // Adds the written file to the report's list.
  void add_files(std::vector<std::pair<std::string, std::string>>& list) const;

 private:
  std::string name_;
  std::vector<std::string> initiators_;
  observe::OutputFile* file_ = nullptr;
  std::unique_ptr<sim::HopTrace> trace_;
};

}  // namespace kb::cli
