// Back from the end of a launch to what it depended on.
#include "sim/analysis/recorded/critical_chain.h"

#include <gtest/gtest.h>

#include <map>

namespace kb::analysis {
namespace {

// Blocks 0 and 1 are a DMA engine and a GEMM engine.
constexpr std::uint16_t kRead = 0, kGemm = 1;

class CriticalChain : public ::testing::Test {
 protected:
  std::vector<PathSegment> walk(const std::string& pe, std::int64_t end) const {
    return walk_chain(
        {0, end, pe, 100},
        [&](const std::string& name) {
          const auto found = ops_.find(name);
          return found == ops_.end() ? std::vector<ChainOp>() : found->second;
        },
        messages_, [](std::int64_t component) { return component == 1 ? "a" : "b"; });
  }
  std::map<std::string, std::vector<ChainOp>> ops_;
  std::vector<Message> messages_;
};

TEST_F(CriticalChain, ReadsAndComputingThatTakeTurns) {
  ops_["a"] = {{0, 30, 0, kRead}, {30, 40, 1, kGemm}, {5, 9, 0, kRead}, {40, 70, 0, kRead}, {72, 90, 1, kGemm}};
  const std::vector<PathSegment> stays = walk("a", 100);
  ASSERT_EQ(stays.size(), 1u);
  EXPECT_EQ(stays[0].begin_fs, 0);
  EXPECT_EQ(stays[0].end_fs, 100);
  EXPECT_EQ(stays[0].between_fs, 12) << "10 after the last operation, 2 before it";
  ASSERT_EQ(stays[0].parts.size(), 2u);
  EXPECT_EQ(stays[0].parts[0].operation, kRead);
  EXPECT_EQ(stays[0].parts[0].time_fs, 60);
  EXPECT_EQ(stays[0].parts[0].count, 2) << "the read that ended at 9 decided nothing";
  EXPECT_EQ(stays[0].parts[1].time_fs, 28);
  EXPECT_FALSE(stays[0].message);
}

TEST_F(CriticalChain, OfOperationsThatEndTogetherTheLongest) {
  ops_["a"] = {{0, 50, 0, kRead}, {45, 50, 1, kGemm}};
  const std::vector<PathSegment> stays = walk("a", 50);
  ASSERT_EQ(stays[0].parts.size(), 1u);
  EXPECT_EQ(stays[0].parts[0].operation, kRead);
  EXPECT_EQ(stays[0].between_fs, 0);
}

TEST_F(CriticalChain, OverAMessageThatWasWaitedForToItsSender) {
  ops_["a"] = {{0, 40, 0, kRead}};
  ops_["b"] = {{0, 5, 1, kGemm}, {62, 80, 1, kGemm}};
  messages_ = {{1, 2, 45, 60, 10, 61, 64, "E"}};  // a to b: sent at 45, there at 60, waited for since 10
  const std::vector<PathSegment> stays = walk("b", 80);
  ASSERT_EQ(stays.size(), 2u);
  EXPECT_EQ(stays[0].pe, "a");
  EXPECT_EQ(stays[0].begin_fs, 0);
  EXPECT_EQ(stays[0].end_fs, 45);
  EXPECT_EQ(stays[0].between_fs, 5);
  EXPECT_EQ(stays[1].pe, "b");
  EXPECT_EQ(stays[1].begin_fs, 60);
  EXPECT_EQ(stays[1].between_fs, 2) << "1 to take it out of its slot, 1 to the next operation";
  EXPECT_EQ(stays[1].parts[0].time_fs, 18);
  ASSERT_TRUE(stays[1].message);
  EXPECT_EQ(stays[1].message->sent_fs, 45);
}

TEST_F(CriticalChain, AMessageThatWasThereBeforeDecidesNothing) {
  ops_["b"] = {{0, 5, 1, kGemm}, {62, 80, 1, kGemm}};
  messages_ = {{1, 2, 1, 3, 6, 7, 64, "E"}};
  EXPECT_EQ(walk("b", 80).size(), 1u);
}

TEST_F(CriticalChain, MessagesWithoutTimeEnd) {
  // Damaged or extreme: two PEs that wait for each other at one moment.
  messages_ = {{1, 2, 10, 10, 9, 10, 64, "E"}, {2, 1, 10, 10, 9, 10, 64, "W"}};
  EXPECT_EQ(walk("b", 80).size(), 100u) << "the limit ends it";
}

}  // namespace
}  // namespace kb::analysis
