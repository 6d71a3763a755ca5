#include "sw/profile/launch_tables.h"

#include <gmock/gmock.h>

#include "sw/profile/launch_step_time.h"

namespace kb::profile {
namespace {

using serving::Batch;
using testing::ElementsAre;

TEST(LaunchCell, CountsUpTo64AreAllOnTheGrid_M132) {
  for (std::int64_t count = 1; count <= 64; ++count) EXPECT_EQ(count_knots(count).high, count);
}

// M-132: products take a step longer with each 32 rows that begin, so that no interval has such a step inside.
TEST(LaunchCell, IntervalsBeginAndEndWithRows) {
  EXPECT_THAT(grid(count_knots, 65, 2048), ElementsAre(65, 96, 97, 128, 129, 160, 161, 192, 193, 224, 225, 256, 257,
                                                       320, 321, 384, 385, 448, 449, 512, 513, 640, 641, 768, 769, 896,
                                                       897, 1024, 1025, 1280, 1281, 1536, 1537, 1792, 1793, 2048));
  const Knots knots = count_knots(200);
  EXPECT_EQ(knots.low, 193);
  EXPECT_EQ(knots.high, 224);
  EXPECT_DOUBLE_EQ(knots.weight, 7.0 / 31);
  EXPECT_TRUE(begins_rows(513));
  EXPECT_FALSE(begins_rows(512));
  EXPECT_FALSE(begins_rows(33));  // every number is there
}

TEST(LaunchCell, OtherGrids_M132) {
  EXPECT_THAT(grid(context_knots, 1, 2500), ElementsAre(1, 16, 64, 128, 256, 384, 512, 640, 768, 896, 1024, 1152, 1280,
                                                        1408, 1536, 1664, 1792, 1920, 2048, 2304, 2560));
  EXPECT_THAT(grid(chunk_knots, 2, 2048),
              ElementsAre(2, 4, 8, 16, 32, 64, 128, 192, 256, 320, 384, 448, 512, 1024, 2048));
  EXPECT_THAT(grid(past_knots, 1, 600), ElementsAre(128, 256, 512, 1024));
}

// Every query lies between its knots, with the weight of a straight line, and knots are their own.
TEST(LaunchCell, QueriesLieBetweenTheirKnots) {
  for (Knots (*const knots)(std::int64_t) : {count_knots, chunk_knots, context_knots, past_knots}) {
    for (std::int64_t query = 1; query < 5000; ++query) {
      const Knots own = knots(query);
      ASSERT_LE(own.low, query);
      ASSERT_GE(own.high, query);
      ASSERT_NEAR(static_cast<double>(own.low) + own.weight * static_cast<double>(own.high - own.low),
                  static_cast<double>(query), 1e-9);
      ASSERT_EQ(knots(own.high).low, own.high);
    }
  }
}

TEST(LaunchTables, StraightLinesInBothKeys) {
  LaunchTables tables;
  for (const std::int64_t a : {2, 4}) {
    for (const std::int64_t b : {0, 128}) tables.add({CellKind::chunks, a, b}, {TimeFs(1000 * a + b)});
  }
  EXPECT_DOUBLE_EQ(tables.at(CellKind::chunks, chunk_knots(3), past_knots(64)).at(0), 3064);
  EXPECT_TRUE(tables.take_wanted().empty());
}

TEST(LaunchTables, MissingCellsAreWantedAndEstimated_M134) {
  LaunchTables tables;
  EXPECT_THAT(tables.at(Cell{CellKind::ends, 5, 0}), ElementsAre(0.0));
  tables.add({CellKind::ends, 32, 0}, {TimeFs(640)});
  EXPECT_THAT(tables.at(Cell{CellKind::ends, 96, 0}), ElementsAre(1280.0));  // (32 + 96) / (32 + 32)
  EXPECT_THAT(tables.take_wanted(), ElementsAre(Cell{CellKind::ends, 5, 0}, Cell{CellKind::ends, 96, 0}));
  EXPECT_TRUE(tables.take_wanted().empty());
}

TEST(LaunchTables, ACellIsLeftOutAndInterpolated_M136) {
  LaunchTables tables;
  tables.add({CellKind::decodes, 1, 128}, {TimeFs(100), TimeFs(1)});
  tables.add({CellKind::decodes, 1, 256}, {TimeFs(160), TimeFs(1)});  // 150 on the line
  tables.add({CellKind::decodes, 1, 384}, {TimeFs(200), TimeFs(1)});
  tables.add({CellKind::decodes, 2, 128}, {TimeFs(100), TimeFs(1)});  // no neighbours
  tables.add({CellKind::products, 1, 0}, std::vector<TimeFs>(kProductParts, TimeFs(100)));
  tables.add({CellKind::ends, 1, 0}, {TimeFs(139)});
  const std::vector<LeaveOneOut> all = tables.leave_one_out(64);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].cells, 1u);
  EXPECT_DOUBLE_EQ(all[0].mean, 10.0 / 160);
  EXPECT_DOUBLE_EQ(all[0].most, 10.0 / 160);
  EXPECT_DOUBLE_EQ(all[0].of_step, 10.0 / (700 + 139 + 161));
  EXPECT_EQ(all[0].worst, (Cell{CellKind::decodes, 1, 256}));
}

