#include "sim/cli/shipped_machines.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/topology/ccl_config.h"

namespace kb::cli {
namespace {

namespace fs = std::filesystem;

// Returns the folder with the shipped machines: in the installation, or in the source tree that built the program.
fs::path shipped_machines() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  for (const char* folder : {"../../share/kernbench/configs", "../../../../configs"}) {
    const fs::path configs = (program / folder).lexically_normal();
    if (fs::is_regular_file(configs / "reference.yaml", error)) return configs;
  }
  return {};
}

}  // namespace

std::string machine_file(const std::string& name) {
  std::error_code error;
  if (name.find('/') != std::string::npos || fs::exists(name, error) || error) return name;
  const fs::path folder = shipped_machines();
  if (folder.empty()) return name;
  const std::string stem = fs::path(name).extension() == ".yaml" ? fs::path(name).stem().string() : name;
  std::vector<std::string> machines;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".yaml" || topology::is_ccl_file(entry.path().string())) continue;
    machines.push_back(entry.path().stem().string());
    if (machines.back() == stem) return entry.path().string();
  }
  std::sort(machines.begin(), machines.end());
  std::string known;
  for (const std::string& machine : machines) known += (known.empty() ? "" : ", ") + machine;
  const std::string near = nearest_name(stem, machines);
  throw Error({Diagnostic{
      "", 0, 0, "", "there is no file '" + name + "'",
      (near.empty() ? "" : "did you mean '" + near + "'? ") + "machines of " + folder.string() + ": " + known}});
}

}  // namespace kb::cli
