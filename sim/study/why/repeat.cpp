#include "sim/study/why/repeat.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/plugin_abi.h"
#include "platform/base/version.h"
#include "platform/contract/data_mode.h"
#include "platform/topology/ccl_config.h"
#include "platform/topology/sha256.h"
#include "sim/run/driver/planning_machine.h"
#include "sim/run/driver/run_inputs.h"
#include "sim/study/files/files.h"
#include "sw/runtime/device.h"

namespace kb::why {
namespace {

constexpr const char* kDataModes[] = {"off", "replay", "eager"};

[[noreturn]] void refuse(const std::string& folder, const std::string& what, const std::string& remedy) {
  throw Error({Diagnostic{folder, 0, 0, "", what, remedy}});
}

std::optional<std::string> no_environment(const std::string& /*name*/) {
  return std::nullopt;
}

void check_file(const result::FileStamp& stamp, const std::string& folder, const char* role) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(stamp.file, ignored)) {
    refuse(folder, fmt::format("{} {} of this run is gone", role, stamp.file),
           "put it back, or call why in the folder where the run was made");
  }
  if (sim::stamp_of(stamp.file).sha256 != stamp.sha256) {
    refuse(folder, fmt::format("{} {} has changed since this run", role, stamp.file),
           "run again with what it is now, or bring back what it was");
  }
}

// Entries of `replace:`, which are numbered in the keys of a machine.
std::size_t replacements_of(const topology::LoadedTopology& machine) {
  std::size_t count = 0;
  for (const auto& [key, value] : machine.config) {
    if (key.rfind("replace[", 0) == 0) count = std::max<std::size_t>(count, std::stoul(key.substr(8)) + 1);
  }
  return count;
}

}  // namespace

void check_program(const result::Inputs& inputs, const std::string& folder) {
  if (inputs.version != kVersion || inputs.plugin_abi != plugin_abi()) {
    refuse(folder, fmt::format("this run was made by {}, and this is {}", inputs.plugin_abi, plugin_abi()),
           "run again with this program, or use the one that made it");
  }
  for (const result::FileStamp& plugin : inputs.plugins) check_file(plugin, folder, "the plug-in");
}

void check_result(const result::Result& result, const std::string& folder) {
  if (!result.ok) {
    refuse(folder,
           "this run failed: " + (result.error ? result.error->code + ": " + result.error->message : "no cause"),
           "correct it and run again; why needs a run that ends well");
  }
  if (result.launch_count == 0) {
    refuse(folder, "this run launched no kernel, so that there is no time to explain", "run a workload that does");
  }
}

void check_repeated(const result::Result& result, const Measure& base, const std::string& folder) {
  if (!base.ok) {
    refuse(folder, "the run ended well, and its repetition fails: " + base.code + ": " + base.cause,
           "if a file or a library that it uses has changed, run again");
  }
  const auto repeated = [&](const result::Launch& launch) {
    const auto found = std::find_if(base.launches.begin(), base.launches.end(),
                                    [&](const LaunchTime& one) { return one.id == launch.id; });
    return found != base.launches.end() && found->submitted == launch.submit && found->completed == launch.completed;
  };
  for (const result::Launch& launch : result.launches) {
    if (repeated(launch)) continue;
    refuse(
        folder,
        fmt::format("launch {} ({}) has another time in the repetition than in result.json", launch.id, launch.kernel),
        "kernbench is deterministic: a plug-in reads something that inputs.json does not have, or result.json is "
        "of another run");
  }
}

