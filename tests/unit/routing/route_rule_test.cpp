// The total order of routes (F-20, F-23), against the enumerating oracle.
#include <gtest/gtest.h>

#include "platform/base/error.h"
#include "platform/routing/path_router.h"
#include "tests/support/shortened.h"
#include "tests/unit/routing/machines.h"
#include "tests/unit/routing/route_oracle.h"

namespace kb {
namespace {

using topology::NodeKind;

bool is_block(NodeKind kind) {
  return kind != NodeKind::ucie && kind != NodeKind::ucie_conn && kind != NodeKind::host;
}

// Returns how many routes were compared; a few questions are too large for the oracle.
int compare_with_oracle(unsigned seed, topology::RoutingMetric metric) {
  std::mt19937 random(seed);
  const topology::Graph graph = test::odd_fabric(random, metric);
  std::vector<NodeId> blocks;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (is_block(graph.nodes[i].kind)) blocks.push_back(NodeId(i));
  }
  routing::PathRouter router(graph);
  int compared = 0;
  for (int i = 0; i < 40; ++i) {
    const NodeId src = blocks[random() % blocks.size()];
    const NodeId dst = blocks[random() % blocks.size()];
    bool gave_up = false;
    const auto expected = test::best_route(graph, src, dst, gave_up);
    if (gave_up) continue;
    ++compared;
    if (!expected) {
      EXPECT_THROW(router.find_node_path(src, dst), Error);
      continue;
    }
    const routing::Route& route = router.find_node_path(src, dst);
    EXPECT_EQ(route.weight, expected->weight);
    EXPECT_EQ(test::names(graph, route.nodes), test::names(graph, expected->nodes)) << "seed " << seed;
  }
  return compared;
}

class RouteRule : public testing::TestWithParam<std::tuple<topology::RoutingMetric, unsigned>> {};

TEST_P(RouteRule, EqualsTheFirstOfAllSimplePaths) {
  constexpr unsigned kFabrics = 50;
  const auto [metric, seed] = GetParam();
  int compared = 0;
  for (unsigned i = 0; i < kFabrics; ++i) compared += compare_with_oracle(seed * kFabrics + i, metric);
  EXPECT_GT(compared, 1500);
}

INSTANTIATE_TEST_SUITE_P(Latency, RouteRule,
                         testing::Combine(testing::Values(topology::RoutingMetric::latency),
                                          testing::Range(0u, test::cases(8u, 3u))));
INSTANTIATE_TEST_SUITE_P(Distance, RouteRule,
                         testing::Combine(testing::Values(topology::RoutingMetric::distance),
                                          testing::Range(0u, test::cases(8u, 3u))));

}  // namespace
}  // namespace kb
