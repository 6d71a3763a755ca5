#pragma once

#include <string>
#include <vector>

#include "kernels/catalog.h"
#include "sw/benches/bench.h"
#include "sw/plugin/plugin.h"

namespace CLI {
class App;
}

namespace kb::cli {

// --plugin of the commands for which a plug-in can matter.
void add_plugin_option(CLI::App& app, std::vector<std::string>& plugins);

// What can be run: the built-in kernels and benches and those of plug-ins, which stay loaded for the life of this
// object.
class BenchLibrary {
 public:
  // Configuration Error when a plug-in cannot be loaded.
  explicit BenchLibrary(const std::vector<std::string>& plugins);

  const kernels::KernelCatalog& kernels() const { return kernels_; }
  const sw::BenchRegistry& benches() const { return benches_; }

 private:
  kernels::KernelCatalog kernels_;
  sw::BenchRegistry benches_ = sw::builtin_registry();
};

}  // namespace kb::cli
