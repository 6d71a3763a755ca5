#include "platform/topology/replacements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "platform/base/glob.h"
#include "platform/base/no_match.h"
#include "platform/params/hbm_banked_params.h"
#include "platform/params/memory_traits.h"
#include "platform/topology/component_rules.h"

namespace kb::topology {
namespace {

constexpr std::size_t kMaxReplacements = 4096;

std::vector<NodeId> matching(const Graph& graph, const std::string& pattern) {
  std::vector<NodeId> found;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind != NodeKind::host && glob_match(pattern, graph.nodes[i].id)) found.emplace_back(i);
  }
  return found;
}

// Reports that no node matches the pattern of `key`.
void report_no_node(MapReader& entry, const char* key, const Graph& graph, const std::string& pattern) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) {
    if (node.kind != NodeKind::host) names.push_back(node.id);
  }
  const bool plain = pattern.find_first_of("*?") == std::string::npos;
  entry.report(key, fmt::format(plain ? "no node is called '{}'" : "no node matches the pattern '{}'", pattern),
               no_match_help(pattern, names));
}

// T-34: the links of an HBM controller have its efficiency.
void scale_links(Graph& graph, NodeId hbm, double scale) {
  for (Edge& edge : graph.edges) {
    if (edge.src == hbm || edge.dst == hbm) edge.bw = edge.bw * scale;
  }
}

double efficiency_of(const Node& node) {
  return node.kind == NodeKind::hbm_ctrl ? params::memory_traits(node.params, node.impl_params).efficiency : 1.0;
}

// C-DRAM-1: banks of a replaced controller hold its slice at the rate of its channels.
void check_banks(MapReader& entry, const Graph& graph, const Node& node) {
  if (node.impl != params::kHbmBanked) return;
  const auto& banked = node.impl_params.as<params::HbmBankedParams>();
  const auto& kind = node.params.as<params::HbmCtrlParams>();
  MapReader attrs = entry.map("attrs");
  for (const params::MemoryProblem& problem : problems_of(banked, kind, graph.spec.hbm_slice_bytes())) {
    const auto written =
        std::find_if(problem.keys.begin(), problem.keys.end(), [&](const std::string& key) { return attrs.has(key); });
    const std::string& key = written == problem.keys.end() ? problem.keys.back() : *written;
    entry.report("attrs", fmt::format("{} of {}: {}", key, node.id, problem.text), problem.remedy);
  }
  if (const std::optional<std::string> text = wrong_rate(banked, kind.pc_bw)) {
    entry.report("attrs", fmt::format("{}: {}", node.id, *text), "give it another preset, or all controllers its rate");
  }
}

// Applies one entry to `nodes`, which all have the same kind.
void replace(MapReader& entry, Graph& graph, const std::vector<NodeId>& nodes) {
  const NodeKind kind = graph.node(nodes.front()).kind;
  const bool names_impl = entry.has("impl");
  const ImplChoice chosen = names_impl ? read_impl(entry, kind) : ImplChoice{};
  MapReader attrs = entry.map("attrs");
  const std::vector<std::string> keys = entry.keys();
  const bool only_nodes =
      std::all_of(keys.begin(), keys.end(), [](const std::string& key) { return key == "nodes" || key == "attrs"; });
  if (only_nodes && attrs.keys().empty()) {
    entry.report("attrs", "this entry changes nothing", "give the nodes another impl, or attrs");
  }
  std::map<std::pair<const void*, const void*>, NodeParams> made;  // never iterated
  std::vector<NodeId> different;                                   // a node for each value of it
  for (const NodeId id : nodes) {
    Node& node = graph.nodes[id.value];
    NodeParams& params = made[{node.params.data(), node.impl_params.data()}];
    if (params.kind.table() == nullptr) {
      const std::string& effective = names_impl ? chosen.impl : node.impl;
      params = change_params(attrs, node, effective, chosen.attrs_known);
      different.push_back(id);
    }
    if (names_impl) node.impl = chosen.impl;
    const double efficiency = efficiency_of(node);
    node.params = params.kind;
    node.impl_params = params.impl;
    if (efficiency_of(node) != efficiency) scale_links(graph, id, efficiency_of(node) / efficiency);
    node.foreign = params.foreign;
    node.overhead = overhead_of(node.params);
  }
  if (chosen.attrs_known) attrs.done();
  for (const NodeId id : different) {
    if (entry.context().problems().empty()) check_banks(entry, graph, graph.node(id));
  }
}

void replace_nodes(Replacement& replacement, Graph& graph) {
  MapReader& entry = replacement.entry;
  const std::vector<NodeId> nodes = matching(graph, replacement.nodes);
  std::set<NodeKind> kinds;
  for (const NodeId id : nodes) kinds.insert(graph.node(id).kind);
  if (kinds.empty()) {
    report_no_node(entry, "nodes", graph, replacement.nodes);
  } else if (kinds.size() > 1) {
    std::vector<std::string> names;
    for (const NodeKind kind : kinds) names.emplace_back(node_kind_name(kind));
    entry.report("nodes", fmt::format("'{}' matches nodes of several kinds: {}", replacement.nodes, join_words(names)),
                 "write an entry for each kind, with a narrower pattern");
  } else {
    replace(entry, graph, nodes);
    entry.done();
  }
}

