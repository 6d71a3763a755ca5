// Rows of a timeline and its tiles, against the operations that they were made of.
#include "sim/analysis/recorded/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "platform/base/error.h"
#include "tests/unit/recorded/run_folders.h"

namespace kb::analysis {
namespace {

using test::KnownOp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TimelineTest : public test::RunFolders {
 protected:
  std::unique_ptr<Timeline> timeline(const std::vector<KnownOp>& ops) {
    file_ = write_ops("ops.sqlite", ops);
    const data::OpLogDatabase database(file_);
    auto timeline = std::make_unique<Timeline>(database.names());
    const std::atomic<bool> stop{false};
    timeline->load(file_, database.end_seq(), stop);
    return timeline;
  }
  std::string file_;
};

std::vector<std::string> names(const Timeline& timeline) {
  std::vector<std::string> names;
  for (const TimelineRow& row : timeline.rows()) names.push_back(row.name);
  return names;
}

std::uint32_t row_named(const Timeline& timeline, const std::string& name) {
  const std::vector<std::string> all = names(timeline);
  return static_cast<std::uint32_t>(std::find(all.begin(), all.end(), name) - all.begin());
}

TEST_F(TimelineTest, RowsAreATreeInTheOrderOfTheMachine) {
  const auto timeline_of_all = timeline(test::known_ops(30, 1));
  EXPECT_THAT(names(*timeline_of_all),
              ElementsAre("sip0", "sip0.cube9", "sip0.cube9.pe0", "sip0.cube9.pe0.pe_scheduler",
                          "sip0.cube9.pe0.pe_dma", "sip0.cube9.pe0.pe_gemm", "sip0.cube10", "sip0.cube10.pe0",
                          "sip0.cube10.pe0.pe_dma", "sip0.io0", "sip0.io0.pcie_ep"));
  const auto& rows = timeline_of_all->rows();
  EXPECT_EQ(rows[4].parent, 2);
  EXPECT_EQ(rows[4].depth, 3);
  EXPECT_TRUE(rows[4].component);
  EXPECT_FALSE(rows[2].component);
  EXPECT_EQ(rows[2].tracks.size(), 2u) << "composites of the scheduler span what the engines do";
  EXPECT_EQ(rows[0].tracks.size(), 4u);
}

TEST_F(TimelineTest, AComponentWithoutOperationsHasNoRow) {
  const std::string file = write_ops("ops.sqlite", test::known_ops(30, 1));
  const std::string change =
      "INSERT INTO component VALUES (77, 'sip0.cube0.r0c0', 'noc_router', 'r0c0', 0, NULL, 0, NULL)";
  ASSERT_EQ(std::system(("sqlite3 '" + file + "' \"" + change + "\"").c_str()), 0);
  const data::OpLogDatabase database(file);
  EXPECT_THAT(names(Timeline(database.names())), ::testing::Not(::testing::Contains("sip0.cube0")));
}

TEST_F(TimelineTest, NodesOutsideOfSipsAreRowsOfTheirOwn) {
  data::OpLogNames log;
  for (const char* name :
       {"fabric.switch0", "sip0.cube1.r0c10", "sip0.cube1.r0c9", "sip0.cube1.hbm_ctrl.pe2", "host"}) {
    log.components.push_back({static_cast<std::int64_t>(log.components.size()), kb::test::named_node(name)});
  }
  const Timeline timeline(log);
  EXPECT_THAT(names(timeline), ElementsAre("host", "fabric.switch0", "sip0", "sip0.cube1", "sip0.cube1.pe2",
                                           "sip0.cube1.hbm_ctrl.pe2", "sip0.cube1.r0c9", "sip0.cube1.r0c10"));
  const std::vector<TimelineRow>& rows = timeline.rows();
  EXPECT_EQ(rows[1].label, "fabric.switch0");
  EXPECT_EQ(rows[5].label, "hbm_ctrl") << "a slice is a block of its PE";
  EXPECT_EQ(rows[5].parent, 4);
  EXPECT_FALSE(rows[4].component);
}

// Busy time and counts of every component, and their sums in the rows above, at every zoom.
TEST_F(TimelineTest, TilesKeepTimeAndCountsAtEveryZoom) {
  const std::vector<KnownOp> ops = test::known_ops(4000, 5);
  const auto all = timeline(ops);
  EXPECT_EQ(all->operations(), ops.size());
  std::map<std::string, Track> tracks;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    tracks[test::kComponents[ops[i].component]].add(
        {ops[i].start_fs, ops[i].end_fs, static_cast<std::uint32_t>(i), ops[i].operation});
  }
  std::map<std::string, Bucket> expected;
  for (auto& [name, track] : tracks) {
    track.finish();
    expected[name] = track.query(Track::kLevels - 1, 0, 1)[0];
  }
  TileRequest request;
  request.end_fs = all->end_fs() + 1;
  for (std::uint32_t row = 0; row < all->rows().size(); ++row) request.rows.push_back(row);
  for (const std::int64_t pixels : {1, 7, 100, 1800}) {
    request.pixels = pixels;
    const Tile tile = all->tile(request);
    EXPECT_EQ(tile.columns, static_cast<std::size_t>((request.end_fs - 1) / Track::width_fs(tile.level)) + 1);
    std::vector<Bucket> sums(request.rows.size());
    for (std::size_t i = 0; i < tile.buckets.size(); ++i) {
      sums[i / tile.columns].busy_fs += tile.buckets[i].busy_fs;
      sums[i / tile.columns].count += tile.buckets[i].count;
    }
    for (const auto& [name, bucket] : expected) {
      EXPECT_EQ(sums[row_named(*all, name)].busy_fs, bucket.busy_fs) << name << " at " << pixels;
      EXPECT_EQ(sums[row_named(*all, name)].count, bucket.count) << name << " at " << pixels;
    }
    EXPECT_EQ(sums[row_named(*all, "sip0.cube9.pe0")].busy_fs,
              expected["sip0.cube9.pe0.pe_dma"].busy_fs + expected["sip0.cube9.pe0.pe_gemm"].busy_fs);
  }
}

TEST_F(TimelineTest, FewOperationsComeThemselves) {
  const auto all = timeline(test::known_ops(8000, 9));
  TileRequest request;
  request.rows = {row_named(*all, "sip0"), row_named(*all, "sip0.io0.pcie_ep")};
  request.pixels = 1000;
  request.end_fs = all->end_fs() + 1;
  ASSERT_TRUE(all->tile(request).ops);
  EXPECT_EQ(all->tile(request).ops->ops.size(), 1600u);
  EXPECT_THAT(all->tile(request).ops->row, ::testing::Each(1u));
  for (std::uint32_t row = 0; row < all->rows().size(); ++row) request.rows.push_back(row);
  EXPECT_FALSE(all->tile(request).ops) << "they are too many";
}

TEST_F(TimelineTest, ARequestThatCannotBeIsRefused) {
  const auto all = timeline(test::known_ops(30, 1));
  const auto fails = [&](const TileRequest& request, const char* why) {
    try {
      all->tile(request);
      ADD_FAILURE() << why;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  };
  fails({{0}, 5, 5, 10}, "window");
  fails({{0}, -1, 5, 10}, "window");
  fails({{0}, 0, INT64_MAX, 10}, "window");
  fails({{0}, 0, 10, 0}, "pixels");
  fails({{0}, 0, 10, 1 << 20}, "pixels");
  fails({{99}, 0, 10, 10}, "no row 99");
  fails({std::vector<std::uint32_t>(5000, 0), 0, 10, 10}, "rows");
  fails({std::vector<std::uint32_t>(1000, 0), 0, 1 << 30, 10000}, "too many rows");
}

TEST_F(TimelineTest, ImpossibleOperationsNameTheFile) {
  write_ops("ops.sqlite", test::known_ops(10, 1));
  for (const char* change : {"t_end_fs = t_start_fs - 1", "component_id = 77", "operation_id = 77", "t_start_fs = -5",
                             "t_end_fs = 9000000000000000000"}) {
    const std::string file = write_ops("damaged.sqlite", test::known_ops(10, 1));
    const std::string command = "sqlite3 '" + file + "' 'UPDATE op SET " + change + " WHERE seq = 7'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const data::OpLogDatabase database(file);
    Timeline all(database.names());
    const std::atomic<bool> stop{false};
    try {
      all.load(file, database.end_seq(), stop);
      ADD_FAILURE() << change;
    } catch (const Error& error) {
      EXPECT_EQ(error.family(), ErrorFamily::configuration);
      EXPECT_THAT(error.what(), HasSubstr("damaged.sqlite': operation 7 has"));
    }
  }
}

}  // namespace
}  // namespace kb::analysis
