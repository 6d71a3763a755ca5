// A whole machine under raw traffic, with its insides in reach: event counts and the protocol checker.
#pragma once

#include <string>
#include <vector>

#include "platform/elab/platform.h"
#include "platform/topology/topology.h"
#include "sim/traffic/traffic.h"

namespace kb::test {

class LiveMachine final : private payload::IInitiator {
 public:
  explicit LiveMachine(const topology::LoadedTopology& topology);

  elab::Platform& platform() { return platform_; }
  // Issues one row at its absolute time, which must not be past.
  const payload::FabricRoute& issue(const sim::TraceRow& row);
  void run();
  std::size_t answered() const { return answered_; }

 private:
  void on_response(payload::Transaction& transaction) override;

  elab::Platform& platform_;  // never destroyed: SystemC takes long to, and the test's process ends soon
  std::size_t answered_ = 0;
};

}  // namespace kb::test
