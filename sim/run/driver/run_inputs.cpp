#include "sim/run/driver/run_inputs.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "platform/base/plugin_abi.h"
#include "platform/base/version.h"
#include "platform/topology/ccl_config.h"
#include "platform/topology/sha256.h"
#include "sim/run/driver/run_description.h"

namespace kb::sim {
namespace {

result::MachineText text_of(const topology::LoadedTopology& machine, const std::string& file) {
  result::MachineText text{file, machine.file, machine.sha256, machine.text, {}};
  for (const auto& [key, value] : machine.overrides) text.set.push_back(key + "=" + value);
  return text;
}

bool is_file(const std::string& name) {
  std::error_code ignored;
  return !name.empty() && std::filesystem::is_regular_file(name, ignored);
}

// Files that decide the run, besides its machine and its plug-ins.
std::set<std::string> files_of(const WorkloadRun& run) {
  std::set<std::string> files{topology::kCclFile};
  const std::string& mesh = run.topology.graph.spec.mesh_file;
  if (!mesh.empty()) files.insert((std::filesystem::path(run.topology.file).parent_path() / mesh).string());
  for (const sw::ParameterValue& value : run.params.values()) files.insert(value.value);
  return files;
}

}  // namespace

result::FileStamp stamp_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw Error::configuration(file + " cannot be read: " + std::strerror(errno));
  return {file, topology::sha256_hex(text.str())};
}

result::Inputs inputs_of(const WorkloadRun& run, const std::string& topology_file,
                         const std::vector<std::string>& plugins) {
  result::Inputs inputs;
  inputs.version = kVersion;
  inputs.plugin_abi = plugin_abi();
  inputs.topology = text_of(run.topology, topology_file);
  if (run.plan != nullptr) inputs.pins = text_of(*run.plan, run.plan->file);
  for (const std::string& file : files_of(run)) {
    if (is_file(file)) inputs.files.push_back(stamp_of(file));
  }
  for (const std::string& plugin : plugins) inputs.plugins.push_back(stamp_of(plugin));
  inputs.workload = run.workload->name;
  for (const sw::ParameterValue& value : run.params.values()) {
    inputs.params.push_back({value.declared.name, value.value, value.origin});
  }
  inputs.device = run.device;
  inputs.seed = run.seed;
  inputs.data_mode = data_mode_name(run.options.data_mode);
  inputs.verify = run.verify;
  inputs.strict = run.strict;
  inputs.reliefs = texts_of(run.options.reliefs);
  inputs.time_limit = run.options.time_limit;
  return inputs;
}

}  // namespace kb::sim
