#include "sim/run/driver/recorded_use.h"

#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "sim/run/driver/recorded_lines.h"

namespace kb::sim {
namespace {

using account::ResourceAccount;

// Series in machine order: by node, then in the order of creation.
std::vector<std::uint32_t> machine_order(const std::vector<record::SeriesInfo>& series) {
  std::vector<std::uint32_t> next;  // by node: the position of its next series
  for (const record::SeriesInfo& one : series) {
    if (next.size() <= one.node.value + 1) next.resize(one.node.value + 2);
    ++next[one.node.value + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> order(series.size());
  for (std::uint32_t i = 0; i < series.size(); ++i) order[next[series[i].node.value]++] = i;
  return order;
}

// Lists the resources that launches used, and replaces their positions in `order` by positions in this list.
void name_resources(const record::ActivityRecorder& recorder, const topology::Graph& graph,
                    const std::vector<std::uint32_t>& order, RunRecord& run) {
  std::vector<bool> used(order.size());
  for (const LaunchRecord& launch : run.launches) {
    for (const ResourceUse& use : launch.uses) used[use.resource] = true;
    for (const PlaceUseRecord& use : launch.transfers) used[use.most] = used[use.most] || use.most_wait > 0_fs;
  }
  std::vector<std::uint32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[i] = static_cast<std::uint32_t>(run.resources.size());
    if (!used[i]) continue;
    const record::SeriesInfo& series = recorder.series()[order[i]];
    run.resources.push_back({graph.node(series.node).id, series.label(graph), series.units});
  }
  for (LaunchRecord& launch : run.launches) {
    for (ResourceUse& use : launch.uses) use.resource = place[use.resource];
    for (PlaceUseRecord& use : launch.transfers) use.most = place[use.most];
  }
}

// The position of each place's launch in `launches`; no value for a place without one.
std::vector<std::optional<std::size_t>> launch_of_places(const account::PlaceTable& places,
                                                         const std::deque<LaunchRecord>& launches) {
  std::map<std::uint64_t, std::size_t> positions;
  for (std::size_t i = 0; i < launches.size(); ++i) positions[launches[i].id] = i;
  std::vector<std::optional<std::size_t>> found(places.size());
  for (std::uint32_t place = 0; place < places.size(); ++place) {
    const auto position = positions.find(places[account::PlaceId{place}].launch);
    if (position != positions.end()) found[place] = position->second;
  }
  return found;
}

// The uses of each launch. The resource of a use is its position in `order`.
std::vector<std::vector<ResourceUse>> uses_by_launch(const record::ActivityRecorder& recorder,
                                                     const std::deque<LaunchRecord>& launches,
                                                     const std::vector<std::uint32_t>& order) {
  const std::vector<std::optional<std::size_t>> launch_of = launch_of_places(recorder.places(), launches);
  std::vector<std::vector<ResourceUse>> uses(launches.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    for (const ResourceAccount::Row& row : recorder.uses_of(order[i])) {
      const std::optional<std::size_t> launch = launch_of[row.place.value];
      if (!launch || row.sums.is_empty()) continue;
      std::vector<ResourceUse>& of_launch = uses[*launch];
      if (of_launch.empty() || of_launch.back().resource != i) of_launch.push_back({i, 0_fs, 0_fs, 0});
      ResourceUse& use = of_launch.back();
      accumulate(use.busy, row.sums.busy);
      accumulate(use.wait, row.sums.wait);
      use.bytes += row.sums.bytes;
    }
  }
  return uses;
}

}  // namespace

void add_recorded_use(const record::ActivityRecorder& recorder, const topology::Graph& graph, RunRecord& run,
                      std::size_t most) {
  const std::vector<std::uint32_t> order = machine_order(recorder.series());
  std::vector<std::vector<ResourceUse>> uses = uses_by_launch(recorder, run.launches, order);
  bool left_out = false;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    left_out = uses[i].size() > most;
    if (left_out) break;
    most -= uses[i].size();
    run.launches[i].uses = std::move(uses[i]);
  }
  std::vector<std::uint32_t> position_of(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position_of[order[i]] = i;
  add_recorded_lines(recorder, position_of, run);
  name_resources(recorder, graph, order, run);
  if (left_out) run.notes.push_back("the use of resources launch by launch is kept of the first launches only");
}

}  // namespace kb::sim
