// A kernel with a fault, from the launch to the verdict and its place.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class MutantTest : public CommandLineTest {
 protected:
  Outcome mutant(const std::string& options) const {
    return kernbench("run --topology '" + config("one_pe") + "' --plugin '" KB_MUTANT_PLUGIN "' --bench mutant " +
                     "--verify-data --out out " + options);
  }
  Json row() const { return Json::parse(read("out/result.json"))["verification"][0]; }
};

TEST_F(MutantTest, TheRightKernelIsEqualForWholeNumbersAndBoundedForReals) {
  for (const char* dtype : {"f16", "bf16", "f32"}) {
    ASSERT_EQ(mutant(std::string("--set dtype=") + dtype).code, 0);
    EXPECT_EQ(row()["rule"], "equal");
    EXPECT_EQ(row()["max_of_bound"], 0);
    EXPECT_FALSE(row().contains("first_wrong"));
    ASSERT_EQ(mutant(std::string("--set data=real --set dtype=") + dtype).code, 0);
    EXPECT_EQ(row()["rule"], "bound");
    EXPECT_GT(row()["max_of_bound"], 0);
    EXPECT_LE(row()["max_of_bound"], 1);
    EXPECT_FALSE(row()["roundings"].empty());
  }
}

TEST_F(MutantTest, EveryFaultIsWrongWithItsPlace) {
  for (const char* dtype : {"f16", "bf16", "f32"}) {
    for (const char* fault :
         {"skipped-k-tile", "no-bias", "stale-accumulator", "last-tile", "wrong-scale", "swapped-rows"}) {
      const Outcome outcome = mutant(std::string("--set dtype=") + dtype + " --set fault=" + fault);
      EXPECT_EQ(outcome.code, 1) << fault << " " << dtype << "\n" << outcome.out;
      EXPECT_THAT(outcome.out, HasSubstr("elements are wrong; the first at (")) << fault << " " << dtype;
      EXPECT_EQ(row()["ok"], false);
      EXPECT_EQ(row()["first_wrong"]["index"].size(), 2u);
      EXPECT_NE(row()["first_wrong"]["expected"], row()["first_wrong"]["actual"]);
    }
  }
  mutant("--set fault=last-tile");
  EXPECT_EQ(row()["first_wrong"]["index"], (Json{16, 32}));
  EXPECT_EQ(row()["first_wrong"]["actual"], 0);
}

}  // namespace
}  // namespace kb::test
