#include "platform/topology/mesh_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const std::vector<GridPoint>& points) {
  std::vector<std::string> out;
  for (GridPoint point : points) out.push_back(router_name(point));
  return out;
}

std::vector<std::string> pe_routers(const MeshLayout& mesh) {
  std::vector<std::string> out;
  for (const PeAttachment& pe : mesh.pes) out.push_back(router_name(pe.router));
  return out;
}

const std::vector<GridPoint>& port(const MeshLayout& mesh, Side side) {
  return mesh.ucie[static_cast<std::size_t>(side)];
}

TEST(MeshLayout, ReferenceCubeIsTheWorkedExampleT53) {
  const MeshLayout mesh = minimal().mesh;
  EXPECT_THAT(mesh.column_x, ElementsAre(1.5, 4.5, 7.5, 10.5, 13.5, 16.5));
  EXPECT_THAT(mesh.row_y, ElementsAre(1.5, 4.0, 5.5, 8.5, 10.0, 12.5));
  EXPECT_THAT(names(mesh.holes), ElementsAre("r2c2", "r2c3", "r3c2", "r3c3"));  // T-46
  EXPECT_EQ(mesh.router_count(), 32);
  EXPECT_THAT(pe_routers(mesh), ElementsAre("r0c0", "r0c1", "r1c4", "r1c5", "r4c0", "r4c1", "r5c4", "r5c5"));
  EXPECT_EQ(router_name(mesh.m_cpu), "r2c0");
  EXPECT_EQ(router_name(mesh.sram), "r3c0");
  EXPECT_THAT(names(port(mesh, Side::E)), ElementsAre("r0c5", "r1c5", "r4c5", "r5c5"));
  EXPECT_THAT(names(port(mesh, Side::W)), ElementsAre("r0c0", "r1c0", "r4c0", "r5c0"));
  EXPECT_THAT(names(port(mesh, Side::N)), ElementsAre("r0c0", "r0c1", "r0c4", "r0c5"));
  EXPECT_THAT(names(port(mesh, Side::S)), ElementsAre("r5c0", "r5c1", "r5c4", "r5c5"));
}

TEST(MeshLayout, DmaStubsOfTheWorkedExampleT53) {
  const Graph graph = minimal().graph;
  const MeshLayout mesh = minimal().mesh;
  const std::vector<double> expected{0.0, 0.0, 2.5, 2.5, 2.5, 2.5, 0.0, 0.0};
  for (std::size_t pe = 0; pe < expected.size(); ++pe) {
    const std::string dma = "sip1.cube7.pe" + std::to_string(pe) + ".pe_dma";
    const std::string router = "sip1.cube7." + router_name(mesh.pes[pe].router);
    EXPECT_EQ(edge_between(graph, dma, router).distance_mm, expected[pe]) << dma;
    EXPECT_EQ(edge_between(graph, router, dma).distance_mm, expected[pe]) << dma;
  }
}

TEST(MeshLayout, ShippedSramPositionSelectsTheSameRouterT18) {
  const MeshLayout mesh = minimal({{"cube.placement.sram.pos_mm", "[1.5, 9.0]"}}).mesh;
  EXPECT_EQ(router_name(mesh.sram), "r3c0");
}

TEST(MeshLayout, PlacementTieGoesToTheLowestRowThenColumnT48) {
  const MeshLayout mesh = minimal({{"cube.placement.m_cpu.pos_mm", "[3.0, 7.0]"}}).mesh;
  EXPECT_EQ(router_name(mesh.m_cpu), "r2c0");
}

TEST(MeshLayout, PlacementSkipsTheHoleT48) {
  const MeshLayout mesh = minimal({{"cube.placement.sram.pos_mm", "[7.5, 6.0]"}}).mesh;
  EXPECT_EQ(router_name(mesh.sram), "r1c2");  // r2c2 is nearer but in the hole
}

TEST(MeshLayout, WideGapsGetEquallySpacedRelayColumnsT44) {
  const MeshLayout mesh = minimal({{"cube.geometry.cube_mm.w", "20"}}).mesh;
  EXPECT_THAT(mesh.column_x, ElementsAre(1.5, 4.5, 7.25, 10.0, 12.75, 15.5, 18.5));
  const MeshLayout narrow = minimal({{"cube.geometry.cube_mm.w", "12"}}).mesh;
  EXPECT_THAT(narrow.column_x, ElementsAre(1.5, 4.5, 7.5, 10.5));
  EXPECT_THAT(names(narrow.holes), ElementsAre("r2c1", "r2c2", "r3c1", "r3c2"));
}

