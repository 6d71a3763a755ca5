// Reliefs of the family "odd": what differs from the others of its kind becomes like them.
#include <fmt/format.h>

#include <algorithm>

#include "sim/study/why/relief_parts.h"

namespace kb::why {
namespace {

using topology::Edge;
using topology::Graph;
using topology::Node;
using topology::NodeKind;

constexpr std::size_t kMostSingles = 4;

// The value that most have; no value when fewer than half have it.
std::optional<std::string> usual_of(const std::map<std::string, std::size_t>& counts) {
  std::size_t all = 0;
  for (const auto& [value, count] : counts) all += count;
  for (const auto& [value, count] : counts) {
    if (2 * count > all) return value;
  }
  return std::nullopt;
}

// One way in which some members of a kind differ from the others.
struct Oddity {
  std::string name, usual;  // of the attribute
  bool wires = false;
  std::vector<std::pair<std::string, std::string>> members;  // name and value
};

Change like_others(const Oddity& oddity, const std::string& member) {
  return {oddity.wires ? Change::Where::links : Change::Where::nodes, member, oddity.name, oddity.usual};
}

void add_oddity(const ReliefCase& relief_case, const Oddity& oddity, const std::string& kind,
                std::vector<Relief>& reliefs) {
  const TimeFs used = relief_case.used(kind, oddity.wires);
  for (std::size_t i = 0; i < std::min(oddity.members.size(), kMostSingles); ++i) {
    const auto& [member, value] = oddity.members[i];
    reliefs.push_back({"odd " + member + " " + oddity.name,
                       fmt::format("{} like others of its kind: {} {} ({})", member, oddity.name, oddity.usual, value),
                       Scope::odd_one,
                       used,
                       {like_others(oddity, member)}});
  }
  if (oddity.members.size() < 2) return;
  Relief all{
      "odd " + kind + " " + oddity.name,
      fmt::format("{} of {} that differ, like others: {} {}", oddity.members.size(), kind, oddity.name, oddity.usual),
      Scope::odd_ones,
      used,
      {}};
  for (const auto& [member, value] : oddity.members) all.changes.push_back(like_others(oddity, member));
  reliefs.push_back(std::move(all));
}

void add_odd_wires(const ReliefCase& relief_case, std::vector<Relief>& reliefs) {
  std::map<std::string, std::map<std::string, std::size_t>> rates;
  const Graph& graph = relief_case.graph;
  for (const Edge& edge : graph.edges) {
    if (edge.bw.limited()) ++rates[std::string(edge_kind_name(edge.kind))][number(edge.bw.gbs())];
  }
  for (const auto& [kind, counts] : rates) {
    const auto usual = usual_of(counts);
    if (counts.size() < 2 || !usual || kind == edge_kind_name(topology::EdgeKind::pe_internal)) continue;
    Oddity oddity{"bw_gbs", *usual, true, {}};
    for (const Edge& edge : graph.edges) {
      if (edge_kind_name(edge.kind) != kind || !edge.bw.limited() || edge.bw.gbs() >= std::stod(*usual)) continue;
      oddity.members.emplace_back(wire_name(graph, edge), number(edge.bw.gbs()));
    }
    if (!oddity.members.empty()) add_oddity(relief_case, oddity, kind, reliefs);
  }
}

std::optional<std::string> value_of(const Node& node, const params::Field& field) {
  const auto value = node.params.value(field);
  return value ? std::optional<std::string>(params::value_text(*value)) : std::nullopt;
}

void add_odd_blocks(const ReliefCase& relief_case, NodeKind kind, std::vector<Relief>& reliefs) {
  std::vector<const Node*> nodes;
  for (const Node& node : relief_case.graph.nodes) {
    if (node.kind == kind && node.params.table() != nullptr) nodes.push_back(&node);
  }
  if (nodes.size() < 3) return;
  const std::string name(node_kind_name(kind));
  for (const params::Field& field : nodes.front()->params.table()->fields()) {
    const bool settable = (field.set_instead.empty() || field.by_node) && !field.machine_wide;
    std::map<std::string, std::size_t> counts;
    for (const Node* node : nodes) {
      if (const auto value = value_of(*node, field)) ++counts[*value];
    }
    const auto usual = usual_of(counts);
    if (!settable || counts.size() < 2 || !usual) continue;
    Oddity oddity{field.name, *usual, false, {}};
    for (const Node* node : nodes) {
      const auto value = value_of(*node, field);
      if (value && *value != *usual) oddity.members.emplace_back(node->id, *value);
    }
    add_oddity(relief_case, oddity, name, reliefs);
  }
}

}  // namespace

void add_odd_reliefs(const ReliefCase& relief_case, std::vector<Relief>& reliefs) {
  add_odd_wires(relief_case, reliefs);
  for (const NodeKind kind : relief_case.kinds) add_odd_blocks(relief_case, kind, reliefs);
}

}  // namespace kb::why
