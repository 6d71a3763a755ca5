#pragma once

#include <string>
#include <vector>

#include "kernels/catalog.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/workload.h"

namespace kb::cli {

// What can be run: the built-in kernels and workloads and those of plug-ins, which stay loaded for the life of this
// object.
class WorkloadLibrary {
 public:
  // Configuration Error when a plug-in cannot be loaded.
  explicit WorkloadLibrary(const std::vector<std::string>& plugins);

  const kernels::KernelCatalog& kernels() const { return kernels_; }
  const sw::WorkloadRegistry& workloads() const { return workloads_; }

 private:
  kernels::KernelCatalog kernels_;
  sw::WorkloadRegistry workloads_ = sw::builtin_registry();
};

}  // namespace kb::cli
