// Each rule that decides between routes of equal distance, alone, on sketches that leave no other rule a say.
#include <gtest/gtest.h>

#include "platform/base/error.h"
#include "platform/routing/path_router.h"
#include "tests/unit/routing/machines.h"

namespace kb::routing {
namespace {

using topology::EdgeKind;
using topology::NodeKind;
using topology::Position;
using Names = std::vector<std::string>;

Names interior(const topology::Graph& graph, const std::string& src, const std::string& dst) {
  PathRouter router(graph);
  Names names = test::names(graph, router.find_node_path(test::node(graph, src), test::node(graph, dst)).nodes);
  return Names(names.begin() + 1, names.end() - 1);
}

// A cube with ends at r0 and r9 and some ways between.
struct OneCube : test::Sketch {
  NodeId router(const std::string& name, double x, double y) {
    return add("sip0.cube0." + name, NodeKind::noc_router, Position{x, y});
  }
  void ends(NodeId first, NodeId last) {
    link(add("sip0.cube0.pe0.pe_dma", NodeKind::pe_dma), first, EdgeKind::pe_to_router, 0.0);
    link(last, add("sip0.cube0.hbm_ctrl.pe0", NodeKind::hbm_ctrl), EdgeKind::router_to_hbm, 0.0);
  }
  Names route() { return interior(build(), "sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe0"); }
};

TEST(TieRule, DistanceBeforeNodes) {
  OneCube cube;
  const NodeId a = cube.router("a", 0, 0), b = cube.router("b", 1, 0), c = cube.router("c", 2, 0);
  cube.link(a, c, EdgeKind::router_mesh, 2.001);
  cube.link(a, b, EdgeKind::router_mesh, 1.0);
  cube.link(b, c, EdgeKind::router_mesh, 1.0);
  cube.ends(a, c);
  EXPECT_EQ(cube.route(), (Names{"sip0.cube0.a", "sip0.cube0.b", "sip0.cube0.c"}));
}

TEST(TieRule, DistancesAreEqualWhenTheirMicrometresAre) {
  OneCube cube;
  const NodeId a = cube.router("a", 0, 0), b = cube.router("b", 1, 0), c = cube.router("c", 2, 0);
  cube.link(a, c, EdgeKind::router_mesh, 2.0004);
  cube.link(a, b, EdgeKind::router_mesh, 1.0);
  cube.link(b, c, EdgeKind::router_mesh, 1.0);
  cube.ends(a, c);
  EXPECT_EQ(cube.route(), (Names{"sip0.cube0.a", "sip0.cube0.c"}));
}

// Against the horizontal and the index rule.
TEST(TieRule, FewerNodesFirst) {
  OneCube cube;
  const NodeId a = cube.router("a", 0, 0), b = cube.router("b", 1, 0), c = cube.router("c", 2, 5);
  cube.link(a, b, EdgeKind::router_mesh, 1.0);
  cube.link(b, c, EdgeKind::router_mesh, 1.0);
  cube.link(a, c, EdgeKind::router_mesh, 2.0);
  cube.ends(a, c);
  EXPECT_EQ(cube.route(), (Names{"sip0.cube0.a", "sip0.cube0.c"}));
}

// Against the index rule: the vertical neighbour has the lower index.
TEST(TieRule, HorizontalEdgeBeforeOthers) {
  OneCube cube;
  const NodeId a = cube.router("a", 0, 0), down = cube.router("down", 0, 1), right = cube.router("right", 1, 0);
  const NodeId z = cube.router("z", 1, 1);
  cube.link(a, down, EdgeKind::router_mesh, 1.0);
  cube.link(a, right, EdgeKind::router_mesh, 1.0);
  cube.link(down, z, EdgeKind::router_mesh, 1.0);
  cube.link(right, z, EdgeKind::router_mesh, 1.0);
  cube.ends(a, z);
  EXPECT_EQ(cube.route(), (Names{"sip0.cube0.a", "sip0.cube0.right", "sip0.cube0.z"}));
}

TEST(TieRule, LowerNodeIndexLast) {
  OneCube cube;
  const NodeId a = cube.router("a", 0, 0), second = cube.router("first_made", 0, 1);
  const NodeId third = cube.router("later_made", 0, 2), z = cube.router("z", 1, 3);
  cube.link(a, third, EdgeKind::router_mesh, 1.0);
  cube.link(a, second, EdgeKind::router_mesh, 1.0);
  cube.link(third, z, EdgeKind::router_mesh, 1.0);
  cube.link(second, z, EdgeKind::router_mesh, 1.0);
  cube.ends(a, z);
  EXPECT_EQ(cube.route(), (Names{"sip0.cube0.a", "sip0.cube0.first_made", "sip0.cube0.z"}));
}

// A row of cubes, each with one router, joined E to W with `connections` connections per port.
struct Row : test::Sketch {
  explicit Row(int cubes, int connections) {
    for (int c = 0; c < cubes; ++c) {
      const std::string cube = "sip0.cube" + std::to_string(c) + ".";
      const NodeId router = add(cube + "r0c0", NodeKind::noc_router, Position{0, 0});
      routers.push_back(router);
      west.push_back(port(cube + "ucie-W", router, connections));
      east.push_back(port(cube + "ucie-E", router, connections));
      if (c > 0) link(east[east.size() - 2], west.back(), EdgeKind::ucie_mesh, 1.0);
    }
    link(add("sip0.cube0.pe0.pe_dma", NodeKind::pe_dma), routers.front(), EdgeKind::pe_to_router, 0.0);
    link(routers.back(), add("sip0.cube" + std::to_string(cubes - 1) + ".hbm_ctrl.pe0", NodeKind::hbm_ctrl),
         EdgeKind::router_to_hbm, 0.0);
  }
  // Connections in falling order of index, so that the lower index has the higher node index.
  NodeId port(const std::string& name, NodeId router, int connections) {
    const NodeId endpoint = add(name, NodeKind::ucie);
    for (int i = connections - 1; i >= 0; --i) {
      const NodeId connection = add(name + ".conn" + std::to_string(i), NodeKind::ucie_conn);
      link(connection, router, EdgeKind::router_to_ucie_conn, 0.0);
      link(connection, endpoint, EdgeKind::ucie_internal, 0.0);
    }
    return endpoint;
  }
  void lengthen(const std::string& connection, double mm) {
    for (topology::Edge& edge : graph.edges) {
      const bool touches = graph.nodes[edge.src.value].id == connection || graph.nodes[edge.dst.value].id == connection;
      if (touches && edge.kind == EdgeKind::router_to_ucie_conn) edge.distance_mm = mm;
    }
  }
  std::string connections_of(const Names& route) const {
    std::string indexes;
    for (const std::string& name : route) {
      const std::size_t at = name.rfind(".conn");
      if (at != std::string::npos) indexes += name.substr(at + 5);
    }
    return indexes;
  }
  std::vector<NodeId> routers, west, east;
};

// The lowest node index of all equal connections is taken at the first port, and kept.
TEST(TieRule, ConnectionIndexIsKept) {
  Row row(3, 4);
  const topology::Graph graph = row.build();
  EXPECT_EQ(row.connections_of(interior(graph, "sip0.cube0.pe0.pe_dma", "sip0.cube2.hbm_ctrl.pe0")), "3333");
}

// Only connection 1 of the third port is short. The number of changes of the whole route counts, not the next step: the
// index is 1 from the start although 2 is the first choice there.
TEST(TieRule, ChangesOfTheWholeRouteCount) {
  Row row(3, 3);
  row.lengthen("sip0.cube1.ucie-E.conn0", 5.0);
  row.lengthen("sip0.cube1.ucie-E.conn2", 5.0);
  const topology::Graph graph = row.build();
  EXPECT_EQ(row.connections_of(interior(graph, "sip0.cube0.pe0.pe_dma", "sip0.cube2.hbm_ctrl.pe0")), "1111");
}

// A forced change at the first port: it happens once, and as late as the node order allows.
TEST(TieRule, OneChangeRatherThanTwo) {
  Row row(3, 3);
  row.lengthen("sip0.cube0.ucie-E.conn1", 5.0);
  row.lengthen("sip0.cube0.ucie-E.conn2", 5.0);
  row.lengthen("sip0.cube1.ucie-E.conn0", 5.0);
  row.lengthen("sip0.cube1.ucie-E.conn1", 5.0);
  const topology::Graph graph = row.build();
  // From 0 to 2 once; at the second port conn2 has a lower node index than conn0.
  EXPECT_EQ(row.connections_of(interior(graph, "sip0.cube0.pe0.pe_dma", "sip0.cube2.hbm_ctrl.pe0")), "0222");
}

// The port of the own cube is not a shortcut, directly or by way of the neighbour.
TEST(TieRule, NoTurningBackAtAPort) {
  test::Sketch sketch;
  const auto cube = [&](int c) {
    const std::string prefix = "sip0.cube" + std::to_string(c) + ".";
    const NodeId left = sketch.add(prefix + "r0c0", NodeKind::noc_router, Position{0, 0});
    const NodeId right = sketch.add(prefix + "r0c1", NodeKind::noc_router, Position{9, 0});
    sketch.link(left, right, EdgeKind::router_mesh, 100.0);
    return std::pair{left, right};
  };
  const auto port = [&](const std::string& name, std::vector<NodeId> routers) {
    const NodeId endpoint = sketch.add(name, NodeKind::ucie);
    for (std::size_t i = 0; i < routers.size(); ++i) {
      const NodeId connection = sketch.add(name + ".conn" + std::to_string(i), NodeKind::ucie_conn);
      sketch.link(connection, routers[i], EdgeKind::router_to_ucie_conn, 0.0);
      sketch.link(connection, endpoint, EdgeKind::ucie_internal, 0.0);
    }
    return endpoint;
  };
  // cube 0 over cube 1 (N-S ports with a connection at each end); cube 2 hangs on the right end of cube 0.
  const auto [left0, right0] = cube(0);
  const auto [left1, right1] = cube(1);
  const auto [left2, right2] = cube(2);
  const NodeId south0 = port("sip0.cube0.ucie-S", {left0, right0});
  const NodeId north1 = port("sip0.cube1.ucie-N", {left1, right1});
  const NodeId east0 = port("sip0.cube0.ucie-E", {right0});
  const NodeId west2 = port("sip0.cube2.ucie-W", {left2});
  sketch.link(south0, north1, EdgeKind::ucie_mesh, 1.0);
  sketch.link(east0, west2, EdgeKind::ucie_mesh, 1.0);
  sketch.link(sketch.add("sip0.cube0.pe0.pe_dma", NodeKind::pe_dma), left0, EdgeKind::pe_to_router, 0.0);
  sketch.link(left2, sketch.add("sip0.cube2.hbm_ctrl.pe0", NodeKind::hbm_ctrl), EdgeKind::router_to_hbm, 0.0);
  const topology::Graph graph = sketch.build();
  EXPECT_EQ(interior(graph, "sip0.cube0.pe0.pe_dma", "sip0.cube2.hbm_ctrl.pe0"),
            (Names{"sip0.cube0.r0c0", "sip0.cube0.r0c1", "sip0.cube0.ucie-E.conn0", "sip0.cube0.ucie-E",
                   "sip0.cube2.ucie-W", "sip0.cube2.ucie-W.conn0", "sip0.cube2.r0c0"}));
}

TEST(TieRule, RouteEdgesNeedTheirReverse) {
  OneCube cube;
  const NodeId a = cube.router("a", 0, 0), b = cube.router("b", 1, 0);
  cube.edge(a, b, EdgeKind::router_mesh, 1.0);
  cube.ends(a, b);
  try {
    cube.route();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    EXPECT_EQ(std::string(error.what()).rfind("the link from sip0.cube0.a to sip0.cube0.b has no way back", 0), 0u);
  }
}

}  // namespace
}  // namespace kb::routing