// The patterns of both ends; no value when `links` does not have two.
std::optional<std::pair<std::string, std::string>> ends_of(const std::string& links) {
  const std::size_t arrow = links.find("->");
  if (arrow == std::string::npos) return std::nullopt;
  const auto trimmed = [](std::string text) {
    text.erase(0, text.find_first_not_of(' '));
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  std::pair<std::string, std::string> ends{trimmed(links.substr(0, arrow)), trimmed(links.substr(arrow + 2))};
  if (ends.first.empty() || ends.second.empty()) return std::nullopt;
  return ends;
}

// Reports why no link was found.
void report_no_link(Replacement& replacement, const Graph& graph, const std::string& from, const std::string& to) {
  for (const std::string& end : {from, to}) {
    if (!matching(graph, end).empty()) continue;
    report_no_node(replacement.entry, "links", graph, end);
    return;
  }
  const NodeId first = matching(graph, from).front();
  std::vector<std::string> neighbours;
  for (auto [edge, last] = graph.out_edges(first); edge != last; ++edge) {
    if (graph.edge(*edge).kind != EdgeKind::pe_internal) neighbours.push_back(graph.node(graph.edge(*edge).dst).id);
  }
  replacement.entry.report("links", fmt::format("no link of the fabric leads from '{}' to '{}'", from, to),
                           neighbours.empty()
                               ? "links inside of a PE are set for all PEs, in cube.pe_template.links"
                               : fmt::format("from {} links lead to {}", graph.node(first).id, join_words(neighbours)));
}

void replace_links(Replacement& replacement, Graph& graph) {
  MapReader& entry = replacement.entry;
  const auto ends = ends_of(replacement.links);
  if (!ends) {
    entry.report("links", fmt::format("'{}' does not name both ends of a link", replacement.links),
                 "write FROM -> TO, each a pattern of node ids, e.g. \"sip2.io0.pcie_ep -> fabric.switch0\"");
    return;
  }
  std::vector<bool> from(graph.nodes.size()), to(graph.nodes.size());
  for (const NodeId id : matching(graph, ends->first)) from[id.value] = true;
  for (const NodeId id : matching(graph, ends->second)) to[id.value] = true;
  const auto matches = [&](const Edge& edge) {
    return edge.kind != EdgeKind::pe_internal && from[edge.src.value] && to[edge.dst.value];
  };
  if (std::none_of(graph.edges.begin(), graph.edges.end(), matches)) {
    report_no_link(replacement, graph, ends->first, ends->second);
    return;
  }
  MapReader attrs = entry.map("attrs");
  const std::optional<double> bw_gbs = attrs.given_real("bw_gbs", bandwidth());
  const std::optional<double> distance_mm = attrs.given_real("distance_mm", length_mm());
  attrs.context().describe(attrs.path("bw_gbs"), "bandwidth of the link, in this direction");
  attrs.context().describe(attrs.path("distance_mm"), "length of the link");
  for (Edge& edge : graph.edges) {
    if (!matches(edge)) continue;
    if (bw_gbs) edge.bw = Bandwidth(*bw_gbs);
    if (distance_mm) edge.distance_mm = *distance_mm;
  }
  if (attrs.keys().empty()) {
    entry.report("attrs", "this entry changes nothing", "give the links another bw_gbs or distance_mm");
  }
  if (entry.has("impl")) {
    entry.allow("impl");
    entry.report("impl", "a link has no implementation", "leave it out, or replace the nodes at its ends");
  }
  attrs.done();
  entry.done();
}

// The most likely reason is a misspelt key.
void report_no_pattern(MapReader& entry) {
  bool unknown = false;
  for (const char* key : {"nodes", "links", "impl", "attrs"}) entry.allow(key);
  for (const std::string& key : entry.keys()) unknown = unknown || (key != "impl" && key != "attrs");
  entry.done();
  if (unknown || entry.context().is_bad(entry.path())) return;
  entry.report("nodes", "this entry names neither nodes nor links", "add nodes: or links: with a pattern");
}

}  // namespace

std::vector<Replacement> read_replacements(MapReader& top) {
  std::vector<Replacement> out;
  for (MapReader& entry : top.list_of_maps("replace", kMaxReplacements, "replacements, but a machine can have")) {
    Replacement replacement{std::move(entry), "", ""};
    MapReader& reader = replacement.entry;
    const bool of_nodes = reader.has("nodes"), of_links = reader.has("links");
    if (of_nodes || reader.context().record() != nullptr) replacement.nodes = reader.text("nodes", std::nullopt);
    if (of_links || reader.context().record() != nullptr) replacement.links = reader.text("links", std::nullopt);
    if (of_nodes && of_links) {
      reader.report("links", "an entry replaces nodes or links, not both", "write an entry for each");
      replacement.nodes.clear();
      replacement.links.clear();
    } else if (!of_nodes && !of_links) {
      report_no_pattern(reader);
    }
    out.push_back(std::move(replacement));
  }
  return out;
}

void apply_replacements(std::vector<Replacement>& replacements, Graph& graph) {
  for (Replacement& replacement : replacements) {
    if (!replacement.nodes.empty()) replace_nodes(replacement, graph);
    if (!replacement.links.empty()) replace_links(replacement, graph);
  }
}

}  // namespace kb::topology
