#include "sim/cli/workload_library.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>

#include "modules/bridge/tlm_memory.h"
#include "modules/rtl/catalog.h"
#include "platform/base/error.h"
#include "platform/contract/kernel.h"
#include "platform/elab/event_scheduler.h"
#include "platform/topology/input_file.h"
#include "sim/cli/program.h"

namespace kb::cli {
namespace {

using AbiFunction = const char* (*)();
using PluginFunction = void (*)(sw::PluginRegistrar&);
using BlocksFunction = void (*)(elab::BlockCatalog&);
using GroupFunction = const char* (*)();

[[noreturn]] void refuse(const std::string& file, const std::string& message, const std::string& remedy) {
  throw Error({Diagnostic{file, 0, 0, "", message, remedy}});
}

// An exception during the loading of a plug-in is a fault of the plug-in.
template <typename Body>
void guard(const std::string& file, Body body) {
  constexpr const char* kRemedy = "correct the plug-in's KERNBENCH_PLUGIN or KERNBENCH_BLOCKS";
  try {
    body();
  } catch (const Error& error) {
    if (!error.diagnostics().empty()) throw;
    refuse(file, error.what(), "");
  } catch (const std::bad_alloc&) {
    refuse(file, "there is not enough memory for loading the plug-in", "free some, or raise the limit (ulimit -v)");
  } catch (const std::exception& error) {
    refuse(file, std::string("the plug-in failed while it was loaded: ") + error.what(), kRemedy);
  } catch (...) {
    refuse(file, "the plug-in failed while it was loaded, with an exception that is not a std::exception", kRemedy);
  }
}

// The loader maps the file as its headers describe; for a truncated file the process would end with SIGBUS.
bool is_cut_off(const std::string& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::uint64_t>(stream.tellg());
  Elf64_Ehdr header{};
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!stream || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;  // the loader reports the problem
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return false;
  const auto ends_before = [size](std::uint64_t offset, std::uint64_t bytes) {
    return offset > size || bytes > size - offset;
  };
  if (ends_before(header.e_shoff, std::uint64_t{header.e_shentsize} * header.e_shnum)) return true;
  stream.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    stream.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (!stream || (segment.p_type == PT_LOAD && ends_before(segment.p_offset, segment.p_filesz))) return true;
  }
  return false;
}

// Detects files for which the loader would block or crash.
void check_file(const std::string& file, const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    refuse("", "the plug-in '" + file + "' cannot be loaded: " + std::strerror(errno), topology::remedy_of(errno));
  }
  if (S_ISDIR(status.st_mode)) refuse(file, "this is a directory", "name a shared library in it");
  if (!S_ISREG(status.st_mode)) refuse(file, "this is not a regular file", "name a shared library");
  if (is_cut_off(path)) {
    refuse(file, "the plug-in cannot be loaded: the file is cut off",
           "build or copy it again; was the disk full while it was written?");
  }
}

// The loader's message and what to do, with the name of a missing symbol as C++ has it.
[[noreturn]] void refuse_unloadable(const std::string& file, const std::string& reason) {
  const std::string problem = "the plug-in cannot be loaded: ", missing = "undefined symbol: ";
  const std::size_t found = reason.find(missing);
  if (found == std::string::npos) {
    refuse(file, problem + reason, "check the path and build it against this installation of kernbench");
  }
  std::string symbol = reason.substr(found + missing.size());
  symbol.resize(std::min(symbol.size(), symbol.find_first_of(", \t")));  // a version may follow
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr),
                                                    std::free);
  refuse(file, problem + missing + (name == nullptr ? symbol : name.get()),
         "is its source file in kernbench_add_plugin? a symbol of kernbench: build it against this installation");
}

void* open_library(const std::string& file) {
  // The loader would search a bare name in the system's library folders.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  check_file(file, path);
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse_unloadable(file, ::dlerror());
  return library;
}

// The entry points of a library. It stays open, because its kernels and blocks are called until the end of the process.
struct Plugin {
  PluginFunction kernels = nullptr;  // may be null
  BlocksFunction blocks = nullptr;
  GroupFunction group = nullptr;
};

