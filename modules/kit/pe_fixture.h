// A single PE block that gets commands from a script at exact times. Usable with and without a test framework:
//
//   using namespace kb::literals;  // 10_ns
//   kb::test::PeFixture pe;
//   pe.add_block(my_math(), {{"overhead_ns", 0.0}}, {{"lanes", std::int64_t{4}}});
//   pe.start();
//   pe.give(10_ns, kb::topology::NodeKind::pe_math, kb::test::math(kb::MathOp::add, {{65}, {65}}, {65}));
//   assert(pe.run().empty());       // the block has kept the protocol
//   pe.outcomes()[0].end;           // when the engine was done
//
// The other blocks of the PE are built-in ones, and memories answer after a fixed time. SystemC elaborates once per
// process, so that each fixture needs its own process; gtest_discover_tests() provides that.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/kit/commands.h"
#include "modules/kit/params.h"
#include "modules/kit/scripted_memory.h"
#include "modules/kit/scripted_requester.h"
#include "modules/kit/waves.h"
#include "platform/elab/platform.h"
#include "platform/elab/registry.h"
#include "platform/topology/topology.h"

namespace kb::test {

class PeFixture {
 public:
  // The script replaces the block of kind `script`: PE_SCHEDULER, which sends commands to engines, or PE_CPU, which
  // sends all commands to PE_SCHEDULER. `set` changes topology keys like --set.
  explicit PeFixture(topology::NodeKind script = topology::NodeKind::pe_scheduler,
                     const std::vector<std::pair<std::string, std::string>>& set = {});
  ~PeFixture();

  // Must be called before start(). Adds the block under test, registered as in a plug-in; omitted parameters of its
  // kind have the values of the machine, its own ones have their defaults.
  NodeId add_block(elab::BlockDefinition definition, const Values& params = {}, const Values& own = {});
  // Elaborates (once per process).
  void start();

  // Makes the script send `command` to the block of kind `to` at time `at`. Returns its index in outcomes().
  std::size_t give(TimeFs at, topology::NodeKind to, contract::Command command);
  std::size_t give(Request request);
  // Runs until there is no activity. Returns the problems; empty when the protocol was kept, no exception was thrown
  // and every command was answered.
  std::vector<std::string> run();
  const std::vector<Outcome>& outcomes() const;

  MemoryScript memory;  // answers of the HBM controller and the SRAM, and their received requests
  const Waves& waves() const { return waves_; }
  elab::Platform& platform() { return *platform_; }
  NodeId node(topology::NodeKind kind) const;
  // Statistics of the block of a kind, by name; times in fs.
  std::map<std::string, std::int64_t> statistics(topology::NodeKind kind) const;

 private:
  topology::LoadedTopology topology_;
  std::deque<elab::BlockDefinition> blocks_;  // own the tables to which the node parameters refer
  elab::BlockRegistry registry_;
  Waves waves_;
  std::unique_ptr<elab::Platform> platform_;
  std::vector<IScriptedRequester*> scripts_;
  std::vector<Request> requests_;
};

}  // namespace kb::test
