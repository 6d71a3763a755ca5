#include "platform/address/free_list.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "platform/base/error.h"

namespace kb::address {
namespace {

using Blocks = std::vector<FreeList::Block>;

// first fit from the front of the first block that is large enough.
TEST(FreeList, TakesTheFrontOfTheFirstBlockThatFits) {
  FreeList list("memory", 0, 100, 1);
  EXPECT_EQ(list.alloc(10), 0u);
  EXPECT_EQ(list.alloc(20), 10u);
  EXPECT_EQ(list.alloc(30), 30u);
  list.free(0, 10);
  list.free(30, 30);
  EXPECT_EQ(list.free_blocks(), (Blocks{{0, 10}, {30, 70}}));
  EXPECT_EQ(list.alloc(15), 30u);
  EXPECT_EQ(list.alloc(5), 0u);
  EXPECT_EQ(list.free_blocks(), (Blocks{{5, 5}, {45, 55}}));
  EXPECT_EQ(list.used_bytes(), 40u);
}

TEST(FreeList, ExactFitRemovesTheBlock) {
  FreeList list("memory", 0, 64, 1);
  EXPECT_EQ(list.alloc(64), 0u);
  EXPECT_TRUE(list.free_blocks().empty());
  EXPECT_EQ(list.largest_free_block(), 0u);
  list.free(0, 64);
  EXPECT_EQ(list.free_blocks(), (Blocks{{0, 64}}));
  EXPECT_TRUE(list.pristine());
}

//
TEST(FreeList, CoalescesOnBothSides) {
  FreeList list("memory", 1000, 40, 1);
  for (int i = 0; i < 4; ++i) list.alloc(10);
  list.free(1000, 10);
  list.free(1020, 10);
  EXPECT_EQ(list.free_blocks(), (Blocks{{1000, 10}, {1020, 10}}));
  list.free(1010, 10);
  EXPECT_EQ(list.free_blocks(), (Blocks{{1000, 30}}));
  list.free(1030, 10);
  EXPECT_EQ(list.free_blocks(), (Blocks{{1000, 40}}));
}

TEST(FreeList, CoalescesWithTheSuccessorAlone) {
  FreeList list("memory", 0, 30, 1);
  for (int i = 0; i < 3; ++i) list.alloc(10);
  list.free(20, 10);
  list.free(10, 10);
  EXPECT_EQ(list.free_blocks(), (Blocks{{10, 20}}));
}

// required size, largest block, memory; and nothing has changed.
TEST(FreeList, FailureNamesSizeLargestBlockAndMemory) {
  FreeList list("sip0.cube1.pe3 HBM slice", 0, 1024, 256);
  list.alloc(256);
  const std::uint64_t middle = list.alloc(256);
  list.alloc(256);
  list.free(middle, 256);
  try {
    list.alloc(257);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::program);
    EXPECT_EQ(error.code(), "ALLOCATION_ERROR");
    EXPECT_STREQ(error.what(),
                 "sip0.cube1.pe3 HBM slice is out of memory: 512 bytes required, the largest free block has 256 bytes "
                 "(512 of 1024 bytes are free)");
  }
  EXPECT_EQ(list.used_bytes(), 512u);
  EXPECT_EQ(list.free_blocks(), (Blocks{{256, 256}, {768, 256}}));
}

//
TEST(FreeList, RefusesSizesBelowOne) {
  FreeList list("memory", 0, 64, 1);
  for (std::int64_t n : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN}) {
    EXPECT_THROW(list.alloc(n), Error);
    EXPECT_THROW(list.free(0, n), Error);
  }
  EXPECT_TRUE(list.pristine());
}

