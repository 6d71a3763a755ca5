#include "sim/study/why/relief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "platform/base/glob.h"
#include "sim/study/why/relief_parts.h"

namespace kb::why {

using topology::EdgeKind;
using topology::Graph;
using topology::NodeKind;

const std::vector<ReliefFamily>& relief_families() {
  static const std::vector<ReliefFamily> families = {
      {"rate", "a wire, a kind of wire or a path without limit; ports and channels of memories likewise"},
      {"delay", "an overhead or a latency 0"},
      {"engine", "an engine twice as fast"},
      {"count", "many transfers under way in a PE_DMA"},
      {"mode", "headers decoded at once, engines that do not share, products without padding"},
      {"code", "a call that the kernel does not wait for, a tensor of which every PE has a copy; not written yet"},
      {"odd", "a wire or block that differs from others of its kind, made like them"},
  };
  return families;
}

const ClassUse* ReliefCase::use_of(std::string_view kind, bool wires) const {
  const auto found = std::find_if(uses.begin(), uses.end(),
                                  [&](const ClassUse& use) { return use.wires == wires && use.kind == kind; });
  return found == uses.end() ? nullptr : &*found;
}

TimeFs ReliefCase::used(std::string_view kind, bool wires) const {
  const ClassUse* const use = use_of(kind, wires);
  return use == nullptr ? 0_fs : time_sum(use->busy, use->wait);
}

namespace {

std::string general(const std::string& name) {
  std::string pattern;
  for (const char c : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) {
      pattern += c;
    } else if (pattern.empty() || pattern.back() != '*') {
      pattern += '*';
    }
  }
  return pattern;
}

// "a.b.c" as "*.b.c" and "*.c"
std::vector<std::string> tails(const std::string& name) {
  std::vector<std::string> found{name};
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    found.push_back("*" + name.substr(dot));
  }
  return found;
}

std::vector<std::string> shorter_patterns(const std::string& pattern) {
  const std::size_t arrow = pattern.find(" -> ");
  if (arrow == std::string::npos) return tails(pattern);
  std::vector<std::string> found;
  for (const std::string& from : tails(pattern.substr(0, arrow))) {
    for (const std::string& to : tails(pattern.substr(arrow + 4))) found.push_back(from + " -> " + to);
  }
  return found;
}

std::string exact(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; }, '?');
  return name;
}

// Kinds of the blocks that took part: those that were used, those at the ends of used wires, all blocks of PEs, and
// those that pass a launch on.
std::set<NodeKind> kinds_of(const Graph& graph, const std::vector<ClassUse>& uses) {
  std::set<NodeKind> kinds{NodeKind::pcie_ep, NodeKind::io_cpu, NodeKind::io_noc, NodeKind::m_cpu};
  std::set<std::string> wires, blocks;
  for (const ClassUse& use : uses) (use.wires ? wires : blocks).insert(use.kind);
  for (const topology::Edge& edge : graph.edges) {
    if (wires.count(std::string(edge_kind_name(edge.kind))) == 0) continue;
    kinds.insert(graph.node(edge.src).kind);
    kinds.insert(graph.node(edge.dst).kind);
  }
  for (const topology::Node& node : graph.nodes) {
    if (is_pe_block(node.kind) || blocks.count(std::string(node_kind_name(node.kind))) != 0) kinds.insert(node.kind);
  }
  return kinds;
}

