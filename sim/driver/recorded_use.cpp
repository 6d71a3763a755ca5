#include "sim/driver/recorded_use.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace kb::sim {
namespace {

using record::SeriesKind;

void add_channels(const record::ActivityRecorder& recorder, const topology::Graph& graph, RunRecord& run) {
  std::map<std::uint32_t, record::Bin> sums;  // by series, which stand in the order of their nodes
  for (const record::Activity& activity : recorder.activities()) {
    if (recorder.series()[activity.series].kind == SeriesKind::pseudo_channel) sums[activity.series].add(activity.sum);
  }
  std::map<std::string, std::vector<StatisticRecord>*> blocks;
  for (auto& [node, statistics] : run.blocks) blocks[node] = &statistics;
  for (const auto& [index, sum] : sums) {
    const record::SeriesInfo& series = recorder.series()[index];
    const auto block = blocks.find(graph.node(series.node).id);
    if (block == blocks.end()) continue;
    const std::string name = series.label(graph);
    block->second->push_back({name + ".busy", sum.busy.fs(), "ns"});
    block->second->push_back({name + ".wait", sum.wait.fs(), "ns"});
  }
}

}  // namespace

void add_recorded_use(const record::ActivityRecorder& recorder, const topology::Graph& graph, RunRecord& run,
                      std::size_t most) {
  add_channels(recorder, graph, run);
  std::map<std::uint64_t, std::vector<std::size_t>> epochs;  // by launch
  for (std::size_t epoch = 0; epoch < recorder.epochs().size(); ++epoch) {
    if (const auto& launch = recorder.epochs()[epoch].launch) epochs[*launch].push_back(epoch);
  }
  std::vector<record::Bin> sums(recorder.series().size());
  bool left_out = false;
  for (LaunchRecord& launch : run.launches) {
    std::vector<std::pair<NodeId, std::uint32_t>> used;  // nodes and their series
    for (const std::size_t epoch : epochs[launch.id]) {
      for (const record::Activity& activity : recorder.activities_of(epoch)) {
        const record::SeriesInfo& series = recorder.series()[activity.series];
        if (series.kind == SeriesKind::state) continue;
        if (sums[activity.series].is_empty()) used.emplace_back(series.node, activity.series);
        sums[activity.series].add(activity.sum);
      }
    }
    std::sort(used.begin(), used.end());
    left_out = left_out || used.size() > most;
    if (!left_out) most -= used.size();
    for (const auto& [node, index] : used) {
      const record::Bin sum = std::exchange(sums[index], {});
      if (left_out) continue;
      launch.uses.push_back(
          {graph.node(node).id, recorder.series()[index].label(graph), sum.busy, sum.wait, sum.bytes});
    }
  }
  if (left_out) run.notes.push_back("the use of resources launch by launch is kept of the first launches only");
}

}  // namespace kb::sim
