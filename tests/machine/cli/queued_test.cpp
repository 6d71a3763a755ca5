// Queued launches: the device begins a launch when those before have ended (H-49a, P-51a).
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;

class QueuedTest : public CommandLineTest {
 protected:
  std::string chain(const std::string& options) const {
    return "run --plugin '" + std::string(KB_QUEUED_PLUGIN) + "' --bench queued-chain --verify-data " + options;
  }
  static double figure(const nlohmann::json& result, const std::string& name) {
    for (const nlohmann::json& figure : result["figures"]) {
      if (figure["name"] == name) return figure["value"];
    }
    ADD_FAILURE() << "no figure " << name;
    return -1;
  }
};

TEST_F(QueuedTest, LaunchesOnRandomPesSeeTheResultsOfThoseBefore_H49a) {
  for (int seed = 1; seed <= 12; ++seed) {
    const nlohmann::json result = json(chain("--topology one_sip --check races --json --seed " + std::to_string(seed)));
    EXPECT_EQ(figure(result, "early PEs"), 0) << "seed " << seed;
    EXPECT_TRUE(result["races"].empty()) << "seed " << seed;
  }
}

// Without an order the same launches use what others still write.
TEST_F(QueuedTest, WithoutTheBarrierPesBeginEarlyAndRace_H49a) {
  const Outcome outcome = kernbench(chain("--topology one_sip --check races --json --set order=none"));
  EXPECT_EQ(outcome.code, 1);
  const nlohmann::json result = nlohmann::json::parse(outcome.out);
  EXPECT_GT(figure(result, "early PEs"), 0);
  EXPECT_FALSE(result["races"].empty());
}

TEST_F(QueuedTest, TheBarrierIsShorterThanTheWayToTheHostAndBack_P51a) {
  for (const char* const machine : {"one_cube", "one_sip"}) {
    const std::string run = chain("--json --set pes=all --topology ") + machine;
    EXPECT_LT(figure(json(run), "end"), figure(json(run + " --set order=waited"), "end")) << machine;
    const std::string noop = std::string("run --bench noop --set launches=4 --json --topology ") + machine;
    const nlohmann::json queued = json(noop + " --set queued=yes"), waited = json(noop);
    EXPECT_LT(figure(queued, "launch 3 gap"), 200) << machine;
    EXPECT_LT(figure(queued, "launch 3 gap"), figure(waited, "launch 3 gap")) << machine;
    EXPECT_EQ(figure(queued, "launch 2 gap"), figure(queued, "launch 3 gap")) << machine;
    const nlohmann::json& launches = queued["launches"];
    EXPECT_NEAR(launches[3]["start_ns"].get<double>() - launches[2]["start_ns"].get<double>(),
                figure(queued, "launch 3 gap"), 1e-6)
        << "all PEs begin at one time, " << machine;
    EXPECT_EQ(launches[3]["late_pes"], 0) << machine;
  }
}

TEST_F(QueuedTest, TimesDoNotDependOnTheDataMode_H49a) {
  const std::string run =
      "run --plugin '" + std::string(KB_QUEUED_PLUGIN) + "' --bench queued-chain --topology one_sip --json";
  const nlohmann::json off = json(run), replay = json(run + " --data replay"), eager = json(run + " --data eager");
  EXPECT_EQ(off["sim_time_ns"], replay["sim_time_ns"]);
  EXPECT_EQ(off["sim_time_ns"], eager["sim_time_ns"]);
}

}  // namespace
}  // namespace kb::test
