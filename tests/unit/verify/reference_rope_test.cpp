#include "sim/study/verify/reference_rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "platform/model/rope_frequencies.h"

namespace kb::verify {
namespace {

model::RopeSpec rope_of(model::RopeType type) {
  model::RopeSpec rope;
  rope.type = type;
  rope.theta = 500000;
  rope.factor = 8;
  rope.original_positions = 64;
  rope.mscale = 1;
  rope.mscale_all_dim = 0.7;
  return rope;
}

// Two derivations of the same papers.
TEST(ReferenceRope, TurnsByTheAnglesThatTheMachineGets) {
  constexpr std::int64_t kDim = 32;
  for (const model::RopeType type :
       {model::RopeType::plain, model::RopeType::linear, model::RopeType::llama3, model::RopeType::yarn}) {
    const model::RopeSpec rope = rope_of(type);
    const model::RopeFrequencies given = model::rope_frequencies(rope, kDim);
    const ReferenceRope reference(rope, kDim);
    for (std::size_t i = 0; i < kDim / 2; ++i) {
      std::vector<double> head(kDim);
      head[i] = 1;
      reference.turn(head.data(), 37);
      const double angle = 37 * given.inverse[i];
      EXPECT_NEAR(head[i], given.attention_factor * std::cos(angle), 1e-12) << static_cast<int>(type) << " " << i;
      EXPECT_NEAR(head[i + kDim / 2], given.attention_factor * std::sin(angle), 1e-12);
    }
  }
}

}  // namespace
}  // namespace kb::verify
