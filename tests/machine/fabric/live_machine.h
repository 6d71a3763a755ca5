// A machine with raw traffic and access to internals: event counts, the protocol checker and waveforms.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/elab/platform.h"
#include "platform/topology/topology.h"
#include "sim/ports/traffic/traffic.h"
#include "tests/support/plain_fabric.h"

namespace kb::test {

// Converts the issued rows to the oracle's form.
std::vector<PlainRequest> plain_requests(const std::vector<sim::TrafficResult>& results);

class LiveMachine final : private payload::IInitiator, private elab::EventHandler {
 public:
  explicit LiveMachine(const topology::LoadedTopology& topology, contract::ISignalObserver* observer = nullptr,
                       record::ActivityRecorder* recorder = nullptr, payload::IHopObserver* hops = nullptr);

  elab::Platform& platform() { return platform_; }
  // Issues one row at its absolute time, which must not be past.
  const payload::FabricRoute& issue(const sim::TraceRow& row);
  // Like issue(), but allocates the transaction from the pool only shortly before its issue time, so that it may reuse
  // one that has ended. Rows with equal issue times are issued in the order of the calls.
  void issue_when_due(const sim::TraceRow& row);
  // Places of the rows that are issued from now on, in their order; without it rows are nobody's.
  void set_places(std::vector<account::PlaceId> places) { places_ = std::move(places); }
  void run();
  // Ends the simulation and completes the waveforms.
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

  elab::Platform& platform_;  // never destroyed, because that takes SystemC long
  std::vector<sim::TrafficResult> results_;
  std::vector<std::size_t> rows_;
  std::vector<account::PlaceId> places_;  // by row; may be empty
  std::size_t answered_ = 0;
};

}  // namespace kb::test
