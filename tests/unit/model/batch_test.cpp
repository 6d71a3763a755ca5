#include "platform/model/batch.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "platform/base/error.h"

namespace kb::model {
namespace {

std::string problem(const BatchChoice& choice) {
  try {
    make_batch(choice);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Batch, EntriesAreSequencesTimesTokens_M20) {
  const Batch decode = make_batch({Phase::decode, "4x1024,3", 64, 512});
  ASSERT_EQ(decode.sequences.size(), 2u);
  EXPECT_EQ(decode.sequences[0].past, 1023);  // the context has the new token
  EXPECT_EQ(decode.sequences[1].context(), 64);
  EXPECT_EQ(decode.size(), 7);
  EXPECT_EQ(decode.tokens(), 7);
  EXPECT_EQ(decode.text(), "4 x 1024, 3 x 64");
  const Batch prefill = make_batch({Phase::prefill, "2x100,1", 32, 48});
  EXPECT_EQ(prefill.tokens(), 248);
  EXPECT_EQ(prefill.longest_context(), 132);
  EXPECT_EQ(prefill.text(), "2 x 100 after 32, 1 x 48 after 32");
}

TEST(Batch, EntriesThatAreNoneAreErrors_M20) {
  for (const char* const wrong : {"", "0", "4x", "4x0", "x4", "4x5x6", "4,", "1.5", "-1"}) {
    EXPECT_THAT(problem({Phase::decode, wrong, 64, 512}), testing::HasSubstr("--batch: ")) << wrong;
  }
  EXPECT_THAT(problem({Phase::prefill, "1000000x1000000000", 0, 1}), testing::HasSubstr("more than 2^50 pairs"));
}

// Each new token sees itself, what came before, and with a window only its last keys (M-22).
RC_GTEST_PROP(Batch, PairsAndKeysAreThoseThatACountGives, ()) {
  Sequences one;
  one.past = *rc::gen::inRange<std::int64_t>(0, 60);
  one.tokens = *rc::gen::inRange<std::int64_t>(1, 60);
  const auto window = *rc::gen::inRange<std::int64_t>(0, 70);
  std::int64_t pairs = 0, first_key = one.context();
  for (std::int64_t token = one.past; token < one.context(); ++token) {
    for (std::int64_t key = 0; key <= token; ++key) {
      if (window != 0 && key <= token - window) continue;
      ++pairs;
      first_key = std::min(first_key, key);
    }
  }
  RC_ASSERT(one.pairs(window) == pairs);
  RC_ASSERT(one.keys(window) == one.context() - first_key);
}

TEST(Batch, TheCacheHasWholeBlocks_M32) {
  const Batch batch = make_batch({Phase::decode, "2x17,1x16", 1, 1});
  EXPECT_EQ(batch.cached_tokens(0), 2 * 32 + 16);
  EXPECT_EQ(batch.cached_tokens(8), 3 * 16);
}

}  // namespace
}  // namespace kb::model
