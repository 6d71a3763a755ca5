// Reliefs of the family "rate" for wires.
#include <fmt/format.h>

#include <algorithm>

#include "platform/base/bounds.h"
#include "sim/study/why/relief_parts.h"

namespace kb::why {
namespace {

using topology::Edge;
using topology::EdgeKind;
using topology::Graph;

struct Path {
  const char* name;
  const char* text;
  std::vector<EdgeKind> kinds;
};

const std::vector<Path>& paths() {
  static const std::vector<Path> list = {
      {"hbm",
       "the way between PEs and their HBM",
       {EdgeKind::pe_to_router, EdgeKind::router_to_pe, EdgeKind::router_to_hbm, EdgeKind::hbm_to_router,
        EdgeKind::pe_to_channel, EdgeKind::channel_to_pe, EdgeKind::channel_to_hbm, EdgeKind::hbm_to_channel}},
      {"ucie",
       "UCIe: links and connections",
       {EdgeKind::ucie_mesh, EdgeKind::ucie_conn_to_router, EdgeKind::router_to_ucie_conn}},
      {"io",
       "the way between cubes and other SIPs",
       {EdgeKind::pcie, EdgeKind::io_internal, EdgeKind::io_to_cube, EdgeKind::cube_to_io, EdgeKind::noc_to_ucie_conn,
        EdgeKind::ucie_conn_to_noc}},
  };
  return list;
}

Change unlimited(const std::string& wires) {
  return {Change::Where::links, wires, "bw_gbs", number(kMaxBandwidth)};
}

// The usual rate of the wires of a kind; no value when they have none.
std::optional<Bandwidth> rate_of(const Graph& graph, EdgeKind kind) {
  for (const Edge& edge : graph.edges) {
    if (edge.kind == kind && edge.bw.limited()) return edge.bw;
  }
  return std::nullopt;
}

std::vector<EdgeKind> kinds_in(const Graph& graph) {
  std::vector<EdgeKind> kinds;
  for (int k = 0; k <= static_cast<int>(EdgeKind::command); ++k) {
    const auto kind = static_cast<EdgeKind>(k);
    if (kind != EdgeKind::pe_internal && rate_of(graph, kind)) kinds.push_back(kind);
  }
  return kinds;
}

// Rates of single wires: those that were waited for or busy longest, where the kind has more.
void add_members(const ReliefCase& relief_case, const ClassUse& use, std::vector<Relief>& reliefs) {
  for (const MemberUse& member : use.members) {
    if (member.name.find(" -> ") == std::string::npos || member.wait == 0_fs) continue;
    const std::size_t arrow = member.name.find(" -> ");
    const auto from = relief_case.graph.find_node(member.name.substr(0, arrow));
    const auto to = relief_case.graph.find_node(member.name.substr(arrow + 4));
    const auto edge = from && to ? relief_case.graph.find_edge(*from, *to) : std::nullopt;
    if (!edge) continue;
    const Bandwidth bw = relief_case.graph.edge(*edge).bw;
    reliefs.push_back({"rate " + member.name,
                       fmt::format("the wire {} without limit ({} GB/s)", member.name, number(bw.gbs())),
                       Scope::member,
                       time_sum(member.busy, member.wait),
                       {unlimited(member.name)}});
  }
}

void append(std::vector<Change>& changes, const std::vector<Change>& more) {
  changes.insert(changes.end(), more.begin(), more.end());
}

}  // namespace

void add_wire_reliefs(const ReliefCase& relief_case, std::vector<Relief>& reliefs) {
  std::map<EdgeKind, std::vector<Change>> changes_of;
  std::map<EdgeKind, TimeFs> used;
  Relief all{"rate wires", "all wires without limit", Scope::machine, 0_fs, {}};
  for (const EdgeKind kind : kinds_in(relief_case.graph)) {
    const std::string name(edge_kind_name(kind));
    const ClassUse* const use = relief_case.use_of(name, true);
    if (use == nullptr || use->busy == 0_fs) continue;
    std::vector<Change> changes;
    for (const std::string& pattern : relief_case.patterns.of(kind)) changes.push_back(unlimited(pattern));
    if (changes.empty()) continue;
    used[kind] = time_sum(use->busy, use->wait);
    reliefs.push_back(
        {"rate " + name,
         fmt::format("{} without limit ({} GB/s)", words_of(kind), number(rate_of(relief_case.graph, kind)->gbs())),
         Scope::kind, used[kind], changes});
    append(all.changes, changes);
    accumulate(all.used, used[kind]);
    changes_of[kind] = std::move(changes);
    add_members(relief_case, *use, reliefs);
  }
  for (const Path& path : paths()) {
    Relief relief{
        std::string("rate path ") + path.name, std::string(path.text) + ", without limit", Scope::path, 0_fs, {}};
    std::size_t kinds = 0;
    for (const EdgeKind kind : path.kinds) {
      if (changes_of.count(kind) == 0) continue;
      append(relief.changes, changes_of[kind]);
      accumulate(relief.used, used[kind]);
      ++kinds;
    }
    if (kinds > 1) reliefs.push_back(std::move(relief));
  }
  if (changes_of.size() > 1) reliefs.push_back(std::move(all));
}

}  // namespace kb::why
