#include "sim/run/driver/planning_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "platform/base/error.h"

namespace kb::sim {
namespace {

using topology::Graph;
using topology::MachineSpec;

// Sizes by which tensors are placed: with another one, the same choices would lay them elsewhere.
struct Size {
  const char* key;
  std::uint64_t (*of)(const MachineSpec& spec);
};
constexpr Size kSizes[] = {
    {"cube.components.hbm_ctrl.attrs.burst_bytes", [](const MachineSpec& spec) { return spec.flit_bytes(); }},
    {"cube.memory_map.hbm_total_gb_per_cube", [](const MachineSpec& spec) { return spec.hbm_bytes_per_cube; }},
    {"cube.memory_map.tcm_size_mb", [](const MachineSpec& spec) { return spec.tcm_bytes_per_pe; }},
    {"cube.memory_map.tcm_scheduler_reserved_bytes",
     [](const MachineSpec& spec) { return spec.tcm_scheduler_reserved_bytes; }},
    {"cube.memory_map.tcm_kernel_scratch_bytes", [](const MachineSpec& spec) { return spec.tcm_kernel_scratch_bytes; }},
    {"cube.components.sram.attrs.size_mb", [](const MachineSpec& spec) { return spec.sram_bytes_per_cube; }},
    {"cube.memory_map.page_size", [](const MachineSpec& spec) { return spec.page_size; }},
    {"cube.memory_map.address_model",
     [](const MachineSpec& spec) { return static_cast<std::uint64_t>(spec.address_model); }},
};

std::string link_text(const Graph& graph, const topology::Edge& edge) {
  return graph.node(edge.src).id + " -> " + graph.node(edge.dst).id;
}

// The first entry of `ours` or `theirs` that the other one does not have at its place.
std::string difference(const char* what, std::size_t ours, std::size_t theirs,
                       const std::function<std::string(std::size_t)>& our_name,
                       const std::function<std::string(std::size_t)>& their_name) {
  for (std::size_t i = 0; i < std::max(ours, theirs); ++i) {
    const std::string mine = i < ours ? our_name(i) : "", other = i < theirs ? their_name(i) : "";
    if (mine == other) continue;
    if (other.empty()) return fmt::format("this machine has the {} {}, the pins do not", what, mine);
    if (mine.empty()) return fmt::format("the pins have the {} {}, this machine does not", what, other);
    return fmt::format("{} {} of this machine is {} of the pins", what, mine, other);
  }
  return "";
}

}  // namespace

std::string misfit_of(const Graph& plan, const Graph& graph) {
  const auto node = [](const Graph& of) {
    return [&of](std::size_t i) { return of.nodes[i].id + " (" + std::string(node_kind_name(of.nodes[i].kind)) + ")"; };
  };
  const auto link = [](const Graph& of) { return [&of](std::size_t i) { return link_text(of, of.edges[i]); }; };
  std::string text = difference("node", graph.nodes.size(), plan.nodes.size(), node(graph), node(plan));
  if (text.empty()) text = difference("link", graph.edges.size(), plan.edges.size(), link(graph), link(plan));
  if (!text.empty()) return text;
  for (const Size& size : kSizes) {
    const std::uint64_t ours = size.of(graph.spec), theirs = size.of(plan.spec);
    if (ours != theirs) return fmt::format("{} makes {} here and {} in the pins", size.key, ours, theirs);
  }
  return "";
}

topology::LoadedTopology machine_of(const result::MachineText& text, const topology::Implementations& implementations) {
  std::vector<std::pair<std::string, std::string>> overrides;
  for (const std::string& set : text.set) {
    const std::size_t equals = set.find('=');
    overrides.emplace_back(set.substr(0, equals), equals == std::string::npos ? "" : set.substr(equals + 1));
  }
  return topology::load_text(text.text, text.name, overrides, implementations);
}

std::shared_ptr<const topology::LoadedTopology> planning_machine(const result::Inputs& inputs, const std::string& file,
                                                                 const topology::LoadedTopology& machine,
                                                                 const topology::Implementations& implementations) {
  const result::MachineText& text = inputs.pins ? *inputs.pins : inputs.topology;
  auto plan = std::make_shared<const topology::LoadedTopology>(machine_of(text, implementations));
  const std::string misfit = misfit_of(plan->graph, machine.graph);
  if (!misfit.empty()) {
    throw Error({Diagnostic{"--pins " + file, 0, 0, "", "these pins are of another machine: " + misfit,
                            "take the pins of a run on this machine, or leave --pins out"}});
  }
  return plan;
}

}  // namespace kb::sim
