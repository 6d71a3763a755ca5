// A single fabric block between scripted neighbours, on a hand-made graph. Usable with and without a test framework:
//
//   using namespace kb::literals;  // 10_ns
//   kb::test::FabricFixture fixture;
//   const kb::NodeId router = fixture.add_block("router", my_router(), {{"overhead_ns", 2.0}}, {{"lanes", 4}});
//   const kb::NodeId a = fixture.add_scripted("a"), b = fixture.add_scripted("b");
//   fixture.link(a, router, 0.0, 256.0);  // GB/s there and back: 256 B take no time, then 1 ns
//   fixture.link(b, router, 0.0, 256.0);
//   fixture.start();
//   auto& write = fixture.transaction(kb::payload::Op::write, {a, router, b}, 512);
//   fixture.scripted(a).request(write, 10_ns);  // arrives at the router at 10 ns
//   assert(fixture.run().empty());              // the router has kept the protocol
//   fixture.times(router, b);                   // when its flits arrived at b
//
// SystemC elaborates once per process, so that each fixture needs its own process; gtest_discover_tests() provides
// that.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "modules/fabric/protocol_checker.h"
#include "modules/kit/params.h"
#include "modules/kit/scripted_node.h"
#include "modules/kit/waves.h"
#include "platform/elab/platform.h"
#include "platform/elab/registry.h"

namespace kb::test {

using Arrival = modules::LinkArrival;
using modules::ProtocolChecker;

class FabricFixture {
 public:
  explicit FabricFixture(std::int64_t flit_bytes = 256);
  ~FabricFixture();

  // Must be called before start(). Adds the block under test, registered as in a plug-in, with parameters of its kind
  // and its own ones; omitted parameters have their defaults.
  NodeId add_block(const std::string& id, elab::BlockDefinition block, const Values& params = {},
                   const Values& own = {});
  // Adds a built-in block by its `impl`, or a scripted node; `own`: parameters that only this implementation has.
  NodeId add(const std::string& id, topology::NodeKind kind, const std::string& impl, const Values& params = {},
             const Values& own = {});
  NodeId add_scripted(const std::string& id);
  // Adds a scripted node as the router of an HBM channel.
  NodeId add_channel(const std::string& id, std::int64_t channel);
  // Adds both directions; bandwidths in GB/s, 0 = no serialisation; propagation in ns, 0 = the minimum of 1 fs.
  void link(NodeId a, NodeId b, double bw_there, double bw_back, double propagation_ns = 0.0);

  // Elaborates (once per process) and attaches the protocol checker.
  void start();
  ScriptedNode& scripted(NodeId node) { return platform().block_as<ScriptedNode>(node); }
  elab::Platform& platform() { return *platform_; }
  ProtocolChecker& checker() { return *checker_; }

  // A transaction along consecutive neighbours; it lives as long as the fixture.
  payload::Transaction& transaction(payload::Op op, const std::vector<NodeId>& route, std::uint64_t bytes,
                                    std::uint64_t hbm_offset = 0);
  // Runs until there is no activity. Returns the violations of the blocks; empty when the protocol was kept and no
  // exception was thrown.
  std::vector<std::string> run();
  // Ends the test without a further run: blocks report their remaining records, and the waveforms become complete.
  void end();
  const Waves& waves() const { return waves_; }
  // Sums of the waits for a resource of a block, by cause.
  std::vector<TimeFs> waits(NodeId node, const std::string& resource_name) const;
  // Arrival times on an edge, in order.
  std::vector<TimeFs> times(NodeId from, NodeId to) const;

 private:
  topology::Graph graph_;
  std::deque<elab::BlockDefinition> blocks_;
  Waves waves_;
  std::unique_ptr<elab::Platform> platform_;
  std::unique_ptr<ProtocolChecker> checker_;
  std::vector<std::unique_ptr<payload::FabricRoute>> routes_;
};

}  // namespace kb::test
