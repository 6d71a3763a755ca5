#include "platform/topology/replacements.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "platform/base/glob.h"
#include "platform/base/nearest.h"
#include "platform/topology/component_rules.h"

namespace kb::topology {
namespace {

constexpr std::size_t kMostReplacements = 4096;

std::vector<NodeId> matching(const Graph& graph, const std::string& pattern) {
  std::vector<NodeId> found;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind != NodeKind::host && glob_match(pattern, graph.nodes[i].id)) found.emplace_back(i);
  }
  return found;
}

std::string nearest_node(const Graph& graph, const std::string& pattern) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) names.push_back(node.id);
  return suggest(pattern, names);
}

// Nodes of one kind, all of them matched by the entry.
void replace(MapReader& entry, Graph& graph, const std::vector<NodeId>& nodes) {
  const NodeKind kind = graph.node(nodes.front()).kind;
  const bool names_impl = entry.has("impl");
  const std::string impl = names_impl ? read_impl(entry, kind) : "";
  MapReader attrs = entry.map("attrs");
  std::map<std::pair<const void*, const void*>, NodeParams> made;  // looked up only
  for (const NodeId id : nodes) {
    Node& node = graph.nodes[id.value];
    NodeParams& params = made[{node.params.data(), node.impl_params.data()}];
    if (params.kind.table() == nullptr) {
      const std::string& effective = names_impl ? impl : node.impl;
      params = change_params(attrs, node, effective);
    }
    if (names_impl) node.impl = impl;
    node.params = params.kind;
    node.impl_params = params.impl;
    node.overhead = overhead_of(node.params);
  }
  if (!entry.context().is_bad(entry.path("impl"))) attrs.done();
}

}  // namespace

std::vector<Replacement> read_replacements(MapReader& top) {
  std::vector<Replacement> out;
  for (MapReader& entry : top.list_of_maps("replace", kMostReplacements, "replacements, but a machine can have")) {
    std::string nodes = entry.text("nodes", std::nullopt);
    out.push_back({std::move(entry), std::move(nodes)});
  }
  return out;
}

void apply_replacements(std::vector<Replacement>& replacements, Graph& graph) {
  for (Replacement& replacement : replacements) {
    MapReader& entry = replacement.entry;
    if (replacement.nodes.empty()) continue;  // reported
    const std::vector<NodeId> nodes = matching(graph, replacement.nodes);
    std::set<NodeKind> kinds;
    for (const NodeId id : nodes) kinds.insert(graph.node(id).kind);
    if (kinds.empty()) {
      entry.report("nodes", fmt::format("no node is called '{}'", replacement.nodes),
                   nearest_node(graph, replacement.nodes));
    } else if (kinds.size() > 1) {
      std::vector<std::string> names;
      for (const NodeKind kind : kinds) names.emplace_back(node_kind_name(kind));
      entry.report("nodes",
                   fmt::format("'{}' matches nodes of several kinds: {}", replacement.nodes, join_words(names)),
                   "write an entry for each kind, with a narrower pattern");
    } else {
      replace(entry, graph, nodes);
      entry.done();
    }
  }
}

}  // namespace kb::topology
