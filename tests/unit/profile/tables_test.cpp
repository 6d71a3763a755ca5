// Golden look-ups by hand.
#include <gtest/gtest.h>

#include "sw/profile/attention_table.h"
#include "sw/profile/expert_table.h"
#include "sw/profile/line.h"

namespace kb::profile {
namespace {

TEST(Line, TimesAreRoundedToNanosecondsHalfToEven) {  // M-60
  EXPECT_EQ(table_ns(9.31067), 9311);
  EXPECT_EQ(table_ns(0.0125), 12);
  EXPECT_EQ(table_ns(0.0135), 14);
  EXPECT_EQ(table_ns(0.0001), 1);
}

TEST(Line, InterpolatesAndExtends) {  // M-63
  Line line;
  EXPECT_TRUE(line.add(16, 300));
  EXPECT_TRUE(line.add(4, 100));
  EXPECT_TRUE(line.add(8, 140));
  EXPECT_FALSE(line.add(8, 150));
  EXPECT_DOUBLE_EQ(line.at(1), 100);  // below the first key: the first value
  EXPECT_DOUBLE_EQ(line.at(4), 100);
  EXPECT_DOUBLE_EQ(line.at(6), 120);
  EXPECT_DOUBLE_EQ(line.at(8), 140);
  EXPECT_DOUBLE_EQ(line.at(16), 300);
  EXPECT_DOUBLE_EQ(line.at(24), 460);  // beyond the last: 20 ns per token go on
  EXPECT_EQ(line.last_key(), 16);
}

TEST(Line, OneKeyIsConstant) {  // M-63
  Line line;
  line.add(5, 70);
  EXPECT_DOUBLE_EQ(line.at(1), 70);
  EXPECT_DOUBLE_EQ(line.at(500), 70);
}

TEST(Line, ResultsAreCutAndAtLeastOne) {  // M-63
  EXPECT_EQ(cut_ns(12.99), 12);
  EXPECT_EQ(cut_ns(-3.0), 1);  // an extended line may fall below 0
}

TEST(ExpertTable, EachRowHasItsOwnTokens) {  // M-63
  ExpertTable table;
  EXPECT_TRUE(table.add(1, 8, 100));
  EXPECT_TRUE(table.add(2, 8, 200));
  EXPECT_TRUE(table.add(8, 64, 1000));
  EXPECT_TRUE(table.add(16, 64, 1800));
  EXPECT_FALSE(table.add(16, 64, 1800));
  EXPECT_EQ(table.at(1, 4), 100);   // below the first row
  EXPECT_EQ(table.at(2, 36), 600);  // half way between 200 and 1000, the first value of its row
  EXPECT_EQ(table.at(12, 64), 1400);
  EXPECT_EQ(table.at(2, 92), 1400);  // half as far beyond 64 as 64 is from 8
  EXPECT_EQ(table.last_tokens(), 16);
}

TEST(AttentionTable, InterpolatesOverAllFourKeys) {  // M-64
  AttentionTable table;
  for (const std::int64_t chunk : {0, 16}) {
    for (const std::int64_t decodes : {0, 4}) {
      for (const std::int64_t past : {0, 32}) {
        for (const std::int64_t context : {0, 64}) {
          const bool cell = (chunk > 0 || past == 0) && (decodes > 0 || context == 0) && chunk + decodes > 0;
          if (cell) table.add({chunk, past, decodes, context}, 1000 + 10 * chunk + past + 100 * decodes + 2 * context);
        }
      }
    }
  }
  EXPECT_EQ(table.at({16, 8, 2, 16}), 1000 + 160 + 8 + 200 + 16);     // no context without decodes: half of 2 x 16
  EXPECT_EQ(table.at({16, 64, 4, 64}), 1000 + 160 + 64 + 400 + 128);  // past extended
  // Without prefill there is one pair only, which stands for the missing (0, 0), too.
  EXPECT_EQ(table.at({0, 0, 8, 64}), 1000 + 400 + 128);
}

// A small chunk with a long past lies between the step without prefill and the first chunk.
TEST(AttentionTable, NoPrefillIsTheNeighbourOfASmallChunk) {  // M-64
  AttentionTable table;
  table.add({0, 0, 1, 16}, 100);
  table.add({16, 0, 1, 16}, 300);
  table.add({16, 4000, 1, 16}, 900);
  EXPECT_EQ(table.at({8, 4000, 1, 16}), 500);
  EXPECT_EQ(table.at({8, 2000, 1, 16}), 350);
}

TEST(AttentionTable, AMissingPairIsReplacedByTheNearest) {  // M-64
  AttentionTable table;
  table.add({0, 0, 1, 16}, 100);
  table.add({0, 0, 256, 16}, 700);
  table.add({64, 0, 1, 16}, 400);
  table.add({64, 0, 128, 16}, 500);
  table.add({512, 0, 1, 16}, 2000);
  // (64, 256) is 128 from (64, 128) and 64 from (0, 256).
  EXPECT_EQ(table.at({64, 0, 256, 16}), 700);
  // Squares decide: (512, 128) and (512, 256) are 127 and 255 from (512, 1).
  EXPECT_EQ(table.at({512, 0, 192, 16}), 2000);
}

TEST(AttentionTable, DistancesAreSquared) {  // M-64
  AttentionTable table;
  table.add({0, 0, 8, 16}, 100);
  table.add({3, 0, 5, 16}, 300);   // 3 and 3 from (6, 8)
  table.add({6, 0, 13, 16}, 500);  // 0 and 5 from it
  EXPECT_EQ(table.at({6, 0, 8, 16}), 300);
}

TEST(AttentionTable, EqualDistancesTakeTheSmallerChunk) {  // M-64
  AttentionTable table;
  table.add({0, 0, 8, 16}, 100);
  table.add({8, 0, 4, 16}, 300);
  table.add({16, 0, 8, 16}, 500);
  EXPECT_EQ(table.at({8, 0, 4, 16}), 300);
  EXPECT_EQ(table.at({0, 0, 4, 16}), 100);
  AttentionTable tie;
  tie.add({0, 0, 8, 16}, 100);
  tie.add({4, 0, 64, 16}, 300);
  tie.add({8, 0, 8, 16}, 500);
  EXPECT_EQ(tie.at({4, 0, 8, 16}), 100);  // (0, 8) and (8, 8) are both 4 away
}

TEST(AttentionTable, KnowsItsEnd) {
  AttentionTable table;
  table.add({16, 0, 4, 16}, 100);
  EXPECT_EQ(table.at({16, 0, 4, 16}), 100);
  EXPECT_FALSE(table.is_beyond({16, 9000, 4, 9000}));
  EXPECT_TRUE(table.is_beyond({17, 0, 4, 16}));
  EXPECT_TRUE(table.is_beyond({16, 0, 5, 16}));
}

}  // namespace
}  // namespace kb::profile