Plugin load_plugin(const std::string& file) {
  void* library = open_library(file);
  const auto abi = reinterpret_cast<AbiFunction>(::dlsym(library, kKernbenchPluginAbiSymbol));
  const Plugin plugin{reinterpret_cast<PluginFunction>(::dlsym(library, kKernbenchPluginSymbol)),
                      reinterpret_cast<BlocksFunction>(::dlsym(library, kKernbenchBlocksSymbol)),
                      reinterpret_cast<GroupFunction>(::dlsym(library, kKernbenchGroupSymbol))};
  if (abi == nullptr || (plugin.kernels == nullptr && plugin.blocks == nullptr)) {
    refuse(file, "this shared library is not a kernbench plug-in",
           "write KERNBENCH_PLUGIN(registrar) { ... } or KERNBENCH_BLOCKS(catalog) { ... } in one of its files");
  }
  guard(file, [&] {
    const char* const built_for = abi();
    if (built_for != nullptr && plugin_abi() == built_for) return;
    refuse(file,
           "the plug-in was built for " + std::string(built_for == nullptr ? "nothing that it names" : built_for) +
               ", this is " + plugin_abi(),
           "build it against this installation");
  });
  return plugin;
}

// The group is what the plug-in states, else "plug-in my_kernels" for build/libmy_kernels.so.
std::string group_of(const Plugin& plugin, const std::string& file) {
  const char* const stated = plugin.group != nullptr ? plugin.group() : nullptr;
  if (stated != nullptr && *stated != '\0') return stated;
  const std::string stem = std::filesystem::path(file).stem().string();
  return "plug-in " + (stem.compare(0, 3, "lib") == 0 && stem.size() > 3 ? stem.substr(3) : stem);
}

using Blocks = std::vector<std::pair<topology::NodeKind, std::string>>;

Blocks all_blocks(const topology::Implementations& implementations) {
  Blocks all;
  for (int k = 0; k < static_cast<int>(topology::kNodeKinds); ++k) {
    const auto kind = static_cast<topology::NodeKind>(k);
    for (const std::string& name : implementations.names(kind)) all.emplace_back(kind, name);
  }
  return all;
}

}  // namespace

void add_plugin_option(CLI::App& app, std::vector<std::string>& plugins) {
  app.add_option("--plugin", plugins, "Shared library with kernels, workloads, algorithms or blocks; may be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

WorkloadLibrary::WorkloadLibrary(const std::vector<std::string>& plugins) {
  modules::add_rtl_blocks(blocks_);
  modules::add_tlm_memory(blocks_);
  elab::Foreground& foreground = elab::EventScheduler::foreground();
  for (const std::string& file : plugins) {
    for (const PluginContents& other : plugins_) {
      std::error_code unknown;
      if (!std::filesystem::equivalent(file, other.file, unknown)) continue;
      refuse(file, "the plug-in is given twice", "give it once");
    }
    foreground.enter(elab::UserCode::plug_in, file.c_str(), nullptr, 0_fs);
    const Plugin plugin = load_plugin(file);
    PluginContents contents{file, {}, {}, {}, {}, {}};
    const std::vector<engine::EngineId> engines_before = blocks_.implementations().engines().ids();
    const Blocks blocks_before = all_blocks(blocks_.implementations());
    sw::PluginRegistrar registrar;
    if (plugin.kernels != nullptr) guard(file, [&] { plugin.kernels(registrar); });
    if (plugin.blocks != nullptr) guard(file, [&] { plugin.blocks(blocks_); });
    std::string group;
    guard(file, [&] { group = group_of(plugin, file); });
    foreground.leave();
    const Blocks blocks = all_blocks(blocks_.implementations());
    std::set_difference(blocks.begin(), blocks.end(), blocks_before.begin(), blocks_before.end(),
                        std::back_inserter(contents.blocks));
    const std::vector<engine::EngineId>& engines = blocks_.implementations().engines().ids();
    std::set_difference(engines.begin(), engines.end(), engines_before.begin(), engines_before.end(),
                        std::back_inserter(contents.engines));
    std::vector<Diagnostic> problems;
    const auto add = [&](auto& items, std::vector<std::string>& names, const auto& to_catalog) {
      for (auto& item : items) {
        names.push_back(item.name);
        collect_problems(problems, [&] { guard(file, [&] { to_catalog(std::move(item)); }); });
      }
    };
    add(registrar.kernels(), contents.kernels,
        [&](contract::Kernel&& kernel) { kernels_.add(std::move(kernel), group); });
    add(registrar.workloads(), contents.workloads,
        [&](sw::Workload&& workload) { workloads_.add(std::move(workload), group); });
    add(registrar.all_reduces(), contents.all_reduces,
        [&](sw::AllReduceAlgorithm&& one) { all_reduces_.add(std::move(one)); });
    plugins_.push_back(std::move(contents));
    if (!problems.empty()) throw Error(std::move(problems));
  }
}

}  // namespace kb::cli
