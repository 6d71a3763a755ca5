// Kernels that read memory that was never written (P-77).
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

class UnwrittenTest : public CommandLineTest {};

TEST_F(UnwrittenTest, IsAWarningWithLineAndTensor) {
  for (const char* mode : {"replay", "eager"}) {
    const nlohmann::json result =
        json("run --topology '" + config("one_cube") +
             "' --plugin " KB_FAULTY_PLUGIN " --bench faulty --set mistake=sum-of-nothing --json --data " + mode);
    ASSERT_EQ(result.at("warnings").size(), 1u) << mode;
    EXPECT_THAT(
        result.at("warnings")[0].get<std::string>(),
        testing::ContainsRegex(
            "kernel faulty_sum_of_nothing read memory of tensor 'x' that was never written and counts as zero: "
            "tl\\.load #1 at faulty_plugin\\.cpp:[0-9]+ on sip0\\.cube0\\.pe0, the first byte at sip0\\.cube0 HBM"));
  }
}

}  // namespace
}  // namespace kb::test
