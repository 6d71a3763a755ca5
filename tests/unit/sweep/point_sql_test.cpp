// What queries of a sweep file are told of machines, and how axes get their values from them.
#include "sim/study/sweep/point_sql.h"

#include <gmock/gmock.h>

#include "platform/base/error.h"
#include "platform/routing/address_resolver.h"
#include "platform/routing/latency.h"
#include "platform/routing/path_router.h"
#include "platform/routing/uncontended_transfer.h"
#include "sim/study/sweep/fill_axes.h"
#include "sim/study/sweep/space.h"
#include "sim/study/sweep/sweep_file.h"

namespace kb::sweep {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const topology::LoadedTopology& machine() {
  static const topology::LoadedTopology loaded = topology::load(std::string(KB_SOURCE_DIR) + "/configs/one_sip.yaml");
  return loaded;
}

std::vector<std::string> values(const std::string& query) {
  return values_of_query(query, machine());
}
double number(const std::string& query) {
  return std::stod(values(query).at(0));
}
std::string problem(const std::string& query) {
  try {
    values(query);
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << query;
  return {};
}

// The route of PE 0 to the slice of the last PE of the farthest cube.
struct Path {
  Path() {
    const auto& spec = machine().graph.spec;
    const PeCoord from{SipId(0), CubeId(0), PeId(0)};
    const PeCoord to{SipId(0), CubeId(static_cast<std::uint32_t>(spec.cubes_per_sip() - 1)),
                     PeId(static_cast<std::uint32_t>(spec.pes_per_cube() - 1))};
    source = resolver.find_pe_node(from, topology::NodeKind::pe_dma);
    target = resolver.find_hbm(to);
    route = &router.find_path(source, target);
  }
  std::string ends() const {
    return "'" + machine().graph.node(source).id + "', '" + machine().graph.node(target).id + "'";
  }
  routing::AddressResolver resolver{machine().graph};
  routing::PathRouter router{machine().graph};
  NodeId source, target;
  const routing::Route* route = nullptr;
};

TEST(MachineSql, TablesAreTheCompiledMachine) {
  const topology::Graph& graph = machine().graph;
  EXPECT_EQ(number("SELECT count(*) FROM node"), static_cast<double>(graph.nodes.size()));
  EXPECT_EQ(number("SELECT count(*) FROM edge"), static_cast<double>(graph.edges.size()));
  EXPECT_EQ(number("SELECT count(*) FROM node WHERE kind = 'pe_dma' AND sip = 0 AND cube = 0"),
            graph.spec.pes_per_cube());
  EXPECT_THAT(values("SELECT value FROM machine WHERE key = 'sip.cube_mesh.w'"),
              ElementsAre(std::to_string(graph.spec.cube_mesh_w)));
  EXPECT_EQ(number("SELECT count(*) FROM edge JOIN node ON node.id = edge.source"),
            static_cast<double>(graph.edges.size()));
}

TEST(MachineSql, PathsAreThoseOfTheRouter) {
  const Path path;
  const std::string ends = path.ends();
  EXPECT_THAT(number("SELECT path_ns(" + ends + ")"),
              DoubleEq(fs_to_ns(routing::path_latency_fs(machine().graph, *path.route, 0))));
  EXPECT_THAT(number("SELECT path_gbs(" + ends + ")"),
              DoubleEq(routing::narrowest_bw(machine().graph, *path.route).gbs()));
  EXPECT_EQ(number("SELECT json_array_length(path_edges(" + ends + "))"),
            static_cast<double>(path.route->edges.size()));
  EXPECT_EQ(number("SELECT min(gbs) FROM json_each(path_edges_back(" + ends +
                   ")) AS step JOIN edge ON edge.id = step.value WHERE gbs > 0"),
            number("SELECT path_gbs(" + ends + ")"));
}

TEST(MachineSql, TransfersAreThoseWithoutContention) {
  const Path path;
  const routing::TransferPath transfer = routing::transfer_path(machine().graph, *path.route);
  const routing::TransferTimes read = routing::uncontended_read(transfer, 5000);
  const routing::TransferTimes write = routing::uncontended_write(transfer, 5000);
  const auto nanoseconds = [&](const char* function, const char* part) {
    return number("SELECT " + std::string(function) + "(" + path.ends() + ", 5000, '" + part + "')");
  };
  EXPECT_THAT(nanoseconds("read_ns", "answered"), DoubleEq(fs_to_ns(read.answered)));
  EXPECT_THAT(nanoseconds("read_ns", "delivered"), DoubleEq(fs_to_ns(read.delivered)));
  EXPECT_THAT(nanoseconds("write_ns", "answered"), DoubleEq(fs_to_ns(write.answered)));
  double parts = nanoseconds("write_ns", "behind_first");
  for (const char* part : {"pe", "mesh", "ucie", "fabric", "memory"}) parts += nanoseconds("write_ns", part);
  EXPECT_NEAR(parts, fs_to_ns(write.delivered), 1e-6);
}

TEST(MachineSql, AddressesAreThoseOfTheMachine) {
  const auto address = address::PhysAddr::decode(
      static_cast<std::uint64_t>(std::stoll(values("SELECT hbm_address(0, 3, 2, 4096)").at(0))));
  const Path path;
  EXPECT_EQ(path.resolver.resolve(address), path.resolver.find_hbm({SipId(0), CubeId(3), PeId(2)}));
  EXPECT_THAT(problem("SELECT hbm_address(0, 99, 0, 0)"), HasSubstr("cube99"));
}

// Counted in bins: 16 bins of 4000 draws have 250 each, with a deviation of 15.
TEST(MachineSql, DrawsAreUniformAndEqualEverywhere) {
  EXPECT_THAT(values("SELECT format('%.15f', draw(1, 0))"), ElementsAre("0.766301757339086"));
  const std::vector<std::string> bins = values(
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3999) "
      "SELECT count(*) FROM n GROUP BY CAST(draw(7, i) * 16 AS INTEGER)");
  EXPECT_THAT(bins, SizeIs(16));
  for (const std::string& bin : bins) EXPECT_NEAR(std::stod(bin), 250, 80);
}

TEST(MachineSql, WrongNamesAreTold) {
  EXPECT_THAT(problem("SELECT path_ns('sip0.cube0.pe0.pe_dmb', 'sip0.cube0.sram')"),
              HasSubstr("did you mean 'sip0.cube0.pe0.pe_dma'?"));
  EXPECT_THAT(problem("SELECT read_ns('sip0.cube0.pe0.pe_dma', 'sip0.cube0.sram', 64, 'whole')"),
              HasSubstr("'whole' is not part of a transfer"));
  EXPECT_THAT(problem("SELECT read_ns('sip0.cube0.sram', 'sip0.cube0.sram', 64, 'answered')"),
              HasSubstr("of a pe_dma and a memory"));
  EXPECT_THAT(problem("SELECT 1, 2"), HasSubstr("2 columns"));
  EXPECT_THAT(problem("SELECT draw(-1, 0)"), HasSubstr("a seed is a whole number from 0"));
}

class FillAxesTest : public testing::Test {
 protected:
  FillAxesTest() {
    catalogs_.machine_text = "";
    catalogs_.machine_name = "m.yaml";
    catalogs_.implementations = &topology::builtin_only();
  }
  SweepSpec filled(const std::string& axes) const {
    SweepSpec spec = parse_sweep("workload: copy\ncolumns: {t: /sim_time_ns}\ntopology: " + std::string(KB_SOURCE_DIR) +
                                     "/configs/one_cube.yaml" + "\naxes: {" + axes + "}\n",
                                 "my.yaml", ".");
    fill_axes(spec, catalogs_);
    return spec;
  }
  Catalogs catalogs_;
};

TEST_F(FillAxesTest, AQueryGivesTheValues) {
  const SweepSpec spec = filled("pe: {set: m, sql: \"SELECT pe FROM node WHERE kind = 'pe_dma' AND pe < 3\"}");
  EXPECT_THAT(spec.axes.at(0).columns.at(0).values, ElementsAre("0", "1", "2"));
  EXPECT_EQ(empty_axis(spec), nullptr);
}

TEST_F(FillAxesTest, AMachineMayGiveNone) {
  const SweepSpec spec = filled("c: {set: m, values: [1]}, sip: {set: n, sql: SELECT sip FROM node WHERE sip = 7}");
  ASSERT_NE(empty_axis(spec), nullptr);
  EXPECT_EQ(empty_axis(spec)->name, "sip");
}

TEST_F(FillAxesTest, ZippedQueriesNeedEquallyMany) {
  try {
    filled("a: {zip: [{set: m, values: [1, 2]}, {set: n, sql: SELECT 1}]}");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("m has 2 values and n has 1"));
  }
}

TEST_F(FillAxesTest, AWrongQueryIsToldWhereItStands) {
  try {
    filled("a: {set: m, sql: SELECT k FROM machine}");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("my.yaml:4"));
    EXPECT_THAT(error.what(), HasSubstr("no such column: k"));
  }
}

TEST(PointSql, ColumnsKnowTheValuesOfThePoint) {
  SweepSpec spec = parse_sweep(
      "workload: copy\nset: {k: 3}\ncolumns: {t: \"SELECT (:m * :k) || :word\"}\n"
      "axes: {m: {set: m, values: [5, 7]}, word: {set: w, values: [ns]}}\n",
      "my.yaml", ".");
  const Space space(spec);
  const PointSql sql(spec, machine(), space.assignments(1));
  EXPECT_EQ(sql.value(spec.columns.at(0).text), "21ns");
  EXPECT_TRUE(spec.columns.at(0).sql);
  EXPECT_TRUE(sql.value("SELECT 1 WHERE 0").is_null());
  EXPECT_THROW(sql.value("SELECT 1 UNION SELECT 2"), Error);
}

}  // namespace
}  // namespace kb::sweep
