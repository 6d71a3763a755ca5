// An engine that a plug-in brings, from the topology to the report: examples/engines.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"
#include "tests/support/source_file.h"
#include "tests/support/sqlite_rows.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class EnginesTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    machine_ = write("machine.yaml", source_file("examples/engines/machine.yaml"));
  }
  Outcome run(const std::string& options) const {
    return kernbench(std::string("run --plugin '") + KB_ENGINES_PLUGIN + "' --topology '" + machine_ +
                     "' --bench transpose --out out " + options);
  }
  Json result() const { return Json::parse(read("out/result.json"), nullptr, false); }

  std::string machine_;
};

// The work of a PE for the default sizes: 12 tiles of 64 x 64, at 32 elements in a ns.
constexpr double kBusyNs = 12 * 64 * 64 / 32.0;

TEST_F(EnginesTest, ComputesTheSameDataAndTimesInAllModes) {  // P-105, P-99
  std::vector<Json> launches;
  for (const char* mode : {"--data off", "--data replay --verify-data", "--data eager --verify-data"}) {
    const Outcome outcome = run(mode);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    launches.push_back(result()["launches"]);
  }
  EXPECT_EQ(result()["verification"][0]["status"], "ok");
  EXPECT_EQ(launches[0], launches[1]);
  EXPECT_EQ(launches[0], launches[2]);
}

TEST_F(EnginesTest, HasATimeShareOfItsOwn) {  // P-105
  const Outcome outcome = run("--data off");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json breakdown = result()["launches"][0]["breakdown"];
  EXPECT_EQ(breakdown["transpose_ns"], kBusyNs);
  EXPECT_EQ(breakdown["gemm_ns"], 0.0);
  EXPECT_EQ(breakdown["busy"]["compute_ns"], kBusyNs);
  EXPECT_THAT(outcome.out, HasSubstr("PE_TRANSPOSE computes"));
}

TEST_F(EnginesTest, WorksInWholeBlocks) {  // its own `work`
  ASSERT_EQ(run("--data off --set rows=40 --set columns=20 --set block=16").code, 0);
  EXPECT_EQ(result()["launches"][0]["breakdown"]["transpose_ns"], 48 * 32 / 32.0);
}

TEST_F(EnginesTest, StandsInTheOperationLogAndInItsDatabase) {  // P-67, P-105
  ASSERT_EQ(run("--data eager --verify-data --oplog ops.sqlite --set block=16").code, 0);
  const std::string file = folder() + "/ops.sqlite";
  EXPECT_EQ(sql_rows(file, "SELECT count(*), min(component) FROM ops WHERE op_kind = 'transpose'"),
            (SqlRows{{"48", "sip0.cube0.pe0.pe_transpose"}}));
  EXPECT_EQ(sql_rows(file,
                     "SELECT DISTINCT op_name, params ->> '$.parameters.block', params ->> '$.elements' FROM ops WHERE "
                     "op_kind = 'transpose'"),
            (SqlRows{{"transpose", "16", "4096"}}));
  EXPECT_EQ(sql_rows(file, "SELECT name, node, stage, colour, rate, unit FROM engine ORDER BY id"),
            (SqlRows{{"gemm", "pe_gemm", "GEMM", "#d9822b", "mac_per_ns", "MAC"},
                     {"math", "pe_math", "MATH", "#e8b878", "elements_per_ns", "element"},
                     {"transpose", "pe_transpose", "TRANSPOSE", "#3f8f6b", "elements_per_ns", "element"}}));
}

TEST_F(EnginesTest, IsNamedByTheFindingOfABusyEngine) {
  const Outcome outcome = run("--data off --set cube.pe_template.components.pe_transpose.attrs.elements_per_ns=1");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("PE_GEMM 0 %, PE_MATH 0 % and PE_TRANSPOSE 9"));
  EXPECT_THAT(outcome.out, HasSubstr("try: this is the roof of PE_TRANSPOSE: transpose less"));
}

TEST_F(EnginesTest, MakesNoRaces) {  // P-55b
  const Outcome outcome = run("--check races");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(result()["races"].empty());
}

TEST_F(EnginesTest, IsARowOfTheTopology) {
  const std::string plugin = std::string("--plugin '") + KB_ENGINES_PLUGIN + "' ";
  const Json machine = json("topology --json " + plugin + "'" + machine_ + "'");
  ASSERT_EQ(machine["engines"].size(), 3u);
  const Json& row = machine["engines"][2];
  EXPECT_EQ(row["node"], "pe_transpose");
  EXPECT_EQ(row["commands"][0], Json::parse(R"({"name": "transpose", "reads": ["x"], "writes": "out",
                                                "parameters": ["block"]})"));
  int nodes = 0;
  for (const Json& node : machine["nodes"]) nodes += node["kind"] == "pe_transpose" ? 1 : 0;
  EXPECT_EQ(nodes, 4);
  // Machines that do not name it are what they were.
  const Json other = json("topology --json " + plugin + "'" + config("one_cube") + "'");
  EXPECT_EQ(other, json("topology --json '" + config("one_cube") + "'"));
}

TEST_F(EnginesTest, IsListedByTheCheckOfItsPlugIn) {
  const Outcome outcome = kernbench(std::string("check --plugin '") + KB_ENGINES_PLUGIN + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 workload, 1 kernel, 0 all-reduces, 0 blocks, 1 engine)"));
  EXPECT_THAT(outcome.out, HasSubstr("transpose (x; block)"));
}

TEST_F(EnginesTest, NeedsItsPlugIn) {
  const Outcome outcome = kernbench("check '" + machine_ + "'");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err + outcome.out, HasSubstr("pe_transpose"));
}

}  // namespace
}  // namespace kb::test
