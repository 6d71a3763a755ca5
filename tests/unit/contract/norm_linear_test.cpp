// Sizes on which the host and the kernel norm_linear agree.
#include "platform/contract/norm_linear.h"

#include <gtest/gtest.h>

namespace kb::contract {
namespace {

// K-209: the formula, in a mesh of 4 x 4 cubes.
TEST(NormLinearShape, NarrowProductsShareRows) {
  const auto sharing = [](std::int64_t rows, std::int64_t outputs, std::int64_t cubes = 16, std::int64_t gates = 1) {
    return NormLinearShape{rows, outputs, gates, cubes, 8}.sharing_cubes();
  };
  EXPECT_EQ(sharing(512, 1280), 2);  // 512 rows against 256 + 80, or 128 + 320
  EXPECT_EQ(sharing(512, 8192), 1);  // against 256 + 512
  EXPECT_EQ(sharing(512, 1280, 16, 4), 1);
  EXPECT_EQ(sharing(2048, 1280), 4);  // 2048 against 1024 + 80, or 512 + 320
  EXPECT_EQ(sharing(127, 16), 1);     // too few rows for a part each
  EXPECT_EQ(sharing(128, 16), 2);
  EXPECT_EQ(sharing(1 << 20, 16, 4), 2);  // no more cubes than in a line of the mesh
}

// K-209: 6144 x 4096 of Llama-3.1-8B at tp 1: 384 KiB of W in a PE, and twice as much of two cubes do not stay there.
TEST(NormLinearShape, CubesShareRowsWhileTheirWeightsStayInScratch) {
  const auto sharing = [](std::int64_t rows, std::int64_t outputs, std::int64_t inputs) {
    NormLinearShape shape{rows, outputs, 1, 16, 8};
    shape.row_bytes = inputs / 8 * 2;
    return shape.sharing_cubes();
  };
  EXPECT_EQ(sharing(2048, 6144, 4096), 1);
  EXPECT_EQ(sharing(2048, 4096, 4096), 2);  // 256 KiB each
  EXPECT_EQ(sharing(2048, 1280, 8192), 4);  // 160 KiB each
}

TEST(NormLinearShape, ACopyOfTheResidualStreamNeedsAllRows) {
  NormLinearShape shape{512, 1280, 1, 16, 8};
  shape.stores_copy = true;
  EXPECT_EQ(shape.sharing_cubes(), 1);
}

// K-204: two blocks, of a row for each output of a PE and one for the squares, from each PE.
TEST(NormLinearShape, PartialSumsOfTwoBlocksHaveRoom) {
  EXPECT_EQ((NormLinearShape{128, 8192, 1, 16, 8}.partials()), 8 * 64 * 128);
  EXPECT_EQ((NormLinearShape{129, 8192, 1, 16, 8}.partials()), 2 * 8 * 64 * 128);
  EXPECT_EQ((NormLinearShape{1, 3584, 2, 16, 8, true}.partials()), 8 * (2 * 28 + 1));
  EXPECT_EQ((NormLinearShape{512, 1280, 1, 16, 8}.partials()), 2 * 8 * 20 * 128);
}

}  // namespace
}  // namespace kb::contract
