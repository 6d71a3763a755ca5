// The work of chunks, by which tables of launches are read.
#include "sw/profile/attention_work.h"

#include <gtest/gtest.h>

namespace kb::profile {
namespace {

// 16 PEs for each of 8 K/V heads: a second piece on a PE doubles what goes over the keys.
TEST(AttentionWork, OfChunksIsThatOfThePeWithTheMost_M132) {
  const AttentionShape shape{{16, 8}, 32, 8, 0};
  const auto work = [&](std::int64_t tokens, std::int64_t past) {
    return chunk_work(shape, {{0, tokens, tokens + past}});
  };
  const double launch = 27000, piece = 9000, rows_of_4_tokens = 14 + 31 + 16;
  EXPECT_DOUBLE_EQ(work(64, 960), launch + piece + 1024 * rows_of_4_tokens);
  EXPECT_GT(work(257, 1024), 1.2 * work(256, 1024));
  EXPECT_LT(work(65, 1024), 1.1 * work(64, 1024));
  // Two chunks take as long as one only if their keys are as many.
  EXPECT_LT(chunk_work(shape, {{0, 128, 128}, {0, 128, 128}}), work(256, 0));
}

}  // namespace
}  // namespace kb::profile
