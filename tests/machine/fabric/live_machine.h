// A whole machine under raw traffic, with its insides in reach: event counts, the protocol checker and waveforms.
#pragma once

#include <string>
#include <vector>

#include "platform/elab/platform.h"
#include "platform/topology/topology.h"
#include "sim/ports/traffic/traffic.h"
#include "tests/support/plain_fabric.h"

namespace kb::test {

// The rows that were issued, as the oracle takes them.
std::vector<PlainRequest> plain_requests(const std::vector<sim::TrafficResult>& results);

class LiveMachine final : private payload::IInitiator, private elab::EventHandler {
 public:
  explicit LiveMachine(const topology::LoadedTopology& topology, contract::ISignalObserver* observer = nullptr);

  elab::Platform& platform() { return platform_; }
  // Issues one row at its absolute time, which must not be past.
  const payload::FabricRoute& issue(const sim::TraceRow& row);
  // The same, but the transaction is taken from the pool shortly before: it may be one that has ended. Rows of one
  // issue time are issued in the order of the calls.
  void issue_when_due(const sim::TraceRow& row);
  void run();
  // No further run: the waveforms are complete from here on.
  void end() { platform_.conclude(); }
  std::size_t answered() const { return answered_; }
  // In the order in which the rows were passed in.
  const std::vector<sim::TrafficResult>& results() const { return results_; }
  // Row of a transaction by its id.
  const std::vector<std::size_t>& rows() const { return rows_; }

 private:
  void on_event(TimeFs now, std::uint64_t index) override;
  void on_response(payload::Transaction& transaction) override;
  const payload::FabricRoute& start(std::size_t index);

  elab::Platform& platform_;  // never destroyed: SystemC takes long to, and the test's process ends soon
  std::vector<sim::TrafficResult> results_;
  std::vector<std::size_t> rows_;
  std::size_t answered_ = 0;
};

}  // namespace kb::test
