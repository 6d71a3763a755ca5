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

// --plugin of the commands for which a plug-in can matter.
void add_plugin_option(CLI::App& app, std::vector<std::string>& plugins);

// What one plug-in has registered, in its order; blocks in the order of kinds.
struct PluginContents {
  std::string file;
  std::vector<std::string> kernels, workloads, all_reduces;
  std::vector<std::pair<topology::NodeKind, std::string>> blocks;
};

// What can be run: the built-in kernels and workloads and those of plug-ins, with their blocks and those of RTL;
// plug-ins stay loaded for the life of this object.
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
