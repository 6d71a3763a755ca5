#include "platform/elab/platform.h"

#include <algorithm>

#include "platform/base/nearest.h"

namespace kb::elab {
namespace {

// SystemC hierarchy names hold neither '.' nor '-' (T-42); the node id stays the block's identity.
std::string module_name(const std::string& id) {
  std::string name = id;
  std::replace(name.begin(), name.end(), '.', '_');
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

const BlockFactory& factory_of(const BlockRegistry& registry, const topology::Node& node) {
  const auto found = registry.find(node.impl);
  if (found != registry.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& entry : registry) names.push_back(entry.first);
  throw Error::configuration("node " + node.id + " names the implementation '" + node.impl +
                             "', which is not registered (" + suggest(node.impl, names) + ")");
}

}  // namespace

Platform::Platform(const sc_core::sc_module_name& name, const topology::Graph& graph, const BlockRegistry& registry,
                   const PlatformOptions& options)
    : sc_core::sc_module(name),
      graph_(graph),
      ports_(graph),
      scheduler_("scheduler"),
      pool_(graph.spec.flit_bytes()),
      routes_(graph, ports_),
      context_{graph,           scheduler_,       pool_, routes_, ports_, options.operations,
               options.kernels, options.observer, {},    {},      {}} {
  blocks_.resize(graph.nodes.size());
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const topology::Node& node = graph.nodes[i];
    if (node.kind == topology::NodeKind::host) continue;  // stands for the request injector at PCIE_EP (T-39)
    blocks_[i] = factory_of(registry, node)(module_name(node.id).c_str(), NodeId(i), context_);
  }
  for (std::uint32_t e = 0; e < graph.edges.size(); ++e) {
    const topology::Edge& edge = graph.edges[e];
    blocks_[edge.src.value]->bind_out(EdgeId(e), *blocks_[edge.dst.value]);
  }
}

Platform::~Platform() = default;

Block& Platform::block(std::string_view id) const {
  const std::optional<NodeId> node = graph_.find_node(id);
  if (!node || blocks_[node->value] == nullptr) throw Error::model("there is no block " + std::string(id));
  return *blocks_[node->value];
}

void Platform::conclude() {
  for (const auto& block : blocks_) {
    if (block != nullptr) block->conclude();
  }
}

std::vector<WaitInfo> Platform::waits() const {
  std::vector<WaitInfo> waits;
  for (const auto& block : blocks_) {
    if (block != nullptr) block->collect_waits(waits);
  }
  return waits;
}

}  // namespace kb::elab
