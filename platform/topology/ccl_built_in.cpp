#include "platform/topology/ccl_built_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace kb::topology {

const char kBuiltInCcl[] = R"(algorithms:
  auto: {}
  lrab_hierarchical_allreduce: {}
  three_level_allreduce: { intra_cube: ring }
  ring_allreduce: { wiring: flat, topology: ring_1d }
  mesh_allreduce: { wiring: flat, topology: torus_2d }
  tree_allreduce: { wiring: flat, topology: tree_binary }
  reduce_scatter_allreduce: { wiring: flat, topology: hops }
  pairwise_allreduce: { wiring: flat, topology: hops }
  binomial_allreduce: { wiring: flat, topology: hops }
)";

namespace {

const std::vector<yaml::Entry>& built_in_entries() {
  static const std::vector<yaml::Entry> entries = [] {
    std::vector<Diagnostic> none;
    return yaml::parse(kBuiltInCcl, "", none)->find("algorithms")->value->entries;
  }();
  return entries;
}

}  // namespace

std::vector<std::string> with_built_in(std::vector<std::string> names) {
  for (const yaml::Entry& entry : built_in_entries()) {
    if (std::find(names.begin(), names.end(), entry.key) == names.end()) names.push_back(entry.key);
  }
  return names;
}

std::string add_built_in_entry(yaml::ValuePtr& root, const std::string& wanted) {
  std::string chosen = wanted;
  const yaml::Entry* const defaults = root->find("defaults");
  if (chosen.empty() && defaults != nullptr && defaults->value->kind == yaml::Kind::map) {
    const yaml::Entry* const algorithm = defaults->value->find("algorithm");
    if (algorithm != nullptr && algorithm->value->kind == yaml::Kind::scalar) chosen = algorithm->value->text;
  }
  if (chosen.empty()) chosen = kDefaultAlgorithm;
  const yaml::Entry* section = root->find("algorithms");
  if (section == nullptr) {
    auto map = std::make_shared<yaml::Value>();
    map->kind = yaml::Kind::map;
    root->kind = yaml::Kind::map;
    root->entries.push_back({"algorithms", {}, std::move(map)});
    section = root->find("algorithms");
  }
  if (section->value->kind != yaml::Kind::map || section->value->find(chosen) != nullptr) return "";
  for (const yaml::Entry& entry : built_in_entries()) {
    if (entry.key != chosen) continue;
    section->value->entries.push_back(entry);
    yaml::Entry& added = section->value->entries.back();
    added.mark = added.value->mark = {};
    for (yaml::Entry& value : added.value->entries) value.mark = value.value->mark = {};
    return chosen;
  }
  return "";
}

void check_built_in_entry(const std::string& entry, const CclConfig& defaults, const CclConfig& config,
                          ReadContext& context) {
  const auto name = [](const std::vector<std::string>& names, auto value) {
    return names[static_cast<std::size_t>(value)];
  };
  const std::tuple<std::string, std::string, std::string> keys[] = {
      {"wiring", name(wiring_names(), defaults.wiring), name(wiring_names(), config.wiring)},
      {"topology", name(rank_topology_names(), defaults.topology), name(rank_topology_names(), config.topology)},
      {"intra_cube", name(intra_cube_names(), defaults.intra_cube), name(intra_cube_names(), config.intra_cube)}};
  for (const auto& [key, wanted, used] : keys) {
    const bool both = context.given("defaults." + key) && context.given("algorithms." + entry + "." + key);
    if (!both || wanted == used) continue;
    context.report_rule(
        {"defaults." + key},
        fmt::format("algorithm '{}' comes with {} '{}', so that '{}' would do nothing", entry, key, used, wanted),
        fmt::format("leave it out; links for a kernel of your own are an entry with 'module: none'"));
  }
}

}  // namespace kb::topology
