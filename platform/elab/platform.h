// The elaborated machine: one module per graph node, bound along the graph's edges. The SystemC hierarchy is that of
// the machine: platform.sip0.cube3.pe5.pe_dma.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "platform/base/error.h"
#include "platform/elab/block.h"
#include "platform/elab/registry.h"
#include "platform/elab/route_table.h"
#include "platform/resource/resource_table.h"

namespace kb::elab {

struct PlatformOptions {
  contract::IOperationSink* operations = nullptr;
  const contract::IKernelCatalog* kernels = nullptr;
  contract::ISignalObserver* observer = nullptr;
  contract::IBlockLog* log = nullptr;
  contract::IOrderObserver* order = nullptr;
  record::ActivityRecorder* recorder = nullptr;
  payload::IHopObserver* hops = nullptr;
  dram::CommandLog* dram = nullptr;
  bool check_foreign = true;  // check the fabric protocol on links of plug-in blocks
  // The machine by which routes and the host program are chosen, with the nodes and links of the simulated one, which
  // has the times; null: the simulated one. It must outlive the platform.
  const topology::Graph* plan = nullptr;
};

// Builds the modules in compile order (T-31) and binds them edge by edge. A process can have one platform (SystemC
// elaborates once).
class Platform final : public sc_core::sc_module {
 public:
  Platform(const sc_core::sc_module_name& name, const topology::Graph& graph, const BlockRegistry& registry,
           const PlatformOptions& options = {});
  ~Platform() override;

  const topology::Graph& graph() const { return graph_; }
  const topology::Graph& plan() const { return plan_; }
  BlockContext& context() { return context_; }
  EventScheduler& scheduler() { return scheduler_; }
  payload::TransactionPool& pool() { return pool_; }
  RouteTable& routes() { return routes_; }
  const resource::ResourceTable& resources() const { return resources_; }

  Block& block(NodeId node) const { return *blocks_[node.value]; }
  Block& block(std::string_view id) const;  // model Error when absent
  // The block as one of the interfaces i_*.h; configuration Error when its implementation does not provide the
  // interface.
  template <typename T>
  T& block_as(NodeId node) const;

  // The statistics of a block: its own, and those of its declared resources.
  std::vector<Statistic> statistics_of(NodeId node) const;

  // Calls conclude() of every block; must precede the collection of statistics and the writing of waveforms.
  void conclude();

  // All outstanding work, in node order.
  std::vector<WaitInfo> waits() const;

 private:
  const topology::Graph& graph_;
  const topology::Graph& plan_;
  PortMap ports_;
  EventScheduler scheduler_;
  payload::TransactionPool pool_;
  RouteTable routes_;
  resource::ResourceTable resources_;
  BlockContext context_;
  std::vector<std::unique_ptr<sc_core::sc_module>> containers_;  // SIPs, cubes and PEs: parents of the blocks
  std::vector<std::unique_ptr<Block>> blocks_;                   // indexed by NodeId; null for `host`
};

template <typename T>
constexpr auto role_of(int) -> decltype(T::kRole) {
  return T::kRole;
}
template <typename T>
constexpr const char* role_of(...) {
  return "a block of another type";
}

template <typename T>
T& Platform::block_as(NodeId node) const {
  auto* typed = dynamic_cast<T*>(blocks_[node.value].get());
  if (typed == nullptr) {
    throw Error::configuration("node " + graph_.node(node).id + " is needed as " + role_of<T>(0) +
                               ", which its implementation '" + graph_.node(node).impl + "' is not");
  }
  return *typed;
}

}  // namespace kb::elab
