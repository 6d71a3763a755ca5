#include "platform/elab/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <utility>

#include "platform/base/nearest.h"
#include "platform/elab/foreign_call.h"

namespace kb::elab {
namespace {

// Names in the SystemC hierarchy must not contain '.' or '-' (T-42); the node id stays the block's identity.
std::string module_name(std::string id) {
  std::replace(id.begin(), id.end(), '.', '_');
  std::replace(id.begin(), id.end(), '-', '_');
  return id;
}

// A SIP, a cube or a PE: the parent of the modules that `build` creates.
class Container final : public sc_core::sc_module {
 public:
  Container(const sc_core::sc_module_name& name, const std::function<void()>& build) : sc_core::sc_module(name) {
    build();
  }
};

// The containers of a node, outermost first.
std::vector<std::string> containers_of(const topology::Node& node) {
  std::vector<std::string> names;
  if (node.sip.valid()) names.push_back(fmt::format("sip{}", node.sip.value));
  if (node.cube.valid()) names.push_back(fmt::format("cube{}", node.cube.value));
  if (topology::is_pe_block(node.kind)) names.push_back(fmt::format("pe{}", node.pe.value));
  return names;
}

// Creates blocks in compile order, in which the blocks of a container are contiguous (T-31).
class Hierarchy {
 public:
  using Make = std::function<void(const std::string& name, NodeId node)>;
  using BeginPe = std::function<void(const PeCoord& pe)>;
  Hierarchy(const topology::Graph& graph, std::vector<std::unique_ptr<sc_core::sc_module>>& containers,
            BeginPe begin_pe, Make make)
      : graph_(graph), containers_(containers), begin_pe_(std::move(begin_pe)), make_(std::move(make)) {}

  void build() { build({}); }

 private:
  void build(const std::vector<std::string>& inside) {
    std::size_t prefix = 0;
    for (const std::string& name : inside) prefix += name.size() + 1;
    for (; next_ < graph_.nodes.size();) {
      const topology::Node& node = graph_.nodes[next_];
      const std::vector<std::string> path = containers_of(node);
      if (path.size() < inside.size() || !std::equal(inside.begin(), inside.end(), path.begin())) return;
      if (path.size() == inside.size()) {
        make_(module_name(node.id.substr(prefix)), NodeId(static_cast<std::uint32_t>(next_++)));
        continue;
      }
      const std::vector<std::string> deeper(path.begin(),
                                            path.begin() + static_cast<std::ptrdiff_t>(inside.size()) + 1);
      const bool is_pe = deeper.size() == path.size() && topology::is_pe_block(node.kind);
      containers_.push_back(std::make_unique<Container>(deeper.back().c_str(), [&] {
        if (is_pe) begin_pe_(node.pe_coord());
        build(deeper);
      }));
    }
  }

  const topology::Graph& graph_;
  std::vector<std::unique_ptr<sc_core::sc_module>>& containers_;
  BeginPe begin_pe_;
  Make make_;
  std::size_t next_ = 0;
};

const BlockFactory& factory_of(const BlockRegistry& registry, const topology::Node& node) {
  const auto found = registry.find(node.impl);
  if (found != registry.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& entry : registry) names.push_back(entry.first);
  throw Error::configuration("node " + node.id + " names the implementation '" + node.impl +
                             "', which is not registered (" + suggest(node.impl, names) + ")");
}

// An exception in the constructor of a plug-in block is reported as a fault of that block.
std::unique_ptr<Block> make_block(const BlockFactory& factory, const std::string& name, const topology::Node& node,
                                  NodeId id, BlockContext& context) {
  const auto refuse = [&](const std::string& why) {
    return Error::configuration("node " + node.id + ": its implementation '" + node.impl + "' cannot be made: " + why);
  };
  std::unique_ptr<Block> block;
  const UserCodeScope scope(node, 0_fs);
  try {
    block = factory(name.c_str(), id, context);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    if (!node.foreign) throw;
    throw refuse(error.what());
  } catch (...) {
    throw refuse("it threw an object that is not a std::exception");
  }
  if (block == nullptr) throw refuse("its factory gives no block");
  return block;
}

}  // namespace

Platform::Platform(const sc_core::sc_module_name& name, const topology::Graph& graph, const BlockRegistry& registry,
                   const PlatformOptions& options)
    : sc_core::sc_module(name),
      graph_(graph),
      plan_(options.plan != nullptr ? *options.plan : graph),
      ports_(graph),
      scheduler_("scheduler"),
      pool_(graph.spec.flit_bytes()),
      routes_(graph, plan_, ports_),
      resources_({options.recorder, options.observer, options.log}, [this] { return scheduler_.now(); }),
      context_{graph,
               scheduler_,
               pool_,
               routes_,
               ports_,
               resources_,
               options.operations,
               options.kernels,
               options.observer,
               options.log,
               options.order,
               options.recorder,
               options.hops,
               options.dram,
               options.check_foreign,
               {},
               {},
               {}} {
  blocks_.resize(graph.nodes.size());
  const auto begin_pe = [&](const PeCoord& pe) {
    if (registry.pe_parts) context_.pes.emplace(pe, registry.pe_parts(pe, context_));
  };
  Hierarchy hierarchy(graph, containers_, begin_pe, [&](const std::string& module, NodeId id) {
    const topology::Node& node = graph.node(id);
    if (node.kind == topology::NodeKind::host) return;  // represented by the request injector at PCIE_EP (T-39)
    blocks_[id.value] = make_block(factory_of(registry, node), module, node, id, context_);
  });
  hierarchy.build();
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
    if (block == nullptr) continue;
    const UserCodeScope scope(block->node_record(), scheduler_.now());
    block->conclude();
  }
  resources_.conclude();
}

std::vector<Statistic> Platform::statistics_of(NodeId node) const {
  std::vector<Statistic> statistics;
  const Block* const block = blocks_[node.value].get();
  if (block == nullptr) return statistics;
  const UserCodeScope scope(block->node_record(), scheduler_.now());
  block->collect_statistics(statistics);
  for (const resource::Resource* const declared : resources_.of(node)) add_statistics(*declared, statistics);
  return statistics;
}

std::vector<WaitInfo> Platform::waits() const {
  std::vector<WaitInfo> waits;
  for (const auto& block : blocks_) {
    if (block == nullptr) continue;
    std::size_t first = waits.size();
    const UserCodeScope scope(block->node_record(), scheduler_.now());
    block->collect_waits(waits);
    for (; first < waits.size(); ++first) waits[first].node = block->node();
  }
  return waits;
}

}  // namespace kb::elab
