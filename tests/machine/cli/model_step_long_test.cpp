// Whole models both ways, and thousands of known times simulated again: minutes to hours, run by `ctest -C nightly`.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

class ModelStepLongTest : public CommandLineTest, public testing::WithParamInterface<const char*> {
 protected:
  nlohmann::json step(const std::string& options) const {
    const Outcome outcome = kernbench("model step llama-3.1-70b --tp 8 --json --topology " + std::string(GetParam()) +
                                      " --set system.sips.count=8 " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
};

// M-90
TEST_P(ModelStepLongTest, Llama70bIsEqualToARunOfAllItsLaunches) {
  const nlohmann::json composed = step(""), whole = step("--memo off");
  EXPECT_TRUE(composed["exact"]);
  EXPECT_EQ(composed["device_ns"], whole["device_ns"]);
  for (std::size_t i = 0; i < composed["by_op"].size(); ++i) {
    EXPECT_EQ(composed["by_op"][i]["each_fs"], whole["by_op"][i]["each_fs"]) << composed["by_op"][i]["op"];
  }
}

// M-95: 4 batches, of which every launch of a layer that is known is simulated again.
TEST_P(ModelStepLongTest, TenThousandHitsTakeTheTimeThatIsKnown) {
  std::size_t checked = 0;
  for (const char* const batch :
       {"--batch 1", "--batch 3x700", "--batch 8x100,2x3000", "--phase prefill --tokens 48"}) {
    checked += step(std::string(batch) + " --sums 1 --memo check=2500")["memo"]["checked"].get<std::size_t>();
  }
  EXPECT_EQ(checked, 10'000U);
}

INSTANTIATE_TEST_SUITE_P(Machines, ModelStepLongTest, testing::Values("reference", "hbm3"));

}  // namespace
}  // namespace kb::test
