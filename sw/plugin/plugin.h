// A user's shared library of kernels and workloads, loaded with --plugin.
//
//   #include "sw/plugin/plugin.h"
//   KERNBENCH_PLUGIN(registrar) {
//     registrar.add_kernel(my_kernel());
//     registrar.add_workload(my_workload());
//   }
//
// Build it against the installed package that will load it (find_package(kernbench)): the interface is C++, so both
// must come from one version and one C++ library. The loader compares kernbench_plugin_abi() before it calls anything
// else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/base/plugin_abi.h"
#include "platform/contract/kernel.h"
#include "sw/distributed/algorithms.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

// Collects the kernels and workloads of a plug-in; names are checked when the loader adds them to its catalogs.
class PluginRegistrar {
 public:
  void add_kernel(contract::Kernel kernel) { kernels_.push_back(std::move(kernel)); }
  void add_workload(Workload workload) { workloads_.push_back(std::move(workload)); }
  void add_all_reduce(AllReduceAlgorithm algorithm) { all_reduces_.push_back(std::move(algorithm)); }

  std::vector<contract::Kernel>& kernels() { return kernels_; }
  std::vector<Workload>& workloads() { return workloads_; }
  std::vector<AllReduceAlgorithm>& all_reduces() { return all_reduces_; }

 private:
  std::vector<contract::Kernel> kernels_;
  std::vector<Workload> workloads_;
  std::vector<AllReduceAlgorithm> all_reduces_;
};

}  // namespace kb::sw

// NOLINTBEGIN(bugprone-macro-parentheses): the name of a parameter cannot be in parentheses
#define KERNBENCH_PLUGIN(registrar) \
  KERNBENCH_PLUGIN_ABI              \
  extern "C" __attribute__((visibility("default"))) void kernbench_plugin(kb::sw::PluginRegistrar& registrar)
// NOLINTEND(bugprone-macro-parentheses)

// Sets the heading of the plug-in's kernels and workloads in `kernbench list`; the default is its name. One source of
// the plug-in may have KERNBENCH_PLUGIN_GROUP("models of ours").
#define KERNBENCH_PLUGIN_GROUP(text)                                                       \
  extern "C" __attribute__((visibility("default"))) const char* kernbench_plugin_group() { \
    return text;                                                                           \
  }
