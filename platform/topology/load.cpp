#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "platform/base/problem_limit.h"
#include "platform/topology/compile.h"
#include "platform/topology/component_rules.h"
#include "platform/topology/input_file.h"
#include "platform/topology/replacements.h"
#include "platform/topology/schema.h"
#include "platform/topology/sha256.h"
#include "platform/topology/topology.h"
#include "platform/topology/yaml_tree.h"

namespace kb::topology {
namespace {

constexpr char kMeshHint[] = "its path is relative to the topology file; topology --emit-mesh writes one";
constexpr char kMachineHint[] = "check the path; the shipped machines are in configs/";

constexpr std::size_t kMaxOverrides = 1000;
constexpr std::size_t kMaxNodes = 1'000'000;
constexpr std::size_t kMaxChannels = 1'000'000;

// Even if every key is in range, the machine may be too large for any computer; its size is computed before it is
// built.
void check_size(const MachineSpec& spec, const MeshLayout& mesh, ReadContext& context) {
  const auto size = [](int value) { return static_cast<std::size_t>(value); };
  const std::size_t cubes = size(spec.sip_count) * size(spec.cubes_per_sip());
  const std::size_t pes = size(spec.pes_per_cube()), channels = size(spec.hbm_channels_per_pe);
  const std::size_t routers =
      size(mesh.rows()) * size(mesh.cols()) + (spec.hbm_mapping_mode == HbmMapping::one_to_one ? pes * channels : 0);
  constexpr std::size_t kBlocksPerPe = 10;
  const std::size_t in_cube = routers + pes * kBlocksPerPe + 4 * size(spec.ucie_n_connections);
  if (cubes * in_cube > kMaxNodes) {
    context.report_rule({"cube.geometry.cube_mm.w", "cube.mesh_file", "cube.memory_map.hbm_channels_per_pe"},
                        fmt::format("{} SIPs of {} cubes with {} routers and blocks each make {} nodes, but a machine "
                                    "has at most {}",
                                    spec.sip_count, spec.cubes_per_sip(), in_cube, cubes * in_cube, kMaxNodes),
                        spec.hbm_mapping_mode == HbmMapping::one_to_one ? "use fewer HBM channels per PE or fewer cubes"
                                                                        : "use a smaller cube or fewer cubes");
  }
  if (cubes * pes * channels > kMaxChannels) {
    context.report_rule({"cube.memory_map.hbm_channels_per_pe", "cube.memory_map.hbm_pseudo_channels"},
                        fmt::format("{} PEs with {} HBM channels each make {} pseudo-channels, but a machine has at "
                                    "most {}",
                                    cubes * pes, channels, cubes * pes * channels, kMaxChannels),
                        "use fewer channels per PE");
  }
}

MeshLayout obtain_mesh(const MachineSpec& spec, const std::string& topology_file, ReadContext& context) {
  if (spec.mesh_file.empty()) return compute_mesh_layout(spec);
  const std::filesystem::path path = std::filesystem::path(topology_file).parent_path() / spec.mesh_file;
  std::vector<Diagnostic> problems;
  const std::optional<std::string> text = read_file(path.string(), kMeshHint, problems);
  for (const Diagnostic& problem : problems) context.report_rule({"cube.mesh_file"}, problem.message, problem.remedy);
  if (!text) return {};
  return mesh_from_yaml(*text, path.string(), spec, context.diagnostics());
}

}  // namespace

LoadedTopology load_text(const std::string& text, const std::string& name,
                         const std::vector<std::pair<std::string, std::string>>& overrides,
                         const Implementations& implementations) {
  ReadContext context(name, implementations);
  yaml::ValuePtr root = yaml::parse(text, name, context.diagnostics());
  if (!root) throw_if_any(context.problems());
  if (root->kind != yaml::Kind::map) {
    const std::string found = root->kind == yaml::Kind::null ? "an empty document" : std::string(kind_text(root->kind));
    throw_if_any(
        {{name, std::max(1, root->mark.line), std::max(1, root->mark.column), "",
          fmt::format("a topology is a mapping of keys at its top level, this is {}", found), "start with 'system:'"}});
  }
  const std::size_t in_file = context.diagnostics().size();
  if (overrides.size() > kMaxOverrides) {
    throw_if_any({{"--set", 0, 0, "", fmt::format("{} overrides are too many", overrides.size()),
                   fmt::format("give at most {}, or write them into the file", kMaxOverrides)}});
  }
  for (const auto& [key, value] : overrides) {
    yaml::apply_override(root, key, value, context.diagnostics(), rate_openings());
  }
  // otherwise further problems would only be consequences
  if (context.diagnostics().size() > in_file) throw_if_any(context.problems());

  LoadedTopology loaded;
  loaded.file = name;
  loaded.sha256 = sha256_hex(text);
  loaded.text = text;
  loaded.overrides = overrides;
  MapReader top(context, root);
  const MachineSpec spec = read_machine(top);
  top.allow("replace");
  top.done();
  context.finish_unknown();
  check_machine(spec, context);
  const bool good = context.diagnostics().empty();
  std::vector<Replacement> replacements = read_replacements(top);
  context.finish_unknown();
  // A wrong entry of `replace` leaves the machine unchanged, so that the other entries can still be checked.
  const std::size_t in_entries = good ? context.diagnostics().size() : 0;
  const auto throw_if_wrong = [&] {
    const std::size_t found = context.diagnostics().size();
    if (found > in_entries || found >= kMaxProblems) throw_if_any(context.problems());
  };
  throw_if_wrong();
  loaded.mesh = obtain_mesh(spec, name, context);
  throw_if_wrong();
  check_size(spec, loaded.mesh, context);
  throw_if_wrong();
  loaded.graph = compile_graph(spec, loaded.mesh);
  apply_replacements(replacements, loaded.graph);
  context.finish_unknown();
  throw_if_any(context.problems());
  loaded.config = std::move(context.config());
  loaded.rules = std::move(context.rules());
  loaded.warnings = std::move(context.warnings());
  return loaded;
}

LoadedTopology load(const std::string& file, const std::vector<std::pair<std::string, std::string>>& overrides,
                    const Implementations& implementations) {
  std::vector<Diagnostic> problems;
  const std::optional<std::string> text = read_file(file, kMachineHint, problems);
  throw_if_any(problems);
  return load_text(*text, file, overrides, implementations);
}

}  // namespace kb::topology