struct Words {
  std::string_view kind, text;
};
constexpr Words kWireWords[] = {
    {"pe_to_router", "wires from PEs to the mesh"},
    {"router_to_pe", "wires from the mesh to PEs"},
    {"router_mesh", "wires of the mesh"},
    {"router_to_hbm", "wires from the mesh to HBM"},
    {"hbm_to_router", "wires from HBM to the mesh"},
    {"router_to_sram", "wires from the mesh to SRAM"},
    {"sram_to_router", "wires from SRAM to the mesh"},
    {"ucie_conn_to_router", "connections of UCIe ports, to the mesh"},
    {"router_to_ucie_conn", "connections of UCIe ports, from the mesh"},
    {"ucie_mesh", "UCIe links between cubes"},
    {"io_internal", "wires of IO chiplets"},
    {"io_to_cube", "links from IO chiplets to cubes"},
    {"cube_to_io", "links from cubes to IO chiplets"},
    {"pcie", "PCIe links to the switch"},
};
constexpr Words kBlockWords[] = {
    {"hbm_ctrl", "HBM"},
    {"sram", "SRAM"},
    {"noc_router", "routers"},
    {"ucie", "UCIe ports"},
    {"switch", "switch"},
    {"pcie_ep", "PCIe endpoints"},
    {"io_cpu", "IO_CPU"},
    {"m_cpu", "M_CPU"},
    {"pe_cpu", "PE_CPU"},
    {"pe_dma", "PE_DMA"},
    {"pe_gemm", "PE_GEMM"},
    {"pe_math", "PE_MATH"},
    {"pe_tcm", "TCM"},
    {"pe_mmu", "PE_MMU"},
    {"pe_ipcq", "message queues (PE_IPCQ)"},
    {"pe_scheduler", "PE_SCHEDULER"},
};

template <std::size_t N>
std::string word(const Words (&table)[N], std::string_view kind) {
  for (const Words& one : table) {
    if (one.kind == kind) return std::string(one.text);
  }
  return std::string(kind);
}

}  // namespace

std::string words_of(EdgeKind kind) {
  return word(kWireWords, edge_kind_name(kind));
}

std::string words_of(NodeKind kind) {
  return word(kBlockWords, node_kind_name(kind));
}

std::string number(double value) {
  return fmt::format("{}", value);
}

std::string wire_name(const Graph& graph, const topology::Edge& edge) {
  return graph.node(edge.src).id + " -> " + graph.node(edge.dst).id;
}

Patterns::Patterns(const Graph& graph) {
  const auto add = [](Classes& classes, int kind, const std::string& name) {
    std::vector<Alike>& alike = classes[general(name)];
    auto found = std::find_if(alike.begin(), alike.end(), [&](const Alike& one) { return one.kind == kind; });
    if (found == alike.end()) found = alike.insert(alike.end(), {kind, name, {}});
    found->exact.insert(exact(name));
  };
  for (const topology::Edge& edge : graph.edges) {
    if (edge.kind != EdgeKind::pe_internal) add(wires_, static_cast<int>(edge.kind), wire_name(graph, edge));
  }
  for (const topology::Node& node : graph.nodes) add(blocks_, static_cast<int>(node.kind), node.id);
}

bool Patterns::matches_others(const Classes& classes, int kind, const std::string& pattern) {
  for (const auto& [name, alike] : classes) {
    for (const Alike& one : alike) {
      if (one.kind != kind && glob_match(pattern, one.first)) return true;
    }
  }
  return false;
}

// A pattern without digits matches all names of a class or none. `*` may also match what follows a number in the name
// of another kind; then each digit is a `?`.
std::vector<std::string> Patterns::patterns_of(const Classes& classes, int kind) {
  std::vector<std::string> patterns;
  for (const auto& [pattern, alike] : classes) {
    const auto found = std::find_if(alike.begin(), alike.end(), [&](const Alike& one) { return one.kind == kind; });
    const auto covers = [&](const std::string& other) { return glob_match(other, found->first); };
    if (found == alike.end() || std::any_of(patterns.begin(), patterns.end(), covers)) continue;
    std::string best;
    for (const std::string& one : shorter_patterns(pattern)) {
      if ((best.empty() || one.size() < best.size()) && !matches_others(classes, kind, one)) best = one;
    }
    if (!best.empty()) {
      patterns.push_back(best);
      continue;
    }
    for (const std::string& one : found->exact) {
      if (matches_others(classes, kind, one)) return {};
      patterns.push_back(one);
    }
  }
  return patterns;
}

std::vector<Relief> reliefs_of(const topology::LoadedTopology& machine, const std::vector<ClassUse>& uses) {
  std::vector<Relief> reliefs;
  const ReliefCase relief_case{machine.graph, uses, Patterns(machine.graph), kinds_of(machine.graph, uses)};
  add_wire_reliefs(relief_case, reliefs);
  add_block_reliefs(relief_case, reliefs);
  add_odd_reliefs(relief_case, reliefs);
  return reliefs;
}

}  // namespace kb::why
