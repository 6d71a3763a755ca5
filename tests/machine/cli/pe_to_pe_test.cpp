// The workload pe-to-pe: messages and stores between any two PEs.
#include <gmock/gmock.h>

#include <algorithm>
#include <tuple>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class PeToPeTest : public CommandLineTest {
 protected:
  double critical_path(const std::string& options) {
    const Outcome outcome = kernbench("run --quiet --bench pe-to-pe --verify-data --out out " + options);
    EXPECT_EQ(outcome.code, 0) << options << outcome.err;
    const Json result = Json::parse(read("out/result.json"), nullptr, false);
    EXPECT_EQ(result["verification"].size(), 1u) << options;
    return figure_of(result);
  }
  static double figure_of(const Json& result) {
    for (const Json& figure : result["figures"]) {
      if (figure["name"] == "critical path") return figure["value"];
    }
    ADD_FAILURE() << "no critical path";
    return 0;
  }
};

// reading the slot is what the two receives differ by. 4 KiB: 8 ns in the TCM, 6 + 16 + 16 in the HBM.
TEST_F(PeToPeTest, ReadingTheSlotCostsTheSlot_Q124) {
  for (const char* to : {"sip0.cube0.pe5", "sip0.cube15.pe0", "sip1.cube3.pe2"}) {
    const std::string pair = std::string("--set to=") + to;
    EXPECT_NEAR(critical_path(pair + " --set method=ipcq_read") - critical_path(pair), 8, 1e-5) << to;
    const std::string hbm = pair + " --set buffer_kind=hbm";
    EXPECT_NEAR(critical_path(hbm + " --set method=ipcq_read") - critical_path(hbm), 38, 1e-5) << to;
    EXPECT_GT(critical_path(pair + " --set method=dma"), 0) << to;
  }
}

TEST_F(PeToPeTest, ReadingBackDoesNotCountAndNoDataModeMovesATime_H77) {
  const double verified = critical_path("--set to=sip1.cube0.pe0");
  ASSERT_EQ(kernbench("run --quiet --bench pe-to-pe --data off --out off --set to=sip1.cube0.pe0").code, 0);
  const Json result = Json::parse(read("off/result.json"));
  EXPECT_EQ(result["launches"].size(), 4u);  // on each SIP: one that is measured, one that stores what was received
  EXPECT_EQ(figure_of(result), verified);
  double longest = 0;
  for (const Json& launch : result["launches"]) longest = std::max(longest, launch["pe_exec_ns"]["max"].get<double>());
  EXPECT_GT(longest, verified);
}

TEST_F(PeToPeTest, MistakesAreExplained) {
  for (const auto& [options, code, says] :
       {std::tuple("--set to=pe1", 2, "one is written like sip0.cube0.pe0"),
        std::tuple("--set to=sip2.cube0.pe0", 2, "the machine has sip0 to sip1"),
        std::tuple("--set from=sip0.cube16.pe0", 2, "the machine has cube0 to cube15"),
        std::tuple("--set to=sip0.cube0.pe0", 2, "is the PE that sends"),
        std::tuple("--set bytes=3", 2, "must be even"), std::tuple("--set method=dm", 2, "dma"),
        std::tuple("--set bytes=8192", 1, "does not fit a slot of 4096 bytes")}) {
    const Outcome outcome = kernbench(std::string("run --quiet --bench pe-to-pe --out out ") + options);
    EXPECT_EQ(outcome.code, code) << options;
    EXPECT_THAT(outcome.err, HasSubstr(says)) << options;
  }
}

}  // namespace
}  // namespace kb::test
