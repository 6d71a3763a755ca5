#include "sim/study/sweep/identity.h"

#include <filesystem>
#include <utility>

#include "platform/topology/ccl_config.h"
#include "platform/topology/sha256.h"
#include "sim/study/files/files.h"
#include "sim/study/sweep/selector.h"

namespace kb::sweep {
namespace {

constexpr const char* kProgram = "/proc/self/exe";
constexpr int kKeyDigits = 24;

// A value may be the name of a file; its contents are then part of the identity.
std::string contents(const std::string& value) {
  std::error_code ignored;
  if (value.empty() || !std::filesystem::is_regular_file(value, ignored)) return {};
  return value + " " + topology::sha256_hex(files::read_file(value)) + "\n";
}

std::string text_of(const Assignment& one) {
  return std::to_string(static_cast<int>(one.target)) + " " + one.name + "=" + one.value + "\n";
}

}  // namespace

PointKeys::PointKeys(const SweepSpec& spec, const topology::LoadedTopology& machine, MachineFile machine_file)
    : machine_file_(std::move(machine_file)) {
  std::string text = topology::sha256_hex(files::read_file(kProgram)) + "\n";
  for (const std::string& plugin : spec.plugins) text += contents(plugin);
  text += spec.workload + "\n" + spec.topology + "\n" + spec.device + "\n" + spec.data + "\n";
  text += std::to_string(spec.seed) + (spec.verify ? " verified" : "") + (spec.strict ? " strict" : "") +
          (spec.keep == Keep::columns   ? ""
           : spec.keep == Keep::results ? " results"
                                        : " runs") +
          " " + std::to_string(spec.time_limit_ns) + "\n" + machine.sha256 + "\n" + contents(topology::kCclFile);
  const std::string& mesh = machine.graph.spec.mesh_file;
  if (!mesh.empty()) text += contents((std::filesystem::path(machine.file).parent_path() / mesh).string());
  text += spec.traffic + "\n" + spec.script + "\n";
  for (const Assignment& one : spec.fixed) text += text_of(one) + contents(one.value);
  for (const Column& column : spec.columns) {
    if (!column.formula) text += column.text + (column.optional ? " optional\n" : "\n");
  }
  identity_ = topology::sha256_hex(text);
}

std::string PointKeys::of(const std::vector<Assignment>& given) {
  std::string text = identity_ + "\n";
  for (const Assignment& one : given) {
    const bool machine = one.target == Target::run && one.name == "topology";
    const std::string file = machine ? machine_file_(one.value) : one.value;
    auto found = contents_.find(file);
    if (found == contents_.end()) found = contents_.emplace(file, contents(file)).first;
    text += text_of(one) + found->second;
  }
  return topology::sha256_hex(text).substr(0, kKeyDigits);
}

}  // namespace kb::sweep
