#include "sim/run/driver/event_counter.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "sim/analysis/energy/counted.h"
#include "sim/analysis/energy/statistic_table.h"
#include "sim/run/driver/statistics.h"

namespace kb::sim {

std::size_t series_of(const topology::Graph& graph) {
  constexpr std::size_t kOfPe = 24;
  const topology::MachineSpec& spec = graph.spec;
  const auto decoders = std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const topology::Node& node) {
    return node.params.find("decode") == params::Value(std::string("serial"));
  });
  return graph.edges.size() + kOfPe * static_cast<std::size_t>(spec.pe_count()) + static_cast<std::size_t>(decoders);
}

EventCounter::EventCounter(const topology::Graph& graph) : graph_(graph) {
  if (!graph.spec.energy) return;
  recorder_.emplace(series_of(graph));
  work_.emplace(graph);
}

void EventCounter::observe(SimulationOptions& options) {
  if (!work_) return;
  options.recorder = &*recorder_;
  options.work = &*work_;
}

std::optional<LaunchEvents> EventCounter::events(const SimulationResult& result) const {
  if (!work_) return std::nullopt;
  const StatisticTable statistics = statistics_of<StatisticTable>(result.blocks, graph_);
  return events_of_launches({graph_, statistics, *work_, result.resources, &*recorder_, result.sim_time});
}

}  // namespace kb::sim
