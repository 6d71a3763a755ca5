// One fabric block alone between scripted neighbours, on a graph made by hand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/elab/platform.h"
#include "tests/support/params.h"
#include "tests/support/protocol_checker.h"
#include "tests/support/scripted_node.h"
#include "tests/support/waves.h"

namespace kb::test {

class FabricFixture {
 public:
  explicit FabricFixture(std::int64_t flit_bytes = 256);
  ~FabricFixture();

  // Before start(). A block of the product by its `impl`, or a scripted node.
  NodeId add(const std::string& id, topology::NodeKind kind, const std::string& impl, const Values& params = {});
  NodeId add_scripted(const std::string& id);
  // A scripted node that stands for the router of an HBM channel.
  NodeId add_channel(const std::string& id, std::int64_t channel);
  // Both directions; bandwidths in GB/s, 0 = no serialisation; propagation in ns, 0 = the least there is (1 fs).
  void link(NodeId a, NodeId b, double bw_there, double bw_back, double propagation_ns = 0.0);

  // Elaborates (once per process) and puts the protocol checker in place.
  void start();
  ScriptedNode& scripted(NodeId node) { return platform().block_as<ScriptedNode>(node); }
  elab::Platform& platform() { return *platform_; }
  ProtocolChecker& checker() { return *checker_; }

  // A transaction along consecutive neighbours; kept for the whole test.
  payload::Transaction& transaction(payload::Op op, const std::vector<NodeId>& route, std::uint64_t bytes,
                                    std::uint64_t hbm_offset = 0);
  // Until nothing happens any more; the protocol was kept if no problem is returned.
  std::vector<std::string> run();
  // No further run: blocks report what they keep to the end. The waveforms are complete from here on.
  void end();
  const Waves& waves() const { return waves_; }
  // Arrival times on an edge, in order.
  std::vector<TimeFs> times(NodeId from, NodeId to) const;

 private:
  topology::Graph graph_;
  Waves waves_;
  std::unique_ptr<elab::Platform> platform_;
  std::unique_ptr<ProtocolChecker> checker_;
  std::vector<std::unique_ptr<payload::FabricRoute>> routes_;
};

}  // namespace kb::test
