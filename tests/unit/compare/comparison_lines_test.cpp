#include "sim/analysis/compare/comparison_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kb::sim {
namespace {

using result::Result;

void add_time(Result& run, const result::Line& line, TimeFs time) {
  result::LineTime one;
  one.kernel = "k";
  one.line = line;
  one.time = time;
  run.lines.push_back(one);
}

void add_wait(Result& run, const result::Line& line, TimeFs wait) {
  result::Transfer one;
  one.kernel = "k";
  one.line = line;
  result::LineUse use;
  use.wait = wait;
  one.uses = {{"memory", use}, {"wire", use}};
  run.transfers.push_back(one);
}

result::Line load(std::uint64_t line, const std::string& tensor = "x", const std::string& range = "") {
  return {"k.cpp", line, "load", range, tensor};
}

TEST(ComparisonLines, TheLargestChangeOfTimeIsFirst) {
  Result a, b;
  add_time(a, load(3, "x"), 10_ns);
  add_time(b, load(3, "x"), 12_ns);
  add_time(a, load(4, "w"), 50_ns);
  add_time(b, load(4, "w"), 20_ns);
  add_time(a, load(5, "y"), 5_ns);
  add_time(b, load(5, "y"), 5_ns);
  add_wait(a, load(6, "z"), 4_ns);
  add_wait(b, load(6, "z"), 1_ns);
  const std::vector<LineChange> changes = line_changes(a, b);
  ASSERT_EQ(changes.size(), 3u) << "y did not change";
  EXPECT_EQ(changes[0].tensor, "w");
  EXPECT_EQ(changes[0].before.ns, 50);
  EXPECT_EQ(changes[0].after.ns, 20);
  EXPECT_EQ(changes[1].tensor, "x");
  EXPECT_EQ(changes[2].tensor, "z");
  EXPECT_EQ(changes[2].before.wait_ns, 8) << "of both classes of resources";
  EXPECT_EQ(changes[2].after.wait_ns, 2);
}

// Two lines were added above, so that the loads of 3 and 9 stand in 5 and 11.
TEST(ComparisonLines, MovedLinesAreMatchedInOrder) {
  Result a, b;
  add_time(a, load(3), 10_ns);
  add_time(a, load(9), 20_ns);
  add_time(b, load(11), 25_ns);
  add_time(b, load(5), 10_ns);
  const std::vector<LineChange> changes = line_changes(a, b);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].before.line, 9u);
  EXPECT_EQ(changes[0].after.line, 11u);
  EXPECT_TRUE(changes[0].has_moved());
}

TEST(ComparisonLines, ANewLineDoesNotMoveThoseThatStayed) {
  Result a, b;
  add_time(a, load(3), 10_ns);
  add_time(a, load(9), 20_ns);
  add_time(b, load(3), 10_ns);
  add_time(b, load(5), 7_ns);
  add_time(b, load(9), 20_ns);
  const std::vector<LineChange> changes = line_changes(a, b);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].before.line, 0u) << "the first run does not have it";
  EXPECT_EQ(changes[0].after.line, 5u);
  EXPECT_FALSE(changes[0].has_moved());
}

TEST(ComparisonLines, KernelsTensorsAndRangesAreApart) {
  Result a, b;
  add_time(a, load(3, "x", "layer 1"), 10_ns);
  add_time(b, load(3, "x", "layer 2"), 10_ns);
  EXPECT_EQ(line_changes(a, b).size(), 2u);
  b.lines[0].line.range = "layer 1";
  EXPECT_TRUE(line_changes(a, b).empty());
  b.lines[0].kernel = "other";
  EXPECT_EQ(line_changes(a, b).size(), 2u);
}

TEST(ComparisonLines, ARangeHasTheTimesOfThoseInsideIt) {
  Result a, b;
  add_time(a, load(3, "x", "layer 1"), 10_ns);
  add_time(a, load(4, "x", "layer 1 / gather"), 5_ns);
  add_time(b, load(3, "x", "layer 1"), 10_ns);
  add_time(b, load(4, "x", "layer 1 / gather"), 9_ns);
  add_time(b, load(5, "x", "layer 2"), 1_ns);
  const std::vector<Change> changes = range_changes(a, b);
  ASSERT_EQ(changes.size(), 3u);
  std::map<std::string, std::pair<double, double>> found;
  for (const Change& change : changes) found[change.name] = {change.before, change.after};
  EXPECT_EQ(found.at("k: layer 1"), std::pair(15.0, 19.0));
  EXPECT_EQ(found.at("k: layer 1 / gather"), std::pair(5.0, 9.0));
  EXPECT_EQ(found.at("k: layer 2"), std::pair(0.0, 1.0));
  EXPECT_EQ(changes[2].name, "k: layer 2") << "the smallest change";
}

}  // namespace
}  // namespace kb::sim
