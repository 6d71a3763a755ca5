// Who observes a simulation, as far as its result asks for it. Observing never moves a simulated time.
#pragma once

#include <optional>
#include <utility>

#include "platform/check/race_checker.h"
#include "platform/record/activity_recorder.h"
#include "platform/topology/graph.h"
#include "sim/analysis/findings/operation_costs.h"
#include "sim/run/driver/run_record.h"
#include "sim/run/driver/simulation.h"

namespace kb::sim {

struct ObserverChoice {
  bool activity = false;  // how busy everything is, for the findings and for a database of operations
  // With bins of its own, which divide launches; the run has no findings then, which are about whole launches.
  std::optional<std::pair<TimeFs, TimeFs>> window;
  bool races = false;
};

class RunObservers {
 public:
  // `graph` outlives it.
  RunObservers(const topology::Graph& graph, const ObserverChoice& choice);

  // Before the simulation, which uses the observers until its end.
  void observe(SimulationOptions& options);
  // Adds what they saw; times and launches are in `record`.
  void report(RunRecord& record) const;

 private:
  const topology::Graph& graph_;
  std::optional<record::ActivityRecorder::Window> window_;
  std::optional<record::ActivityRecorder> recorder_;
  std::optional<OperationCosts> costs_;
  std::optional<check::RaceChecker> races_;
};

}  // namespace kb::sim
