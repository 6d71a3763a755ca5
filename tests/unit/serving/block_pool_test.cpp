#include "sw/serving/block_pool.h"

#include <gtest/gtest.h>

namespace kb::serving {
namespace {

std::vector<int> take(BlockPool& pool, int count) {
  std::vector<int> taken;
  for (int i = 0; i < count; ++i) taken.push_back(static_cast<int>(pool.take()));
  return taken;
}

std::vector<BlockId> ids(std::initializer_list<int> numbers) {
  std::vector<BlockId> blocks;
  for (const int number : numbers) blocks.push_back(BlockId(number));
  return blocks;
}

TEST(BlockPool, TakesFromTheHeadAndReleasesInReverseToTheTail) {  // M-73
  BlockPool pool(5);
  EXPECT_EQ(pool.size(), 5);
  EXPECT_EQ(take(pool, 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(pool.free_blocks(), 2);
  pool.release(ids({0, 1, 2}));
  EXPECT_EQ(pool.free_blocks(), 5);
  EXPECT_EQ(take(pool, 5), (std::vector<int>{3, 4, 2, 1, 0}));
  EXPECT_EQ(pool.free_blocks(), 0);
}

TEST(BlockPool, KeepsContentsOfFreeBlocksUntilTheyAreTaken) {  // M-73
  BlockPool pool(2);
  take(pool, 2);
  pool.index(BlockId(0), 70);
  pool.index(BlockId(1), 71);
  pool.release(ids({0, 1}));
  EXPECT_EQ(pool.find(70), BlockId(0));
  EXPECT_EQ(take(pool, 1), (std::vector<int>{1}));  // the end of the text goes first
  EXPECT_FALSE(pool.find(71));
  EXPECT_EQ(pool.find(70), BlockId(0));
}

TEST(BlockPool, SharedBlocksLeaveTheQueueUntilTheLastUserReleasesThem) {  // M-73
  BlockPool pool(2);
  take(pool, 2);
  pool.release(ids({0, 1}));
  EXPECT_TRUE(pool.is_free(BlockId(0)));
  pool.share(BlockId(0));
  pool.share(BlockId(0));
  EXPECT_EQ(pool.free_blocks(), 1);
  pool.release(ids({0}));
  EXPECT_EQ(pool.free_blocks(), 1);
  pool.release(ids({0}));
  EXPECT_EQ(take(pool, 2), (std::vector<int>{1, 0}));
}

TEST(BlockPool, ASecondBlockOfTheSameContentTakesOverTheIndex) {  // M-73
  BlockPool pool(3);
  take(pool, 3);
  pool.index(BlockId(0), 7);
  pool.index(BlockId(1), 7);
  EXPECT_EQ(pool.find(7), BlockId(1));
  pool.release(ids({0}));
  EXPECT_EQ(take(pool, 1), (std::vector<int>{0}));  // forgets the content of block 0, which block 1 still has
  EXPECT_EQ(pool.find(7), BlockId(1));
}

}  // namespace
}  // namespace kb::serving
