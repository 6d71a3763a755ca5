#include "sw/distributed/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "platform/base/error.h"

namespace kb::sw {
namespace {

using topology::RankTopology;

const std::string& topology_name(RankTopology topology) {
  return topology::rank_topology_names()[static_cast<std::size_t>(topology)];
}

NeighbourTable ring(int rank, int count, Flow east, Flow west) {
  if (count < 2) return {};
  return {{"E", (rank + 1) % count, east}, {"W", (rank + count - 1) % count, west}};
}

NeighbourTable grid_table(int rank, const RankGrid& grid, bool wrap) {
  const int x = rank % grid.w;
  const int y = rank / grid.w;
  NeighbourTable table;
  const auto add = [&](const char* direction, int to_x, int to_y, int size) {
    const bool inside = to_x >= 0 && to_x < grid.w && to_y >= 0 && to_y < grid.h;
    if (size < 2 || (!inside && !wrap)) return;
    table.push_back({direction, (to_y + grid.h) % grid.h * grid.w + (to_x + grid.w) % grid.w, Flow::both});
  };
  add("N", x, y - 1, grid.h);
  add("S", x, y + 1, grid.h);
  add("E", x + 1, y, grid.w);
  add("W", x - 1, y, grid.w);
  return table;
}

NeighbourTable tree(int rank, int count) {
  NeighbourTable table;
  if (rank > 0) table.push_back({"parent", (rank - 1) / 2, Flow::both});
  if (2 * rank + 1 < count) table.push_back({"child_l", 2 * rank + 1, Flow::both});
  if (2 * rank + 2 < count) table.push_back({"child_r", 2 * rank + 2, Flow::both});
  return table;
}

NeighbourTable hops(int rank, int count) {
  std::set<int> distances;
  const bool pairs = static_cast<std::size_t>(count) <= kMaxPairedRanks;
  for (int d = 1; pairs ? d <= count / 2 : d < count; d = pairs ? d + 1 : 2 * d) {
    distances.insert(std::min(d, count - d));
  }
  NeighbourTable table;
  for (const int d : distances) {
    table.push_back({fmt::format("hop+{}", d), (rank + d) % count, Flow::both});
    table.push_back({fmt::format("hop-{}", d), (rank + count - d) % count, Flow::both});
  }
  return table;
}

// True for "", "global_", "intra_", and "group" with a number.
bool is_namespace(const std::string& prefix) {
  if (prefix.empty() || prefix == "global_" || prefix == "intra_") return true;
  const std::string word = "group", digits = "0123456789";
  return prefix.compare(0, word.size(), word) == 0 && prefix.size() > word.size() + 1 &&
         prefix.find_first_not_of(digits, word.size()) == prefix.size() - 1 && prefix.back() == '_';
}

// The label with the opposite sign for "hop+3" or "global_-2"; "" for other labels.
std::string opposite_distance(const std::string& direction) {
  const std::size_t sign = direction.find_first_of("+-");
  if (sign == std::string::npos || sign + 1 == direction.size()) return "";
  const std::string prefix = direction.substr(0, sign);
  if (prefix != "hop" && (prefix.empty() || !is_namespace(prefix))) return "";
  if (direction.find_first_not_of("0123456789", sign + 1) != std::string::npos) return "";
  return prefix + (direction[sign] == '+' ? '-' : '+') + direction.substr(sign + 1);
}

}  // namespace

std::string group_prefix(int number) {
  return fmt::format("group{}_", number);
}

std::string opposite_direction(const std::string& direction) {
  if (direction.empty()) return "";
  if (const std::string other = opposite_distance(direction); !other.empty()) return other;
  const std::string prefix = direction.substr(0, direction.size() - 1), from = "EWNS", to = "WESN";
  const std::size_t at = from.find(direction.back());
  return at == std::string::npos || !is_namespace(prefix) ? "" : prefix + to[at];
}

NeighbourTable prefixed(NeighbourTable table, const std::string& prefix) {
  for (Neighbour& neighbour : table) neighbour.direction.insert(0, prefix);
  return table;
}

RankGrid resolve_grid(RankTopology topology, int count, const RankGrid& given, const std::string& what) {
  if (!is_two_dimensional(topology)) return {};
  if (given.w > 0 && given.h > 0) {
    if (given.w * given.h == count) return given;
    throw Error::configuration(fmt::format("a grid of {} x {} {} does not hold {} {} (w * h must equal their number)",
                                           given.w, given.h, what, count, what));
  }
  const int side = static_cast<int>(std::lround(std::sqrt(count)));
  if (side * side == count) return {side, side};
  throw Error::configuration(fmt::format("{} {} form no square, so a {} needs its grid (explicit w/h required)", count,
                                         what, topology_name(topology)));
}

NeighbourTable neighbours(RankTopology topology, int rank, int count, const RankGrid& grid) {
  if (rank < 0 || rank >= count) throw Error::model(fmt::format("there is no rank {} among {} ranks", rank, count));
  if (is_two_dimensional(topology) && grid.w * grid.h != count) {
    throw Error::model(fmt::format("a grid of {} x {} does not hold {} ranks", grid.w, grid.h, count));
  }
  switch (topology) {
    case RankTopology::none:
      return {};
    case RankTopology::ring_1d:
      return ring(rank, count, Flow::both, Flow::both);
    case RankTopology::ring_1d_unidir:
      return ring(rank, count, Flow::send_only, Flow::receive_only);
    case RankTopology::torus_2d:
    case RankTopology::mesh_2d:
      return grid_table(rank, grid, true);
    case RankTopology::mesh_2d_no_wrap:
      return grid_table(rank, grid, false);
    case RankTopology::tree_binary:
      return tree(rank, count);
    case RankTopology::hops:
      return hops(rank, count);
  }
  throw Error::model("a rank topology has no generator");
}

}  // namespace kb::sw
