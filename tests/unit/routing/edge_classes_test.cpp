#include "platform/routing/edge_classes.h"

#include <gtest/gtest.h>

#include <set>

#include "platform/base/error.h"

namespace kb::routing {
namespace {

using topology::EdgeKind;

std::set<EdgeKind> left_out(RoutePurpose purpose, bool same_cube) {
  const std::set<EdgeKind> channel{EdgeKind::pe_to_channel, EdgeKind::channel_to_pe, EdgeKind::channel_to_hbm,
                                   EdgeKind::hbm_to_channel};
  std::set<EdgeKind> kinds;
  for (int k = 0; k <= static_cast<int>(EdgeKind::command); ++k) {
    const auto kind = static_cast<EdgeKind>(k);
    if (may_use(purpose, same_cube, kind)) continue;
    if (channel.count(kind) == 0) kinds.insert(kind);
  }
  for (EdgeKind kind : channel) EXPECT_FALSE(may_use(purpose, same_cube, kind));
  return kinds;
}

// The table of F-14, with F-15 and F-16 for who uses which graph. No search enters a channel (T-56).
TEST(EdgeClasses, LeaveOutTheKindsOfTheTable) {
  const std::set<EdgeKind> pe{EdgeKind::pe_internal, EdgeKind::pe_to_router, EdgeKind::router_to_pe};
  const std::set<EdgeKind> local{EdgeKind::ucie_internal,       EdgeKind::ucie_conn_to_router,
                                 EdgeKind::router_to_ucie_conn, EdgeKind::ucie_conn_to_noc,
                                 EdgeKind::noc_to_ucie_conn,    EdgeKind::ucie_mesh,
                                 EdgeKind::io_to_cube,          EdgeKind::cube_to_io};
  std::set<EdgeKind> local_without_pe = local;
  local_without_pe.insert(pe.begin(), pe.end());
  EXPECT_EQ(left_out(RoutePurpose::command, false), std::set<EdgeKind>{});
  EXPECT_EQ(left_out(RoutePurpose::pe_dma, false), std::set<EdgeKind>{EdgeKind::command});
  EXPECT_EQ(left_out(RoutePurpose::host_memory, false), pe);
  EXPECT_EQ(left_out(RoutePurpose::mcpu_dma, false), pe);
  EXPECT_EQ(left_out(RoutePurpose::pe_dma, true), local);
  EXPECT_EQ(left_out(RoutePurpose::mcpu_dma, true), local_without_pe);
}

// F-19
TEST(EdgeClasses, WeightIsTheRoutingWeightUnlessItIsZero) {
  topology::Edge edge;
  edge.distance_mm = 2.5;
  EXPECT_EQ(edge_weight_um(edge), 2500);
  edge.routing_weight_mm = 0.0;
  EXPECT_EQ(edge_weight_um(edge), 2500);
  edge.routing_weight_mm = 0.0014;
  EXPECT_EQ(edge_weight_um(edge), 1);
  edge.routing_weight_mm = -1.0;
  EXPECT_THROW(edge_weight_um(edge), Error);
}

}  // namespace
}  // namespace kb::routing