TEST(MeshLayout, OnePeCubeHasOneColumnAndNoHoleT55) {
  const MeshLayout mesh = minimal({{"cube.pe_layout.corners", "[NW]"}, {"cube.pe_layout.pe_per_corner", "1"}}).mesh;
  EXPECT_THAT(mesh.column_x, ElementsAre(1.5));
  EXPECT_EQ(mesh.rows(), 6);
  EXPECT_TRUE(mesh.holes.empty());
  EXPECT_THAT(names(port(mesh, Side::N)), ElementsAre("r0c0", "r0c0", "r0c0", "r0c0"));
  EXPECT_THAT(names(port(mesh, Side::E)), ElementsAre("r0c0", "r1c0", "r4c0", "r5c0"));
}

TEST(MeshLayout, OnePePerCornerSitsAtTheCornerT47) {
  const MeshLayout mesh = minimal({{"cube.pe_layout.pe_per_corner", "1"}}).mesh;
  EXPECT_THAT(pe_routers(mesh), ElementsAre("r0c0", "r0c5", "r5c0", "r5c5"));
  for (const PeAttachment& pe : mesh.pes) {
    EXPECT_EQ(mesh.position(pe.router).x, pe.center.x);
    EXPECT_EQ(mesh.position(pe.router).y, pe.center.y);
  }
}

TEST(MeshLayout, EastCornersRaiseTheRowCountT55) {
  const MeshLayout two = minimal({{"cube.ucie.n_connections", "2"}}).mesh;
  EXPECT_EQ(two.rows(), 6);
  EXPECT_THAT(pe_routers(two), ElementsAre("r0c0", "r0c1", "r1c4", "r1c5", "r4c0", "r4c1", "r5c4", "r5c5"));
  EXPECT_THAT(names(port(two, Side::E)), ElementsAre("r0c5", "r1c5"));
  EXPECT_THAT(names(port(two, Side::N)), ElementsAre("r0c0", "r0c5"));
  const MeshLayout west = minimal({{"cube.ucie.n_connections", "1"}, {"cube.pe_layout.corners", "[NW, SW]"}}).mesh;
  EXPECT_THAT(west.row_y, ElementsAre(1.5, 5.5, 8.5, 12.5));
  EXPECT_THAT(pe_routers(west), ElementsAre("r0c0", "r0c1", "r3c0", "r3c1"));
}

TEST(MeshLayout, OddConnectionCountsMakeExactlyThatManyEntriesT49) {
  const MeshLayout three = minimal({{"cube.ucie.n_connections", "3"}}).mesh;
  EXPECT_THAT(names(port(three, Side::W)), ElementsAre("r0c0", "r1c0", "r4c0"));
  EXPECT_THAT(names(port(three, Side::S)), ElementsAre("r5c0", "r5c1", "r5c5"));
  const MeshLayout five = minimal({{"cube.ucie.n_connections", "5"}}).mesh;
  EXPECT_EQ(five.rows(), 8);
  EXPECT_THAT(five.row_y, ElementsAre(1.5, 2.75, 4.0, 5.5, 8.5, 10.0, 11.25, 12.5));
  EXPECT_THAT(names(port(five, Side::E)), ElementsAre("r0c5", "r1c5", "r2c5", "r5c5", "r6c5"));
  EXPECT_THAT(names(port(five, Side::N)), ElementsAre("r0c0", "r0c1", "r0c2", "r0c4", "r0c5"));
}

TEST(MeshLayout, FourPesPerCornerStayInTheirHalfT55) {
  const MeshLayout mesh = minimal({{"cube.pe_layout.pe_per_corner", "4"}}).mesh;
  EXPECT_THAT(mesh.column_x, ElementsAre(1.5, 3.642, 5.784, 7.926, 10.074, 12.216, 14.358, 16.5));
  EXPECT_EQ(mesh.pes.size(), 16u);
}

