#include "kernels/tl/shard_map.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "kernels/tl/ptr.h"
#include "platform/base/error.h"
#include "platform/contract/tensor_layout.h"
#include "tests/unit/kernels/layouts.h"

namespace kb::tests {
namespace {

using tl::Ptr;
using tl::ShardMap;
using Extents = std::vector<Extent>;

Extents map(const contract::TensorLayout& layout, PeCoord caller, std::uint64_t offset, std::uint64_t nbytes) {
  Extents out;
  EXPECT_TRUE(ShardMap(layout, caller).append(offset, nbytes, out));
  return out;
}

TEST(Ptr, ArithmeticCountsElementsOfItsDtype) {
  const LayoutPtr layout = whole("x", Dtype::f16, {4, 8}, 0x1000);
  const Ptr x(*layout);
  EXPECT_EQ((x + 3).offset_bytes(), 6);
  EXPECT_EQ((x + 3 - 1).offset_bytes(), 4);
  EXPECT_EQ(x.bytes(3).offset_bytes(), 3);
  EXPECT_EQ((x.as(Dtype::f32) + 3).offset_bytes(), 12);
  EXPECT_EQ((x.as(Dtype::i8) + 3).dtype(), Dtype::i8);
  Ptr y = x + 10;
  y -= 4;
  y += 1;
  EXPECT_EQ(y.offset_bytes(), 14);
  EXPECT_EQ(y.shape(), (Shape{4, 8}));
  EXPECT_TRUE(Ptr().null());
  EXPECT_THROW(Ptr().tensor(), Error);
}

TEST(Ptr, KnowsWhetherShardOrderIsRowMajor) {
  EXPECT_TRUE(Ptr(*whole("x", Dtype::f16, {4, 8}, 0)).row_major());
  EXPECT_TRUE(Ptr(*row_wise("x", Dtype::f16, {4, 8}, 0, 2)).row_major());
  const LayoutPtr columns = empty_layout("x", Dtype::f16, {4, 8}, {4, 2});
  EXPECT_FALSE(Ptr(*columns).row_major());
  EXPECT_TRUE(Ptr(*columns).same_order(Ptr(*columns)));
  EXPECT_FALSE(Ptr(*columns).same_order(Ptr(*whole("y", Dtype::f16, {4, 8}, 0))));
  EXPECT_TRUE(Ptr(*row_wise("x", Dtype::f16, {4, 8}, 0, 4)).same_order(Ptr(*whole("y", Dtype::f16, {4, 8}, 0))));
  EXPECT_FALSE(Ptr(*whole("x", Dtype::f16, {8, 4}, 0)).same_order(Ptr(*whole("y", Dtype::f16, {4, 8}, 0))));
}

TEST(ShardMap, SplitsWhereShardsEnd) {
  const LayoutPtr layout = row_wise("x", Dtype::f16, {4, 8}, 0x1000, 4);  // 16 bytes each
  EXPECT_EQ(map(*layout, pe_at(0, 0, 0), 0, 16), (Extents{{0x1000, 16}}));
  EXPECT_EQ(map(*layout, pe_at(0, 0, 0), 10, 30), (Extents{{0x100a, 6}, {0x101000, 16}, {0x201000, 8}}));
  EXPECT_EQ(map(*layout, pe_at(0, 0, 3), 63, 1), (Extents{{0x30100f, 1}}));
}

TEST(ShardMap, RefusesBytesThatNoShardHolds) {
  LayoutPtr layout = row_wise("x", Dtype::f16, {4, 8}, 0x1000, 4);
  layout->shards.erase(layout->shards.begin() + 1);
  const ShardMap shards(*layout, pe_at(0, 0, 0));
  Extents out{{7, 7}};
  EXPECT_FALSE(shards.append(0, 17, out));
  EXPECT_FALSE(shards.append(16, 1, out));
  EXPECT_FALSE(shards.append(64, 1, out));
  EXPECT_EQ(out, (Extents{{7, 7}}));
  EXPECT_TRUE(shards.append(32, 32, out));
  EXPECT_EQ(out.size(), 3u);
}

// The own copy is preferred, then one in the same cube, then the first one.
TEST(ShardMap, TakesTheNearestCopy) {
  const LayoutPtr layout = replicated("x", Dtype::f16, {2, 2}, 0, 2, 2);
  EXPECT_EQ(map(*layout, pe_at(0, 1, 1), 0, 8), (Extents{{0x300000, 8}}));  // own
  EXPECT_EQ(map(*layout, pe_at(0, 1, 5), 0, 8), (Extents{{0x200000, 8}}));  // first in the cube
  EXPECT_EQ(map(*layout, pe_at(0, 7, 1), 0, 8), (Extents{{0, 8}}));         // first of all
  EXPECT_EQ(map(*layout, pe_at(1, 1, 1), 0, 8), (Extents{{0, 8}}));         // another SIP
}

TEST(ShardMap, KnowsTheCallersShard) {
  const LayoutPtr layout = row_wise("x", Dtype::f16, {4, 8}, 0x1000, 4);
  EXPECT_EQ(ShardMap(*layout, pe_at(0, 0, 2)).own(), &layout->shards[2]);
  EXPECT_EQ(ShardMap(*layout, pe_at(0, 1, 2)).own(), nullptr);
}

TEST(ShardMap, RefusesPartialOverlap) {
  LayoutPtr layout = row_wise("x", Dtype::f16, {4, 8}, 0x1000, 4);
  layout->shards[1].offset_bytes = 8;
  EXPECT_THROW(map(*layout, pe_at(0, 0, 0), 0, layout->nbytes), Error);
}

// Any range is covered byte by byte, whatever was looked up before.
TEST(ShardMap, RangesAreExactForAllOffsets) {
  EXPECT_TRUE(rc::check("extents cover the range in order", [] {
    const auto pes = *rc::gen::inRange<std::uint32_t>(1, 9);
    const LayoutPtr layout = row_wise("x", Dtype::i8, {static_cast<std::int64_t>(pes) * 3, 5}, 0x40, pes);
    const ShardMap shards(*layout, pe_at(0, 0, 0));
    for (int round = 0; round < 5; ++round) {
      const auto offset = *rc::gen::inRange<std::uint64_t>(0, layout->nbytes);
      const auto nbytes = *rc::gen::inRange<std::uint64_t>(1, layout->nbytes - offset + 1);
      Extents out;
      RC_ASSERT(shards.append(offset, nbytes, out));
      std::uint64_t at = offset;
      for (const Extent& extent : out) {
        for (std::uint64_t i = 0; i < extent.nbytes; ++i, ++at) {
          RC_ASSERT(extent.pa + i == 0x40 + at / 15 * 0x100000 + at % 15);
        }
      }
      RC_ASSERT(at == offset + nbytes);
    }
  }));
}

}  // namespace
}  // namespace kb::tests
