#include "sim/cli/bench_library.h"

#include <dlfcn.h>

#include <cstring>

#include "platform/base/error.h"

namespace kb::cli {
namespace {

using AbiFunction = const char* (*)();
using PluginFunction = void (*)(sw::PluginRegistrar&);

[[noreturn]] void refuse(const std::string& file, const std::string& message, const std::string& remedy) {
  throw Error({Diagnostic{file, 0, 0, "", message, remedy}});
}

void* open_library(const std::string& file) {
  // A bare name would be looked for in the system's library folders.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    refuse(file, std::string("the plug-in cannot be loaded: ") + ::dlerror(),
           "check the path and build it against this installation of kernbench");
  }
  return library;
}

// The library stays open: its kernels are called until the end of the process.
sw::PluginRegistrar load_plugin(const std::string& file) {
  void* library = open_library(file);
  const auto abi = reinterpret_cast<AbiFunction>(::dlsym(library, kKernbenchPluginAbiSymbol));
  const auto entry = reinterpret_cast<PluginFunction>(::dlsym(library, kKernbenchPluginSymbol));
  if (abi == nullptr || entry == nullptr) {
    refuse(file, "this shared library is no kernbench plug-in",
           "write KERNBENCH_PLUGIN(registrar) { ... } in one of its files");
  }
  if (sw::plugin_abi() != abi()) {
    refuse(file, std::string("the plug-in was built for ") + abi() + ", this is " + sw::plugin_abi(),
           "build it against this installation");
  }
  sw::PluginRegistrar registrar;
  try {
    entry(registrar);
  } catch (const Error& error) {
    refuse(file, error.what(), "");
  }
  return registrar;
}

}  // namespace

BenchLibrary::BenchLibrary(const std::vector<std::string>& plugins) {
  for (const std::string& file : plugins) {
    sw::PluginRegistrar registrar = load_plugin(file);
    try {
      for (contract::Kernel& kernel : registrar.kernels()) kernels_.add(std::move(kernel));
      for (sw::Bench& bench : registrar.benches()) benches_.add(std::move(bench));
      for (sw::AllReduceAlgorithm& algorithm : registrar.all_reduces()) sw::add_all_reduce(std::move(algorithm));
    } catch (const Error& error) {
      refuse(file, error.what(), "");
    }
  }
}

}  // namespace kb::cli
