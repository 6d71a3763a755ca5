#include "sim/run/driver/recorded_use.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace kb::sim {
namespace {

using record::Role;

// Series in machine order: by node, then in the order of creation.
std::vector<std::uint32_t> machine_order(const std::vector<record::SeriesInfo>& series) {
  std::vector<std::uint32_t> order(series.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return series[a].node < series[b].node; });
  return order;
}

// Lists the resources that launches used, and replaces their positions in `order` by positions in this list.
void name_resources(const record::ActivityRecorder& recorder, const topology::Graph& graph,
                    const std::vector<std::uint32_t>& order, RunRecord& run) {
  std::vector<bool> used(order.size());
  for (const LaunchRecord& launch : run.launches) {
    for (const ResourceUse& use : launch.uses) used[use.resource] = true;
  }
  std::vector<std::uint32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[i] = static_cast<std::uint32_t>(run.resources.size());
    if (!used[i]) continue;
    const record::SeriesInfo& series = recorder.series()[order[i]];
    run.resources.push_back({graph.node(series.node).id, series.label(graph)});
  }
  for (LaunchRecord& launch : run.launches) {
    for (ResourceUse& use : launch.uses) use.resource = place[use.resource];
  }
}

}  // namespace

void add_recorded_use(const record::ActivityRecorder& recorder, const topology::Graph& graph, RunRecord& run,
                      std::size_t most) {
  std::map<std::uint64_t, std::vector<std::size_t>> epochs;  // by launch
  for (std::size_t epoch = 0; epoch < recorder.epochs().size(); ++epoch) {
    if (const auto& launch = recorder.epochs()[epoch].launch) epochs[*launch].push_back(epoch);
  }
  const std::vector<std::uint32_t> order = machine_order(recorder.series());
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<record::Bin> sums(order.size());
  std::vector<std::uint32_t> used;
  bool left_out = false;
  for (LaunchRecord& launch : run.launches) {
    used.clear();
    for (const std::size_t epoch : epochs[launch.id]) {
      for (const record::Activity& activity : recorder.activities_of(epoch)) {
        if (recorder.series()[activity.series].role == Role::state) continue;
        record::Bin& sum = sums[place[activity.series]];
        if (sum.is_empty()) used.push_back(place[activity.series]);
        sum.add(activity.sum);
      }
    }
    std::sort(used.begin(), used.end());
    left_out = left_out || used.size() > most;
    if (!left_out) {
      most -= used.size();
      launch.uses.reserve(used.size());
    }
    for (const std::uint32_t resource : used) {
      const record::Bin sum = std::exchange(sums[resource], {});
      if (!left_out) launch.uses.push_back({resource, sum.busy, sum.wait, sum.bytes});
    }
  }
  name_resources(recorder, graph, order, run);
  if (left_out) run.notes.push_back("the use of resources launch by launch is kept of the first launches only");
}

}  // namespace kb::sim
