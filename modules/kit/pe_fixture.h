// One block of a PE alone: a script gives it commands at exact times. With a test framework or without:
//
//   using namespace kb::literals;  // 10_ns
//   kb::test::PeFixture pe;
//   pe.add_block(my_math(), {{"overhead_ns", 0.0}}, {{"lanes", std::int64_t{4}}});
//   pe.start();
//   pe.give(10_ns, kb::topology::NodeKind::pe_math, kb::test::math(kb::MathOp::add, {{65}, {65}}, {65}));
//   assert(pe.run().empty());       // the block has kept the protocol
//   pe.outcomes()[0].end;           // when the engine was done
//
// The other blocks of the PE are the built-in ones, and memories answer after a time. SystemC elaborates once in a
// process, so each fixture needs one of its own; gtest_discover_tests() does that.
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
  // The script stands for the block of that kind: PE_SCHEDULER, which gives engines their commands, or PE_CPU, which
  // gives all of them to PE_SCHEDULER. `set` changes keys of the topology, as --set does.
  explicit PeFixture(topology::NodeKind script = topology::NodeKind::pe_scheduler,
                     const std::vector<std::pair<std::string, std::string>>& set = {});
  ~PeFixture();

  // Before start(). The block under test, as a plug-in registers it: parameters of its kind and its own, those that are
  // left out have the values of the machine and their defaults.
  NodeId add_block(elab::BlockDefinition definition, const Values& params = {}, const Values& own = {});
  // Elaborates, once per process.
  void start();

  // The script gives `command` to the block of kind `to` at a time. Its number is its place in outcomes().
  std::size_t give(TimeFs at, topology::NodeKind to, contract::Command command);
  std::size_t give(Request request);
  // Until nothing happens any more. Returns what went wrong: an empty list when the protocol was kept, nothing was
  // thrown and every command was answered.
  std::vector<std::string> run();
  const std::vector<Outcome>& outcomes() const;

  MemoryScript memory;  // what the HBM controller and the SRAM answer, and what came to them
  const Waves& waves() const { return waves_; }
  elab::Platform& platform() { return *platform_; }
  NodeId node(topology::NodeKind kind) const;
  // Values of the block of a kind as they stand in reports, by name; times in fs.
  std::map<std::string, std::int64_t> statistics(topology::NodeKind kind) const;

 private:
  topology::LoadedTopology topology_;
  std::deque<elab::BlockDefinition> blocks_;  // whose tables the parameters of their nodes refer to
  elab::BlockRegistry registry_;
  Waves waves_;
  std::unique_ptr<elab::Platform> platform_;
  std::vector<IScriptedRequester*> scripts_;
  std::vector<Request> requests_;
};

}  // namespace kb::test
