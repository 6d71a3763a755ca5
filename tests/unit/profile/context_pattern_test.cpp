#include "sw/profile/context_pattern.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

namespace kb::profile {
namespace {

std::int64_t sum_of(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

serving::Request request(std::int64_t input, std::int64_t output) {
  serving::Request made;
  made.input_tokens = input;
  made.output_tokens = output;
  return made;
}

TEST(ContextPattern, OneContextIsTheMean_M133) {
  EXPECT_EQ(ContextPattern().contexts(1, 700, 0, 8192), (std::vector<std::int64_t>{700}));
  EXPECT_EQ(ContextPattern({request(40, 90)}).contexts(1, 700, 3, 8192), (std::vector<std::int64_t>{700}));
}

TEST(ContextPattern, WithoutATraceTheyAreSpreadEvenly_M142) {
  std::vector<std::int64_t> contexts = ContextPattern().contexts(10, 1000, 0, 8192);
  EXPECT_EQ(sum_of(contexts), 10000);
  EXPECT_FALSE(std::is_sorted(contexts.begin(), contexts.end()));
  std::sort(contexts.begin(), contexts.end());
  EXPECT_EQ(contexts.front(), 550);
  EXPECT_EQ(contexts.back(), 1450);
}

TEST(ContextPattern, SamplesAreRepeatedExactly) {
  const ContextPattern pattern({request(100, 10), request(900, 500)});
  EXPECT_EQ(pattern.contexts(8, 640, 1, 8192), pattern.contexts(8, 640, 1, 8192));
  EXPECT_NE(pattern.contexts(8, 640, 1, 8192), pattern.contexts(8, 640, 2, 8192));
  EXPECT_NE(pattern.text(), ContextPattern({request(100, 10), request(900, 501)}).text());
}

TEST(ContextPattern, TheMeanIsKeptAndNoContextIsTooLong) {
  const ContextPattern pattern({request(1, 10), request(4000, 1000)});
  for (const std::int64_t count : {2, 3, 7, 40}) {
    for (const std::int64_t mean : {1, 16, 500, 1900, 2048}) {
      const std::vector<std::int64_t> contexts = pattern.contexts(count, mean, 0, 2048);
      EXPECT_EQ(sum_of(contexts), count * mean) << count << " x " << mean;
      EXPECT_GE(*std::min_element(contexts.begin(), contexts.end()), 1);
      EXPECT_LE(*std::max_element(contexts.begin(), contexts.end()), 2048);
    }
  }
}

// A request is in a step as often as it has output tokens: 1 in 10 here, with contexts of 1 in 30 of the others'.
TEST(ContextPattern, LongAnswersOccurMoreOften_M133) {
  const ContextPattern pattern({request(100, 100), request(3000, 900)});
  std::int64_t few = 0;
  for (std::int64_t draw = 0; draw < 100; ++draw) {
    for (const std::int64_t context : pattern.contexts(20, 1000, draw, 8192)) few += context < 200 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(few) / 2000, 0.1, 0.02);
}

}  // namespace
}  // namespace kb::profile
