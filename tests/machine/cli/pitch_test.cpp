// Rows of a matrix that begin a power of two apart: what they cost in a memory with banks, and what helps.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;

class PitchTest : public CommandLineTest {
 protected:
  // Time of the launch in nanoseconds.
  double launch_ns(const std::string& options) const {
    const std::string size = " --set m=128 --set k=128 --set n=16384";
    const nlohmann::json result = json("run --topology modern --bench gemm-single-pe --json" + size + options);
    return result["launches"][0]["pe_exec_ns"]["max"];
  }
};

TEST_F(PitchTest, RowConflictsAreNamedAndPaddingOrAHashEndsThem_CDRAM2) {
  const double conflicts = launch_ns("");
  EXPECT_GT(conflicts, 1.3 * launch_ns(" --set pad=128"));
  EXPECT_GT(conflicts, 1.3 * launch_ns(" --set cube.components.hbm_ctrl.attrs.hash=xor"));
  const Outcome told = kernbench("run --topology modern --bench gemm-single-pe --set m=128 --set k=128 --set n=16384");
  EXPECT_THAT(told.out, HasSubstr("another row of the bank was open, or its row was being opened (row)"));
  EXPECT_THAT(told.out, HasSubstr("try: give the rows of the tensor another pitch (padding)"));
}

TEST_F(PitchTest, PaddedProductsAreThoseOfTheMatrices) {
  for (const char* const run : {"--topology one_pe --bench gemm-single-pe --set n=40 --set pad=24",
                                "--topology one_pe --bench gemm-single-pe --set n=40 --set pad=1 --set dtype=i8",
                                "--topology one_cube --bench gemm-multi-pe --set n=64 --set pad=64",
                                "--topology one_cube --bench gemm-multi-pe --set b_copies=cube --set pad=8"}) {
    const Outcome outcome = kernbench(std::string("run --quiet --verify-data ") + run);
    EXPECT_EQ(outcome.code, 0) << run << outcome.err;
  }
}

}  // namespace
}  // namespace kb::test
