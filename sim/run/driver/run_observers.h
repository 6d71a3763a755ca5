// The observers that the result of a simulation needs. Observing never changes a simulated time.
#pragma once

#include <optional>
#include <utility>

#include "platform/check/race_checker.h"
#include "platform/record/activity_recorder.h"
#include "platform/topology/graph.h"
#include "sim/analysis/energy/engine_work.h"
#include "sim/analysis/findings/operation_costs.h"
#include "sim/run/driver/run_record.h"
#include "sim/run/driver/simulation.h"

namespace kb::sim {

struct ObserverChoice {
  bool activity = false;  // occupancy of all resources, for findings and an operation database
  // Window with its own bins, which splits launches. The run then has no findings, because these are about whole
  // launches.
  std::optional<std::pair<TimeFs, TimeFs>> window;
  bool races = false;
};

class RunObservers {
 public:
  // `graph` must outlive this object.
  RunObservers(const topology::Graph& graph, const ObserverChoice& choice);

  // Adds the observers to the options of a simulation, which uses them until its end.
  void observe(SimulationOptions& options);
  // Adds the observations to `record`, which already has times and launches.
  void report(RunRecord& record) const;

 private:
  void add_energy(RunRecord& record) const;

  const topology::Graph& graph_;
  std::optional<record::ActivityRecorder::Window> window_;
  std::optional<record::ActivityRecorder> recorder_;
  std::optional<OperationCosts> costs_;
  std::optional<EngineWork> work_;  // of a machine with coefficients of energy
  std::optional<check::RaceChecker> races_;
};

}  // namespace kb::sim
