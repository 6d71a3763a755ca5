#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/catalog.h"
#include "platform/elab/block_plugin.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/workload.h"

namespace CLI {
class App;
}

namespace kb::cli {

// Adds --plugin to a command that can use plug-ins.
void add_plugin_option(CLI::App& app, std::vector<std::string>& plugins);

// The contents of one plug-in in registration order; blocks in the order of kinds.
struct PluginContents {
  std::string file;
  std::vector<std::string> kernels, workloads, all_reduces;
  std::vector<std::pair<topology::NodeKind, std::string>> blocks;
  std::vector<engine::EngineId> engines;
};

// The available kernels, workloads and blocks: built-in ones, those of plug-ins, and RTL blocks. Plug-ins stay loaded
// during the lifetime of this object.
class WorkloadLibrary {
 public:
  // Configuration Error when a plug-in cannot be loaded.
  explicit WorkloadLibrary(const std::vector<std::string>& plugins);

  const kernels::KernelCatalog& kernels() const { return kernels_; }
  const sw::WorkloadRegistry& workloads() const { return workloads_; }
  const sw::AllReduceCatalog& all_reduces() const { return all_reduces_; }
  const elab::BlockCatalog& blocks() const { return blocks_; }
  const std::vector<PluginContents>& plugins() const { return plugins_; }

 private:
  kernels::KernelCatalog kernels_;
  sw::WorkloadRegistry workloads_ = sw::builtin_registry();
  sw::AllReduceCatalog all_reduces_;
  elab::BlockCatalog blocks_;
  std::vector<PluginContents> plugins_;
};

}  // namespace kb::cli
