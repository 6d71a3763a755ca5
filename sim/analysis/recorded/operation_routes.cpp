#include "sim/analysis/recorded/operation_routes.h"

#include <algorithm>
#include <mutex>

#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/routing/address_resolver.h"
#include "platform/routing/path_router.h"
#include "platform/topology/topology.h"

namespace kb::analysis {

struct OperationRoutes::Machine {
  explicit Machine(const std::string& spec)
      : topology(topology::load_text(spec, "topology.json")), resolver(topology.graph), router(topology.graph) {}

  NodeId node(const std::string& name) const {
    const auto found = topology.graph.find_node(name);
    if (!found) throw Error::configuration("topology.json has no node '" + name + "'");
    return *found;
  }
  std::vector<std::string> names(const routing::Route& route) const {
    std::vector<std::string> names;
    for (const NodeId id : route.nodes) names.push_back(topology.graph.node(id).id);
    return names;
  }

  topology::LoadedTopology topology;
  routing::AddressResolver resolver;
  std::mutex mutex;  // the router caches its routes
  routing::PathRouter router;
};

OperationRoutes::OperationRoutes(const std::string& spec) : machine_(std::make_unique<Machine>(spec)) {}
OperationRoutes::~OperationRoutes() = default;

std::vector<std::string> OperationRoutes::with_memory(const std::string& node, std::uint64_t address,
                                                      bool reads) const {
  const NodeId initiator = machine_->node(node);
  const NodeId memory = machine_->resolver.resolve_memory(address::PhysAddr::decode(address), 1);
  const std::lock_guard<std::mutex> lock(machine_->mutex);
  const auto route = [&]() -> const routing::Route& {
    switch (machine_->topology.graph.node(initiator).kind) {
      case topology::NodeKind::pe_dma:
        return machine_->router.find_path(initiator, memory);
      case topology::NodeKind::pcie_ep:
        return machine_->router.find_memory_path(initiator, memory);
      case topology::NodeKind::m_cpu:
        return machine_->router.find_mcpu_dma_path(initiator, memory);
      default:
        throw Error::configuration("'" + node + "' moves no data by itself");
    }
  };
  std::vector<std::string> names = machine_->names(route());
  if (reads) std::reverse(names.begin(), names.end());
  return names;
}

std::vector<std::string> OperationRoutes::between_pes(const std::string& sender, const std::string& receiver) const {
  const NodeId from = machine_->node(sender + ".pe_dma"), to = machine_->node(receiver + ".pe_dma");
  const std::lock_guard<std::mutex> lock(machine_->mutex);
  return machine_->names(machine_->router.find_path(from, to));
}

}  // namespace kb::analysis
