// Neighbour tables of rings, meshes and trees: rank -> {direction -> rank} (Q-9 .. ). They are independent of
// PEs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/topology/ccl_config.h"

namespace kb::sw {

enum class Flow { both, send_only, receive_only };

struct Neighbour {
  std::string direction;  // label, unique in its table
  int rank = 0;           // rank of the neighbour
  Flow flow = Flow::both;
  friend bool operator==(const Neighbour& a, const Neighbour& b) {
    return a.direction == b.direction && a.rank == b.rank && a.flow == b.flow;
  }
};
using NeighbourTable = std::vector<Neighbour>;  // table of one rank; the order affects pairing
using NeighbourFunction = std::function<NeighbourTable(int rank)>;

// A grid of ranks, row-major: x = rank mod w, y = rank div w (K-11). 0, 0: no grid.
struct RankGrid {
  int w = 0, h = 0;
  friend bool operator==(const RankGrid& a, const RankGrid& b) { return a.w == b.w && a.h == b.h; }
};

// The label of the opposite direction; "" for labels without one, such as "parent".
std::string opposite_direction(const std::string& direction);
// Prefix of the labels of group `number`: "group1_".
std::string group_prefix(int number);

// The same neighbours with prefixed labels, for example "global_" + direction.
NeighbourTable prefixed(NeighbourTable table, const std::string& prefix);

// K-10, Q-90: 0, 0 for topologies without a grid; the given w x h if there is one, which must match `count`; otherwise
// a square. A configuration Error has the count and the grid. `what` is the term for the ranks: "SIPs".
RankGrid resolve_grid(topology::RankTopology topology, int count, const RankGrid& given, const std::string& what);

// Maximum number of ranks for which hops connect all pairs.
inline constexpr std::size_t kMaxPairedRanks = 16;

// The table of `rank` out of `count` (Q-85..Q-92):
//   ring_1d          E = rank + 1, W = rank - 1, around; nothing when the rank is alone
//   ring_1d_unidir   E sends to rank + 1, W receives from rank - 1
//   torus_2d         N, S, E, W around in each dimension; none in a dimension of size 1
//   mesh_2d_no_wrap  the same without the links around
//   mesh_2d          torus_2d
//   tree_binary      parent, child_l, child_r
//   hops             hop+d, hop-d to the ranks d further and d behind, around: every d up to count / 2, or with more
//                    than kMaxPairedRanks ranks the powers of two, counted the shorter way around
//   none             nothing
// `grid` is the result of resolve_grid(), used only by 2-D topologies; model Error when it does not match `count`.
NeighbourTable neighbours(topology::RankTopology topology, int rank, int count, const RankGrid& grid = {});

}  // namespace kb::sw
