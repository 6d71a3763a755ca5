#include "sim/driver/recorded_use.h"

#include <map>
#include <utility>

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
  using Place = std::pair<NodeId, std::uint32_t>;              // a series of a node
  std::map<std::uint64_t, std::map<Place, record::Bin>> uses;  // by launch
  for (const record::Activity& activity : recorder.activities()) {
    const auto& launch = recorder.epochs()[activity.epoch].launch;
    const record::SeriesInfo& series = recorder.series()[activity.series];
    if (launch && series.kind != SeriesKind::state) uses[*launch][{series.node, activity.series}].add(activity.sum);
  }
  bool left_out = false;
  for (LaunchRecord& launch : run.launches) {
    const auto& of_launch = uses[launch.id];
    left_out = left_out || of_launch.size() > most;
    if (left_out) continue;
    most -= of_launch.size();
    for (const auto& [place, sum] : of_launch) {
      const record::SeriesInfo& series = recorder.series()[place.second];
      launch.uses.push_back({graph.node(series.node).id, series.label(graph), sum.busy, sum.wait, sum.bytes});
    }
  }
  if (left_out) run.notes.push_back("the use of resources launch by launch is kept of the first launches only");
}

}  // namespace kb::sim
