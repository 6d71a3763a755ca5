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

#include "platform/base/version.h"
#include "platform/contract/i_pe.h"
#include "sw/distributed/algorithms.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

// Raised with every change of a type that crosses the boundary.
inline constexpr int kPluginAbi = 10;

// What a library and its loader must agree on: "kernbench 0.1.0, plug-in ABI 10".
inline std::string plugin_abi() {
  std::string text = std::string("kernbench ") + kVersion + ", plug-in ABI " + std::to_string(kPluginAbi);
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
  text += ", old C++ strings";
#endif
#if defined(__SANITIZE_ADDRESS__)
  text += ", address sanitizer";
#endif
  return text;
}

// What a plug-in hands over; names are checked when the loader puts them into its catalogs.
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

// The two symbols that the loader looks for.
inline constexpr const char* kKernbenchPluginAbiSymbol = "kernbench_plugin_abi";  // const char*()
inline constexpr const char* kKernbenchPluginSymbol = "kernbench_plugin";         // void(kb::sw::PluginRegistrar&)

// NOLINTBEGIN(bugprone-macro-parentheses): the name of a parameter cannot be in parentheses
#define KERNBENCH_PLUGIN(registrar)                                                      \
  extern "C" __attribute__((visibility("default"))) const char* kernbench_plugin_abi() { \
    static const std::string text = kb::sw::plugin_abi();                                \
    return text.c_str();                                                                 \
  }                                                                                      \
  extern "C" __attribute__((visibility("default"))) void kernbench_plugin(kb::sw::PluginRegistrar& registrar)
// NOLINTEND(bugprone-macro-parentheses)
