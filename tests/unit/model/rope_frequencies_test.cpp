// Angles of rotary positions.
#include "platform/model/rope_frequencies.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kb::model {
namespace {

TEST(RopeFrequencies, FallByTheBase) {
  RopeSpec rope;
  rope.theta = 10000;
  const RopeFrequencies plain = rope_frequencies(rope, 128);
  ASSERT_EQ(plain.inverse.size(), 64U);
  EXPECT_EQ(plain.inverse[0], 1.0);
  EXPECT_NEAR(plain.inverse[32], 0.01, 1e-15);
  EXPECT_EQ(plain.attention_factor, 1);
}

TEST(RopeFrequencies, LinearScalingStretchesAllAlike) {
  RopeSpec rope;
  rope.type = RopeType::linear;
  rope.factor = 4;
  EXPECT_EQ(rope_frequencies(rope, 8).inverse[0], 0.25);
}

// Llama 3.1: short waves stay, those longer than 8192 tokens are stretched by 8.
TEST(RopeFrequencies, Llama3StretchesLongWavesOnly) {
  RopeSpec rope;
  rope.type = RopeType::llama3;
  rope.theta = 500000;
  rope.factor = 8;
  rope.original_positions = 8192;
  RopeSpec without = rope;
  without.type = RopeType::plain;
  const RopeFrequencies scaled = rope_frequencies(rope, 128), plain = rope_frequencies(without, 128);
  std::size_t between = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const double wave = 2 * std::acos(-1.0) / plain.inverse[i], ratio = scaled.inverse[i] / plain.inverse[i];
    if (wave < 2048) {
      EXPECT_EQ(ratio, 1.0) << i;
    } else if (wave > 8192) {
      EXPECT_NEAR(ratio, 0.125, 1e-15) << i;
    } else {
      EXPECT_GT(ratio, 0.125) << i;
      EXPECT_LT(ratio, 1.0) << i;
      ++between;
    }
  }
  EXPECT_GT(between, 0U);
}

// Values of transformers' _compute_yarn_parameters for factor 4, 4096 positions, head of 128: low 20, high 45.
TEST(RopeFrequencies, YarnMixesBetweenTwoPairs) {
  RopeSpec rope;
  rope.type = RopeType::yarn;
  rope.theta = 10000;
  rope.factor = 4;
  rope.original_positions = 4096;
  const RopeFrequencies yarn = rope_frequencies(rope, 128);
  rope.type = RopeType::plain;
  const RopeFrequencies plain = rope_frequencies(rope, 128);
  EXPECT_NEAR(yarn.inverse[20] / plain.inverse[20], 1.0, 1e-12);
  EXPECT_LT(yarn.inverse[21], plain.inverse[21]);
  EXPECT_NEAR(yarn.inverse[46] / plain.inverse[46], 0.25, 1e-12);
  EXPECT_GT(yarn.inverse[45] / plain.inverse[45], 0.25);
  EXPECT_NEAR(yarn.attention_factor, 0.1 * std::log(4.0) + 1, 1e-15);
}

}  // namespace
}  // namespace kb::model
