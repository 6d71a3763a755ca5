// Counts the events of a run's launches, for their energy.
#pragma once

#include <cstddef>
#include <optional>

#include "platform/record/activity_recorder.h"
#include "platform/topology/graph.h"
#include "sim/analysis/energy/engine_work.h"
#include "sim/analysis/energy/launch_events.h"
#include "sim/run/driver/simulation.h"

namespace kb::sim {

// Approximate number of activity series: wires, pseudo-channels, and resources of PEs.
std::size_t series_of(const topology::Graph& graph);

// Counts where the machine has coefficients of energy, and nothing elsewhere.
class EventCounter {
 public:
  // `graph` must outlive this object.
  explicit EventCounter(const topology::Graph& graph);

  // Adds observers to the options of a simulation, which uses them until its end.
  void observe(SimulationOptions& options);
  std::optional<LaunchEvents> events(const SimulationResult& result) const;

 private:
  const topology::Graph& graph_;
  std::optional<record::ActivityRecorder> recorder_;
  std::optional<EngineWork> work_;
};

}  // namespace kb::sim