TEST(MeshHash, ChangesWithTheLayoutInputsAndNothingElseT57) {
  const auto hash = [](const Overrides& overrides) { return mesh_source_hash(minimal(overrides).graph.spec); };
  const std::string base = hash({});
  for (const Overrides& change : std::vector<Overrides>{{{"cube.geometry.cube_mm.w", "20"}},
                                                        {{"cube.geometry.cube_mm.h", "15"}},
                                                        {{"cube.geometry.hbm_mm.w", "8"}},
                                                        {{"cube.pe_layout.corners", "[NW, NE]"}},
                                                        {{"cube.pe_layout.corners", "[NE, NW, SW, SE]"}},
                                                        {{"cube.pe_layout.pe_per_corner", "1"}},
                                                        {{"cube.ucie.n_connections", "3"}},
                                                        {{"cube.placement.m_cpu.pos_mm", "[1.5, 5.6]"}},
                                                        {{"cube.placement.sram.pos_mm", "[1.5, 9.0]"}}}) {
    EXPECT_NE(hash(change), base) << change[0].first;
  }
  MachineSpec one_to_one = minimal().graph.spec;
  one_to_one.hbm_mapping_mode = HbmMapping::one_to_one;
  EXPECT_NE(mesh_source_hash(one_to_one), base);
  for (const Overrides& change : std::vector<Overrides>{{{"system.sips.count", "3"}},
                                                        {{"sip.cube_mesh.w", "2"}},
                                                        {{"sip.cube_mesh.h", "1"}},
                                                        {{"cube.memory_map.hbm_total_gb_per_cube", "96"}},
                                                        {{"cube.memory_map.hbm_channel_bw_gbs", "16"}},
                                                        {{"cube.links.router_link_bw_gbs", "128"}},
                                                        {{"cube.ucie.attrs.overhead_ns", "4"}},
                                                        {{"cube.components.sram.attrs.overhead_ns", "3"}}}) {
    EXPECT_EQ(hash(change), base) << change[0].first;
  }
}

TEST(MeshFile, ReadsBackWhatItWritesT57) {
  const LoadedTopology loaded = minimal();
  std::vector<Diagnostic> diagnostics;
  const MeshLayout mesh = mesh_from_yaml(render_mesh(loaded), "m.yaml", loaded.graph.spec, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(mesh_to_yaml(mesh, loaded.graph.spec), render_mesh(loaded));
}

std::string mesh_error(const std::string& text, const MachineSpec& spec) {
  std::vector<Diagnostic> diagnostics;
  mesh_from_yaml(text, "m.yaml", spec, diagnostics);
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) out += diagnostic.text() + "\n";
  return out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("not in the text: " + from);
  return text.replace(at, from.size(), to);
}

TEST(MeshFile, RefusesALayoutOfOtherInputs) {
  const std::string text = render_mesh(minimal());
  EXPECT_EQ(mesh_error(text, minimal({{"cube.geometry.cube_mm.w", "20"}}).graph.spec),
            "m.yaml:5:14: source_hash: the layout was made for another geometry, PE layout, placement, mapping mode or "
            "UCIe connection count than this topology has (regenerate the file with --emit-mesh, or remove "
            "cube.mesh_file)\n");
  EXPECT_EQ(mesh_error(replaced(text, "layout_version: 1", "layout_version: 9"), minimal().graph.spec),
            "m.yaml:4:17: layout_version: the layout is of version 9, this program makes version 1 (regenerate the "
            "file with --emit-mesh)\n");
}

TEST(MeshFile, RefusesAttachmentsOutsideTheGrid) {
  const MachineSpec spec = minimal().graph.spec;
  const std::string text = render_mesh(minimal());
  EXPECT_EQ(mesh_error(replaced(text, "m_cpu: r2c0", "m_cpu: r2c2"), spec),
            "m.yaml:23:8: m_cpu: there is no router 'r2c2' in a grid of 6 rows and 6 columns outside the hole (name an "
            "existing router, e.g. r0c0)\n");
  EXPECT_EQ(mesh_error(replaced(text, "E: [r0c5, ", "E: ["), spec),
            "m.yaml:20:3: ucie.E: 3 entries, but the topology has 4 (regenerate the file with --emit-mesh)\n");
  EXPECT_EQ(mesh_error(replaced(text, "holes: [r2c2, r2c3, r3c2, r3c3]", "holes: [r0c2, r1c2, r2c2, r3c2, r4c2, r5c2]"),
                       spec),
            "m.yaml:8:1: holes: the holes cut the grid into separate parts (leave a way around them)\n");
}

}  // namespace
}  // namespace kb::topology
