#include "sw/distributed/neighbours.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "tests/unit/sw/expect_error.h"

namespace kb::sw {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::IsEmpty;
using topology::RankTopology;

Neighbour to(const char* direction, int rank, Flow flow = Flow::both) {
  return {direction, rank, flow};
}

TEST(Neighbours, OppositesOfQ11) {
  for (const char* prefix : {"", "global_", "intra_"}) {
    const std::string p = prefix;
    EXPECT_EQ(opposite_direction(p + "E"), p + "W");
    EXPECT_EQ(opposite_direction(p + "W"), p + "E");
    EXPECT_EQ(opposite_direction(p + "N"), p + "S");
    EXPECT_EQ(opposite_direction(p + "S"), p + "N");
  }
  for (const auto& [label, other] : std::vector<std::pair<std::string, std::string>>{
           {"hop+3", "hop-3"}, {"global_+1", "global_-1"}, {"group12_-15", "group12_+15"}}) {
    EXPECT_EQ(opposite_direction(label), other);
    EXPECT_EQ(opposite_direction(other), label);
  }
  for (const char* label : {"+1", "tree_+1", "global_+", "global_+x", "group_+1", "parent", "child_l", "e", "global_",
                            "tree_E", "group_E", "groupx_E", "group1E", "group1_X", ""})
    EXPECT_EQ(opposite_direction(label), "");
}

TEST(Neighbours, RingsOfQ85AndQ86) {
  EXPECT_THAT(neighbours(RankTopology::ring_1d, 0, 4), ElementsAre(to("E", 1), to("W", 3)));
  EXPECT_THAT(neighbours(RankTopology::ring_1d, 1, 2), ElementsAre(to("E", 0), to("W", 0)));
  EXPECT_THAT(neighbours(RankTopology::ring_1d, 0, 1), IsEmpty());
  EXPECT_THAT(neighbours(RankTopology::ring_1d_unidir, 2, 3),
              ElementsAre(to("E", 0, Flow::send_only), to("W", 1, Flow::receive_only)));
  EXPECT_THAT(neighbours(RankTopology::none, 2, 3), IsEmpty());
}

TEST(Neighbours, GridsOfQ87ToQ89) {
  //  0 1 2
  //  3 4 5
  const RankGrid grid{3, 2};
  EXPECT_THAT(neighbours(RankTopology::torus_2d, 0, 6, grid),
              ElementsAre(to("N", 3), to("S", 3), to("E", 1), to("W", 2)));
  EXPECT_THAT(neighbours(RankTopology::mesh_2d_no_wrap, 0, 6, grid), ElementsAre(to("S", 3), to("E", 1)));
  EXPECT_THAT(neighbours(RankTopology::mesh_2d_no_wrap, 4, 6, grid), ElementsAre(to("N", 1), to("E", 5), to("W", 3)));
  EXPECT_THAT(neighbours(RankTopology::torus_2d, 1, 3, {3, 1}), ElementsAre(to("E", 2), to("W", 0)));
  EXPECT_THAT(neighbours(RankTopology::torus_2d, 1, 2, {1, 2}), ElementsAre(to("N", 0), to("S", 0)));
  EXPECT_EQ(neighbours(RankTopology::mesh_2d, 5, 6, grid), neighbours(RankTopology::torus_2d, 5, 6, grid));
}

TEST(Neighbours, BinaryTreeOfQ91) {
  EXPECT_THAT(neighbours(RankTopology::tree_binary, 0, 7), ElementsAre(to("child_l", 1), to("child_r", 2)));
  EXPECT_THAT(neighbours(RankTopology::tree_binary, 2, 6), ElementsAre(to("parent", 0), to("child_l", 5)));
  EXPECT_THAT(neighbours(RankTopology::tree_binary, 6, 7), ElementsAre(to("parent", 2)));
  EXPECT_THAT(neighbours(RankTopology::tree_binary, 0, 1), IsEmpty());
}

TEST(RankGridTest, ResolvesAsK10Says) {  // K-96
  EXPECT_EQ(resolve_grid(RankTopology::ring_1d, 6, {3, 2}, "SIPs"), (RankGrid{0, 0}));
  EXPECT_EQ(resolve_grid(RankTopology::torus_2d, 6, {3, 2}, "SIPs"), (RankGrid{3, 2}));
  EXPECT_EQ(resolve_grid(RankTopology::mesh_2d_no_wrap, 9, {}, "SIPs"), (RankGrid{3, 3}));
  EXPECT_EQ(error_of([] { resolve_grid(RankTopology::torus_2d, 6, {}, "SIPs"); }, "CONFIGURATION_ERROR"),
            "6 SIPs form no square, so a torus_2d needs its grid (explicit w/h required)");
  EXPECT_EQ(error_of(
                [] {
                  resolve_grid(RankTopology::mesh_2d_no_wrap, 8, {3, 3}, "ranks");
                },
                "CONFIGURATION_ERROR"),
            "a grid of 3 x 3 ranks does not hold 8 ranks (w * h must equal their number)");
}

// Whether `b` is where `direction` leads from `a`, by walking the grid or the ring instead of computing ranks.
bool leads(const std::string& direction, int a, int b, const RankGrid& grid, bool wrap) {
  const int dx = b % grid.w - a % grid.w;
  const int dy = b / grid.w - a / grid.w;
  const auto step = [wrap](int delta, int wanted, int size) {
    return delta == wanted || (wrap && (delta - wanted) % size == 0);
  };
  if (direction == "E") return dy == 0 && grid.w > 1 && step(dx, 1, grid.w);
  if (direction == "W") return dy == 0 && grid.w > 1 && step(dx, -1, grid.w);
  if (direction == "S") return dx == 0 && grid.h > 1 && step(dy, 1, grid.h);
  return dx == 0 && grid.h > 1 && step(dy, -1, grid.h);
}

RC_GTEST_PROP(NeighboursProperty, GridsHoldEveryLinkThatGeometryHasAndNoOther, ()) {
  const RankGrid grid{*rc::gen::inRange(1, 7), *rc::gen::inRange(1, 7)};
  const bool wrap = *rc::gen::arbitrary<bool>();
  const int count = grid.w * grid.h;
  for (int a = 0; a < count; ++a) {
    const NeighbourTable table =
        neighbours(wrap ? RankTopology::torus_2d : RankTopology::mesh_2d_no_wrap, a, count, grid);
    for (const char* direction : {"N", "S", "E", "W"}) {
      for (int b = 0; b < count; ++b) {
        const auto listed = std::count(table.begin(), table.end(), to(direction, b));
        RC_ASSERT(listed == (leads(direction, a, b, grid, wrap) ? 1 : 0));
      }
    }
    RC_ASSERT(table.size() <= 4u);
  }
}

RC_GTEST_PROP(NeighboursProperty, RingsAreOneRowThatCloses, ()) {
  const int count = *rc::gen::inRange(2, 40);
  const int start = *rc::gen::inRange(0, count);
  const auto topology = *rc::gen::element(RankTopology::ring_1d, RankTopology::ring_1d_unidir);
  int rank = start;
  std::vector<bool> seen(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    RC_ASSERT(!seen[static_cast<std::size_t>(rank)]);
    seen[static_cast<std::size_t>(rank)] = true;
    const int next = neighbours(topology, rank, count)[0].rank;
    RC_ASSERT(neighbours(topology, next, count)[1].rank == rank);
    rank = next;
  }
  RC_ASSERT(rank == start);
}

RC_GTEST_PROP(NeighboursProperty, TreesReachEveryRankOnceFromTheRoot, ()) {
  const int count = *rc::gen::inRange(1, 200);
  std::vector<int> open{0};
  std::size_t reached = 0;
  while (!open.empty()) {
    const int rank = open.back();
    open.pop_back();
    ++reached;
    RC_ASSERT(reached <= static_cast<std::size_t>(count));
    for (const Neighbour& n : neighbours(RankTopology::tree_binary, rank, count)) {
      if (n.direction == "parent") continue;
      open.push_back(n.rank);
      RC_ASSERT(neighbours(RankTopology::tree_binary, n.rank, count)[0] == to("parent", rank));
    }
  }
  RC_ASSERT(reached == static_cast<std::size_t>(count));
}

}  // namespace
}  // namespace kb::sw
