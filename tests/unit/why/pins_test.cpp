// Pins of another machine are refused. H-82p.
#include <gmock/gmock.h>

#include <fstream>

#include "platform/base/error.h"
#include "sim/result/inputs.h"
#include "sim/run/driver/planning_machine.h"

namespace kb::sim {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

topology::Graph graph(const std::string& name, const std::vector<std::pair<std::string, std::string>>& overrides = {}) {
  return topology::load(std::string(KB_SOURCE_DIR) + "/configs/" + name + ".yaml", overrides).graph;
}

TEST(Pins, RatesAndDelaysFit) {
  EXPECT_THAT(misfit_of(graph("one_cube"), graph("one_cube", {{"cube.links.router_link_bw_gbs", "64"}})), IsEmpty());
  EXPECT_THAT(misfit_of(graph("one_cube"), graph("one_cube", {{"cube.ucie.attrs.overhead_ns", "0"}})), IsEmpty());
}

TEST(Pins, OtherNodesAndSizesDoNot) {
  EXPECT_THAT(misfit_of(graph("one_cube"), graph("one_pe")), HasSubstr("node "));
  EXPECT_THAT(misfit_of(graph("one_cube"), graph("one_cube", {{"cube.memory_map.tcm_size_mb", "4"}})),
              HasSubstr("cube.memory_map.tcm_size_mb makes 4194304 here and 2097152 in the pins"));
}

TEST(Inputs, AreReadAsWritten) {
  result::Inputs inputs;
  inputs.topology = {"", "reference", std::string(64, 'a'), "line\n\"quoted\"\n", {"a.b=1"}};
  inputs.params = {{"m", "0064", "command line"}};
  inputs.plugins = {{"lib.so", std::string(64, 'b')}};
  inputs.seed = 18446744073709551615u;
  inputs.time_limit = 5_ns;
  const std::string file = testing::TempDir() + "/inputs.json";
  std::ofstream(file) << result::render(inputs);
  const result::Inputs back = result::read_inputs(file);
  EXPECT_EQ(result::render(back), result::render(inputs));
  EXPECT_EQ(back.params[0].value, "0064");
  EXPECT_EQ(back.topology.text, inputs.topology.text);
}

TEST(Inputs, OtherFilesAreRefused) {
  const std::string file = testing::TempDir() + "/other.json";
  std::ofstream(file) << "{\"schema\": 3}";
  try {
    result::read_inputs(file);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("is not the inputs of a run"));
  }
}

}  // namespace
}  // namespace kb::sim