// Times that are proportional to the work of the chunks are exact, whatever the work of the cells was.
TEST(LaunchTables, ChunksAreProportionalToTheirWork_M132) {
  LaunchTables tables;
  tables.add({CellKind::chunks, 128, 0}, {TimeFs(200)}, 20);
  tables.add({CellKind::chunks, 192, 0}, {TimeFs(500)}, 50);
  tables.add({CellKind::chunks, 256, 0}, {TimeFs(400)}, 40);
  EXPECT_THAT(tables.at(CellKind::chunks, chunk_knots(150), {}, 60), ElementsAre(600.0));
  // Over the tokens before, times lie on lines, and so does the work.
  tables.add({CellKind::chunks, 128, 128}, {TimeFs(400)}, 80);
  EXPECT_THAT(tables.at(CellKind::chunks, {128, 128, 0.0}, {0, 128, 0.5}, 50), ElementsAre(300.0));
  const LeaveOneOut error = tables.leave_one_out(64).at(0);
  EXPECT_EQ(error.cells, 1u);
  EXPECT_DOUBLE_EQ(error.most, 0);
}

class LaunchStepTimeTest : public testing::Test {
 protected:
  // Times in ns that tell which cell was asked.
  LaunchStepTimeTest() {
    const auto add = [&](Cell cell, std::vector<std::int64_t> ns) {
      std::vector<TimeFs> times;
      for (const std::int64_t one : ns) times.push_back(one * 1_ns);
      tables_.add(cell, times);
    };
    add({CellKind::products, 2, 0}, {1, 2, 3, 4, 5, 6, 7});  // rotation 3
    add({CellKind::products, 10, 0}, {10, 20, 30, 40, 50, 60, 70});
    add({CellKind::sums, 10, 0}, {1000});
    add({CellKind::ends, 2, 0}, {100});
    add({CellKind::picked_ends, 3, 0}, {200});
    add({CellKind::decodes, 2, 128}, {10000, 500});
    add({CellKind::chunks, 8, 128}, {70000});
  }
  LaunchTables tables_;
};

TEST_F(LaunchStepTimeTest, DecodesHaveTheirOwnRotation_M131) {
  LaunchStepTime times(tables_, AttentionShape{}, false);
  // The mean of 100 and 155 is 127 before the new token, cut; the rotation of a chunk is replaced.
  EXPECT_EQ(times.step_ns({{nullptr, 1, 99}, {nullptr, 1, 155}}), 28 + 100 + 10000 + 500 - 3);
  EXPECT_TRUE(tables_.take_wanted().empty());
}

TEST_F(LaunchStepTimeTest, ChunksAndDecodesAddUp_M131) {
  LaunchStepTime times(tables_, AttentionShape{}, true);
  EXPECT_EQ(times.step_ns({{nullptr, 1, 127}, {nullptr, 8, 128}, {nullptr, 1, 127}}), 280 + 1000 + 200 + 10000 + 70000);
  EXPECT_TRUE(tables_.take_wanted().empty());
  EXPECT_THAT(times.abstractions().back(), testing::HasSubstr("sums over SIPs"));
}

TEST_F(LaunchStepTimeTest, JoulesAddUpAsTimesDo_M137) {
  LaunchJoules joules;
  for (const auto& [cell, parts] : tables_.cells()) {
    joules.value.add_parts(cell, parts);
    joules.low.add_parts(cell, LaunchTables::Parts(parts.size(), 1.0));
    joules.high.add_parts(cell, LaunchTables::Parts(parts.size(), 2.0));
  }
  joules.static_watts = {5, 4, 6};
  LaunchStepTime times(tables_, AttentionShape{}, false, &joules);
  const serving::Batch batch = {{nullptr, 1, 99}, {nullptr, 1, 155}};
  const serving::StepEnergy energy = times.step_energy(batch).value();
  EXPECT_DOUBLE_EQ(energy.events.value, static_cast<double>(times.step_ns(batch)) * 1e6);
  EXPECT_DOUBLE_EQ(energy.events.low, 7 + 1 + 2 - 1);
  EXPECT_DOUBLE_EQ(energy.events.high, 14 + 2 + 4 - 2);
  EXPECT_DOUBLE_EQ(energy.static_watts.low, 4);
  EXPECT_FALSE(LaunchStepTime(tables_, AttentionShape{}, false).step_energy(batch));
}

}  // namespace
}  // namespace kb::profile
