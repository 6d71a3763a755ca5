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
  // 16 pieces of 4 tokens; 256 keys are in the step that not all tokens of the last one see whole.
  const double launch = 770, staged = 2.6, piece = 650, rows = 16;
  EXPECT_DOUBLE_EQ(work(64, 960), launch + 1024 * staged + piece + 1024 * (2.4 + 0.032 * rows) + 256 * 0.03 * rows);
  // A window leaves keys away, but masks the same.
  AttentionShape windowed = shape;
  windowed.window = 512;
  EXPECT_DOUBLE_EQ(chunk_work(windowed, {{0, 64, 1024}}),
                   launch + 575 * staged + piece + 515 * (2.4 + 0.032 * rows) + 256 * 0.03 * rows);
  EXPECT_GT(work(257, 1024), 1.2 * work(256, 1024));
  EXPECT_LT(work(65, 1024), 1.1 * work(64, 1024));
  // Two chunks take as long as one only if their keys are as many.
  EXPECT_LT(chunk_work(shape, {{0, 128, 128}, {0, 128, 128}}), work(256, 0));
}

}  // namespace
}  // namespace kb::profile