Repeat::Repeat(result::Inputs inputs, std::string folder, const sweep::Catalogs& catalogs)
    : inputs_(std::move(inputs)), folder_(std::move(folder)), catalogs_(catalogs) {
  const result::MachineText& text = inputs_.topology;
  if (!text.file.empty()) check_file({text.name, text.sha256}, folder_, "the topology");
  for (const result::FileStamp& file : inputs_.files) check_file(file, folder_, "the file");
  std::error_code ignored;
  const auto has_ccl = [](const result::FileStamp& file) { return file.file == topology::kCclFile; };
  if (std::filesystem::exists(topology::kCclFile, ignored) &&
      std::none_of(inputs_.files.begin(), inputs_.files.end(), has_ccl)) {
    refuse(folder_, "there is a ccl.yaml here, which this run did not have", "call why where the run was made");
  }
  machine_ = sim::machine_of(inputs_.topology, *catalogs.implementations);
  plan_ = sim::planning_machine(inputs_, folder_, machine_, *catalogs.implementations);
  replacements_ = replacements_of(machine_);
  params_ = params_of({});
}

sw::Params Repeat::params_of(const Assignments& changed) const {
  const sw::Workload& workload = catalogs_.workloads->resolve(inputs_.workload);
  sw::Assignments given;
  for (const result::GivenParameter& one : inputs_.params) {
    if (one.origin != "default") given.emplace_back(one.name, one.value);
  }
  given.insert(given.end(), changed.begin(), changed.end());
  return sw::resolve_params(workload.name, workload.parameters, given, no_environment, workload.environment);
}

std::string Repeat::command() const {
  std::string text = "kernbench run";
  const auto add = [&](const std::string& option, const std::string& value) {
    text += " " + option + " " + quoted(value);
  };
  for (const result::FileStamp& plugin : inputs_.plugins) add("--plugin", plugin.file);
  if (!inputs_.topology.file.empty()) add("--topology", inputs_.topology.file);
  add("--bench", inputs_.workload);
  if (inputs_.device != "all") add("--device", inputs_.device);
  if (inputs_.data_mode != "off") add("--data", inputs_.data_mode);
  if (inputs_.seed != 1) add("--seed", std::to_string(inputs_.seed));
  if (inputs_.time_limit) add("--time-limit-ns", fmt::format("{}", fs_to_ns(*inputs_.time_limit)));
  for (const std::string& relief : inputs_.reliefs) add("--relief", relief);
  for (const std::string& set : inputs_.topology.set) add("--set", set);
  for (const result::GivenParameter& one : inputs_.params) {
    if (one.origin != "default") add("--set", one.name + "=" + one.value);
  }
  return text;
}

std::string Repeat::command(const Point& point) const {
  const std::string options = options_of(point, replacements_, folder_);
  return command() + (options.empty() ? "" : " " + options);
}

bool Repeat::supposes_code() const {
  return inputs_.data_mode == kDataModes[0];
}

std::string Repeat::identity() const {
  return topology::sha256_hex(files::read_file("/proc/self/exe")) + "\n" + result::render(inputs_);
}

sim::WorkloadRun Repeat::run_of(const Point& point) const {
  sim::WorkloadRun run;
  result::MachineText text = inputs_.topology;
  for (const auto& [key, value] : overrides_of(point, replacements_)) text.set.push_back(key + "=" + value);
  run.topology = sim::machine_of(text, *catalogs_.implementations);
  if (point.pinned) run.plan = plan_;
  run.kernels = catalogs_.kernels;
  run.all_reduces = catalogs_.all_reduces;
  run.workload = &catalogs_.workloads->resolve(inputs_.workload);
  run.params = params_of(parameters_of(point));
  run.device = inputs_.device;
  contract::MachineInfo info;
  info.sips = run.topology.graph.spec.sip_count;
  run.sips = sw::parse_device(inputs_.device, info);
  run.seed = inputs_.seed;
  run.strict = inputs_.strict;
  const auto* const mode = std::find(std::begin(kDataModes), std::end(kDataModes), inputs_.data_mode);
  run.options.data_mode = static_cast<contract::DataMode>(mode - std::begin(kDataModes));
  run.options.strict = inputs_.strict;
  run.options.time_limit = inputs_.time_limit;
  run.options.blocks = catalogs_.blocks;
  for (const std::string& relief : inputs_.reliefs) sim::add_relief(relief, run.options.reliefs);
  for (const std::string& relief : code_of(point)) sim::add_relief(relief, run.options.reliefs);
  return run;
}

}  // namespace kb::why