// every free is checked.
TEST(FreeList, RefusesFreesOfWhatIsNotAllocated) {
  FreeList list("memory", 0, 64, 16);
  EXPECT_EQ(list.alloc(32), 0u);
  EXPECT_THROW(list.free(16, 16), Error);  // inside a block
  EXPECT_THROW(list.free(0, 16), Error);   // not the whole block
  EXPECT_THROW(list.free(32, 32), Error);  // free already
  EXPECT_EQ(list.used_bytes(), 32u);
  list.free(0, 20);  // the same number of units
  EXPECT_THROW(list.free(0, 20), Error);
  EXPECT_TRUE(list.pristine());
}

//
TEST(FreeList, KeepsStartsAligned) {
  FreeList list("memory", 0, 100, 16);
  EXPECT_EQ(list.alloc(1), 0u);
  EXPECT_EQ(list.alloc(17), 16u);
  EXPECT_EQ(list.alloc(16), 48u);
  EXPECT_EQ(list.free_bytes(), 32u);  // the tail below one unit does not count
  EXPECT_THROW(FreeList("memory", 0, 100, 0), Error);
}

TEST(FreeList, SurvivesRequestsAsLargeAsAnInteger) {
  FreeList list("memory", 0, 1 << 20, 256);
  EXPECT_THROW(list.alloc(INT64_MAX), Error);
  EXPECT_EQ(list.alloc(1 << 20), 0u);
}

// One bool per unit: the plainest first fit.
class Bitmap {
 public:
  explicit Bitmap(std::size_t units) : used_(units, false) {}
  std::optional<std::size_t> alloc(std::size_t n) {
    for (std::size_t start = 0; start + n <= used_.size(); ++start) {
      bool fits = true;
      for (std::size_t i = start; i < start + n; ++i) fits = fits && !used_[i];
      if (!fits) continue;
      set(start, n, true);
      return start;
    }
    return std::nullopt;
  }
  void set(std::size_t start, std::size_t n, bool used) {
    for (std::size_t i = start; i < start + n; ++i) used_[i] = used;
  }
  Blocks free_blocks(std::uint64_t unit) const {
    Blocks blocks;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i]) continue;
      if (i == 0 || used_[i - 1]) blocks.push_back({i * unit, 0});
      blocks.back().size += unit;
    }
    return blocks;
  }

 private:
  std::vector<bool> used_;
};

RC_GTEST_PROP(FreeList, BehavesLikeABitmap, ()) {
  const auto unit = *rc::gen::element<std::uint64_t>(1, 16, 256);
  const auto units = *rc::gen::inRange<std::size_t>(1, 60);
  FreeList list("memory", 0, units * unit, unit);
  Bitmap bitmap(units);
  std::vector<std::pair<std::uint64_t, std::int64_t>> held;
  const auto steps = *rc::gen::inRange(1, 120);
  for (int i = 0; i < steps; ++i) {
    if (held.empty() || *rc::gen::inRange(0, 5) < 3) {
      const auto n = *rc::gen::inRange<std::int64_t>(1, static_cast<std::int64_t>(unit) * 12);
      const std::size_t needed = (static_cast<std::uint64_t>(n) + unit - 1) / unit;
      const auto expected = bitmap.alloc(needed);
      if (!expected) {
        RC_ASSERT_THROWS_AS(list.alloc(n), Error);
      } else {
        const std::uint64_t start = list.alloc(n);
        RC_ASSERT(start == *expected * unit);
        held.emplace_back(start, n);
      }
    } else {
      const auto which = *rc::gen::inRange<std::size_t>(0, held.size());
      const auto [start, n] = held[which];
      list.free(start, n);
      bitmap.set(start / unit, (static_cast<std::uint64_t>(n) + unit - 1) / unit, false);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
    }
    RC_ASSERT(list.free_blocks() == bitmap.free_blocks(unit));
  }
  for (const auto& [start, n] : held) list.free(start, n);
  RC_ASSERT(list.pristine());
  RC_ASSERT(list.free_blocks() == (Blocks{{0, units * unit}}));
}

}  // namespace
}  // namespace kb::address
