#include "modules/kit/fabric_fixture.h"

#include <utility>

#include "modules/catalog.h"

namespace kb::test {

FabricFixture::FabricFixture(std::int64_t flit_bytes) {
  graph_.spec.ns_per_mm = 1.0;
  graph_.spec.cube_components["hbm_ctrl"].params =
      params_of(topology::NodeKind::hbm_ctrl, {{"burst_bytes", flit_bytes}});
}

FabricFixture::~FabricFixture() = default;

NodeId FabricFixture::add(const std::string& id, topology::NodeKind kind, const std::string& impl, const Values& params,
                          const Values& own) {
  topology::Node node;
  node.id = id;
  node.kind = kind;
  node.impl = impl;
  set_params(node, params);
  if (const auto* const table = topology::fields_of_impl(topology::builtin_only(), kind, impl)) {
    node.impl_params = with_values(params::ParamSet(*table), own);
  }
  graph_.nodes.push_back(node);
  return NodeId(static_cast<std::uint32_t>(graph_.nodes.size() - 1));
}

NodeId FabricFixture::add_block(const std::string& id, elab::BlockDefinition block, const Values& params,
                                const Values& own) {
  blocks_.push_back(std::move(block));
  const elab::BlockDefinition& added = blocks_.back();
  const NodeId node = add(id, added.kind, added.impl, params);
  graph_.nodes[node.value].impl_params = with_values(params::ParamSet(added.fields), own);
  graph_.nodes[node.value].foreign = added.origin == topology::Origin::foreign;
  return node;
}

NodeId FabricFixture::add_scripted(const std::string& id) {
  return add(id, topology::NodeKind::noc_router, "test.scripted");
}

NodeId FabricFixture::add_channel(const std::string& id, std::int64_t channel) {
  const NodeId node = add(id, topology::NodeKind::channel_router, "test.scripted");
  graph_.nodes[node.value].channel = channel;
  return node;
}

void FabricFixture::link(NodeId a, NodeId b, double bw_there, double bw_back, double propagation_ns) {
  const auto edge = [&](NodeId from, NodeId to, double bw) {
    topology::Edge e;
    e.src = from;
    e.dst = to;
    e.kind = topology::EdgeKind::router_mesh;
    e.distance_mm = propagation_ns;
    e.bw = Bandwidth(bw);
    graph_.edges.push_back(e);
  };
  edge(a, b, bw_there);
  edge(b, a, bw_back);
}

void FabricFixture::start() {
  graph_.finish();
  elab::BlockRegistry registry = modules::builtin_registry();
  for (const elab::BlockDefinition& block : blocks_) registry[block.impl] = block.factory;
  registry["test.scripted"] = elab::make_factory<ScriptedNode>();
  elab::PlatformOptions options;
  options.observer = &waves_;
  options.check_foreign = false;  // the checker below lists all problems instead of ending the run
  platform_ = std::make_unique<elab::Platform>("fixture", graph_, registry, options);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  checker_ = std::make_unique<ProtocolChecker>(*platform_);
}

payload::Transaction& FabricFixture::transaction(payload::Op op, const std::vector<NodeId>& nodes, std::uint64_t bytes,
                                                 std::uint64_t hbm_offset) {
  routes_.push_back(std::make_unique<payload::FabricRoute>());
  payload::FabricRoute& route = *routes_.back();
  const elab::PortMap& ports = platform_->context().ports;
  route.nodes = nodes;
  route.ports.resize(nodes.size());
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    route.ports[i].forward = ports.port_towards(nodes[i], nodes[i + 1]);
    route.ports[i + 1].reverse = ports.port_towards(nodes[i + 1], nodes[i]);
  }
  payload::Transaction& transaction = platform_->pool().acquire(op, route, 0, bytes);
  transaction.hbm_offset = hbm_offset;
  return transaction;
}

std::vector<std::string> FabricFixture::run() {
  std::vector<std::string> thrown;
  try {
    sc_core::sc_start();
  } catch (const std::exception& error) {
    thrown.emplace_back(error.what());
  }
  std::vector<std::string> problems = checker_->finish();
  problems.insert(problems.end(), thrown.begin(), thrown.end());
  return problems;
}

void FabricFixture::end() {
  platform_->conclude();
}

std::vector<TimeFs> FabricFixture::waits(NodeId node, const std::string& resource_name) const {
  for (const resource::Resource* const one : platform_->resources().of(node)) {
    if (one->declaration().name == resource_name) return one->sums().waits;
  }
  return {};
}

std::vector<TimeFs> FabricFixture::times(NodeId from, NodeId to) const {
  std::vector<TimeFs> list;
  for (const Arrival& arrival : checker_->arrivals(from, to)) list.push_back(arrival.time);
  return list;
}

}  // namespace kb::test
