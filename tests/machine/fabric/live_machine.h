// A whole machine under raw traffic, with its insides in reach: event counts and the protocol checker.
#pragma once

#include <string>
#include <vector>

#include "platform/elab/platform.h"
#include "platform/topology/topology.h"
#include "sim/traffic/traffic.h"

namespace kb::test {

class LiveMachine final : private payload::IInitiator, private elab::EventHandler {
 public:
  explicit LiveMachine(const topology::LoadedTopology& topology);

  elab::Platform& platform() { return platform_; }
  // Issues one row at its absolute time, which must not be past.
  const payload::FabricRoute& issue(const sim::TraceRow& row);
  // The same, but the transaction is taken from the pool shortly before: it may be one that has ended. Rows of one
  // issue time are issued in the order of the calls.
  void issue_when_due(const sim::TraceRow& row);
  void run();
  std::size_t answered() const { return answered_; }
  // In the order in which the rows were passed in.
  const std::vector<sim::TrafficResult>& results() const { return results_; }

 private:
  void on_event(TimeFs now, std::uint64_t index) override;
  void on_response(payload::Transaction& transaction) override;
  const payload::FabricRoute& start(std::size_t index);

  elab::Platform& platform_;  // never destroyed: SystemC takes long to, and the test's process ends soon
  std::vector<sim::TrafficResult> results_;
  std::size_t answered_ = 0;
};

}  // namespace kb::test
