#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "platform/topology/compile.h"
#include "platform/topology/input_file.h"
#include "platform/topology/schema.h"
#include "platform/topology/sha256.h"
#include "platform/topology/topology.h"
#include "platform/topology/yaml_tree.h"

namespace kb::topology {
namespace {

constexpr char kMachineHint[] = "check the path; the shipped machines are in configs/";

MeshLayout obtain_mesh(const MachineSpec& spec, const std::string& topology_file, ReadContext& context) {
  if (spec.mesh_file.empty()) return compute_mesh_layout(spec);
  const std::filesystem::path path = std::filesystem::path(topology_file).parent_path() / spec.mesh_file;
  std::vector<Diagnostic> problems;
  const std::optional<std::string> text = read_file(path.string(), kMachineHint, problems);
  for (const Diagnostic& problem : problems) context.report_rule({"cube.mesh_file"}, problem.message, problem.remedy);
  if (!text) return {};
  return mesh_from_yaml(*text, path.string(), spec, context.diagnostics());
}

}  // namespace

LoadedTopology load_text(const std::string& text, const std::string& name,
                         const std::vector<std::pair<std::string, std::string>>& overrides) {
  ReadContext context(name);
  yaml::ValuePtr root = yaml::parse(text, name, context.diagnostics());
  if (!root) throw_if_any(context.diagnostics());
  if (root->kind != yaml::Kind::map) {
    const std::string found = root->kind == yaml::Kind::null ? "an empty document" : std::string(kind_text(root->kind));
    throw_if_any(
        {{name, std::max(1, root->mark.line), std::max(1, root->mark.column), "",
          fmt::format("a topology is a mapping of keys at its top level, this is {}", found), "start with 'system:'"}});
  }
  const std::size_t in_file = context.diagnostics().size();
  for (const auto& [key, value] : overrides) yaml::apply_override(root, key, value, context.diagnostics());
  if (context.diagnostics().size() > in_file) throw_if_any(context.diagnostics());  // else the rest would only follow

  LoadedTopology loaded;
  loaded.file = name;
  loaded.sha256 = sha256_hex(text);
  MapReader top(context, root);
  const MachineSpec spec = read_machine(top);
  context.finish_unknown();
  check_machine(spec, context);
  throw_if_any(context.diagnostics());
  loaded.mesh = obtain_mesh(spec, name, context);
  throw_if_any(context.diagnostics());
  loaded.graph = compile_graph(spec, loaded.mesh);
  loaded.config = std::move(context.config());
  loaded.warnings = std::move(context.warnings());
  return loaded;
}

LoadedTopology load(const std::string& file, const std::vector<std::pair<std::string, std::string>>& overrides) {
  std::vector<Diagnostic> problems;
  const std::optional<std::string> text = read_file(file, kMachineHint, problems);
  throw_if_any(problems);
  return load_text(*text, file, overrides);
}

}  // namespace kb::topology
