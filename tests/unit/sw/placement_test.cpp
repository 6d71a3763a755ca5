#include "sw/tensor/placement.h"

#include <gmock/gmock.h>

#include "platform/base/error.h"
#include "sw/tensor/shard_runs.h"

namespace kb::sw {
namespace {

constexpr EffectiveCounts kTwoByTwo{2, 2};
const SipId kSip{1};

std::vector<ShardSpec> place(Split cube, Split pe, const Shape& shape = {8, 16}, EffectiveCounts counts = kTwoByTwo) {
  DPPolicy policy;
  policy.cube = cube;
  policy.pe = pe;
  return resolve_dp_policy(policy, shape, Dtype::f16, counts, kSip, "t");
}

struct Row {
  Split cube, pe;
  std::int64_t rows, cols;
  std::vector<std::uint64_t> offsets;                          // of the four shards, in bytes
  std::vector<std::pair<std::int64_t, std::int64_t>> corners;  // (row, col)
};

class PlacementTable : public ::testing::TestWithParam<Row> {};

// K-26, K-27, H-24: cube-major then PE; offset = cube offset + PE offset; each shard one contiguous block.
TEST_P(PlacementTable, EveryCombinationOfSplits) {
  const Row& want = GetParam();
  const std::vector<ShardSpec> shards = place(want.cube, want.pe);
  ASSERT_EQ(shards.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(shards[i].owner,
              (PeCoord{kSip, CubeId(static_cast<std::uint32_t>(i / 2)), PeId(static_cast<std::uint32_t>(i % 2))}));
    EXPECT_EQ(shards[i].offset_bytes, want.offsets[i]);
    EXPECT_EQ(shards[i].rows, want.rows);
    EXPECT_EQ(shards[i].cols, want.cols);
    EXPECT_EQ(shards[i].nbytes, static_cast<std::uint64_t>(want.rows * want.cols * 2));
    EXPECT_EQ(shards[i].row, want.corners[i].first);
    EXPECT_EQ(shards[i].col, want.corners[i].second);
  }
}

constexpr Split kRep = Split::replicate, kCol = Split::column_wise, kRow = Split::row_wise;
INSTANTIATE_TEST_SUITE_P(
    AllCombinations, PlacementTable,
    ::testing::Values(Row{kRep, kRep, 8, 16, {0, 0, 0, 0}, {{0, 0}, {0, 0}, {0, 0}, {0, 0}}},
                      Row{kRep, kCol, 8, 8, {0, 128, 0, 128}, {{0, 0}, {0, 8}, {0, 0}, {0, 8}}},
                      Row{kRep, kRow, 4, 16, {0, 128, 0, 128}, {{0, 0}, {4, 0}, {0, 0}, {4, 0}}},
                      Row{kCol, kRep, 8, 8, {0, 0, 128, 128}, {{0, 0}, {0, 0}, {0, 8}, {0, 8}}},
                      Row{kCol, kCol, 8, 4, {0, 64, 128, 192}, {{0, 0}, {0, 4}, {0, 8}, {0, 12}}},
                      Row{kCol, kRow, 4, 8, {0, 64, 128, 192}, {{0, 0}, {4, 0}, {0, 8}, {4, 8}}},
                      Row{kRow, kRep, 4, 16, {0, 0, 128, 128}, {{0, 0}, {0, 0}, {4, 0}, {4, 0}}},
                      Row{kRow, kCol, 4, 8, {0, 64, 128, 192}, {{0, 0}, {0, 8}, {4, 0}, {4, 8}}},
                      Row{kRow, kRow, 2, 16, {0, 64, 128, 192}, {{0, 0}, {2, 0}, {4, 0}, {6, 0}}}));

std::string message_of(const std::function<void()>& call, const std::string& code) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_EQ(error.family(), ErrorFamily::program);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;  // rows, columns

Sizes sizes(const std::vector<ShardSpec>& shards) {
  Sizes out;
  for (const ShardSpec& shard : shards) out.emplace_back(shard.rows, shard.cols);
  return out;
}

TEST(Placement, UnevenPartsDifferByOneAndFollowEachOther) {  // K-27: 7 = 4 + 3 = (2 + 2) + (2 + 1)
  const std::vector<ShardSpec> rows = place(kRow, kRow, {7, 4});
  EXPECT_EQ(sizes(rows), (Sizes{{2, 4}, {2, 4}, {2, 4}, {1, 4}}));
  EXPECT_EQ(rows[3].row, 6);
  EXPECT_EQ(rows[3].offset_bytes, 6u * 4 * 2);
  const std::vector<ShardSpec> blocks = place(kRow, kCol, {3, 5});
  EXPECT_EQ(sizes(blocks), (Sizes{{2, 3}, {2, 2}, {1, 3}, {1, 2}}));
  EXPECT_EQ(blocks[3].offset_bytes, (2u * 5 + 3) * 2);
}

TEST(Placement, PesWithoutAPartHaveNoShard) {
  const std::vector<ShardSpec> shards = place(kRow, kRow, {3, 4});
  EXPECT_EQ(sizes(shards), (Sizes{{1, 4}, {1, 4}, {1, 4}}));
  EXPECT_EQ(shards[2].owner, (PeCoord{kSip, CubeId(1), PeId(0)}));
  EXPECT_EQ(place(kCol, kRow, {1, 4}).size(), 2u);
}

TEST(Placement, OneToFourDimensions) {  // row_wise splits the first, column_wise the last
  EXPECT_EQ(sizes(place(kRow, kRow, {9})), (Sizes{{1, 3}, {1, 2}, {1, 2}, {1, 2}}));
  EXPECT_EQ(sizes(place(kRow, kCol, {9})), sizes(place(kRow, kRow, {9})));
  const Shape shape{3, 2, 5, 4};
  const std::vector<ShardSpec> rows = place(kRow, kRep, shape);
  EXPECT_EQ(sizes(rows), (Sizes{{20, 4}, {20, 4}, {10, 4}, {10, 4}}));
  EXPECT_EQ(shard_shape(shape, rows[0]), (Shape{2, 2, 5, 4}));
  EXPECT_EQ(shard_shape(shape, rows[3]), (Shape{1, 2, 5, 4}));
  const std::vector<ShardSpec> columns = place(kRep, kCol, {3, 2, 5});
  EXPECT_EQ(sizes(columns), (Sizes{{6, 3}, {6, 2}, {6, 3}, {6, 2}}));
  EXPECT_EQ(shard_shape({3, 2, 5}, columns[1]), (Shape{3, 2, 2}));
}

TEST(Placement, ShapesAreOneToFourDimensionalAndPositive) {
  for (const Shape& shape : {Shape{}, Shape{2, 2, 2, 2, 2}, Shape{0, 4}, Shape{4, -1}}) {
    EXPECT_THAT(message_of([&] { place(kRep, kRep, shape); }, "SHAPE_ERROR"),
                ::testing::HasSubstr("must have one to 4 dimensions of at least 1"));
  }
}

TEST(Placement, SizesThatOverflowAreRefusedByName) {
  for (const Shape& shape : {Shape{std::int64_t{1} << 62, 8}, Shape{1, std::int64_t{1} << 62}}) {
    EXPECT_THAT(message_of([&] { place(kRep, kRep, shape); }, "ALLOCATION_ERROR"),
                ::testing::HasSubstr("tensor 't': f16 of shape"));
  }
}

TEST(Placement, EffectiveCountsPreferThePolicy) {  // H-26, K-28
  DPPolicy policy;
  EXPECT_EQ(effective_counts(policy, 4, 8).cubes, 4);
  EXPECT_EQ(effective_counts(policy, 4, 8).pes, 8);
  policy.num_cubes = 3;
  policy.num_pes = 1;
  EXPECT_EQ(effective_counts(policy, 4, 8).cubes, 3);
  EXPECT_EQ(effective_counts(policy, 4, 8).pes, 1);
  policy.num_pes = 9;
  EXPECT_EQ(message_of([&] { effective_counts(policy, 4, 8); }, "SCHEMA_ERROR"),
            "DPPolicy::num_pes is 9; this machine has 1 to 8 PEs per cube to choose from");
  policy.num_pes = 0;
  EXPECT_THAT(message_of([&] { effective_counts(policy, 4, 8); }, "SCHEMA_ERROR"), ::testing::HasSubstr("is 0"));
}

TEST(Placement, ShardOrderAndRowMajorAreInverse) {
  const Shape shape{8, 16};
  std::vector<std::byte> array(8 * 16 * 2);
  for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<std::byte>(i * 7);
  for (const Split cube : {kRep, kCol, kRow}) {
    for (const Split pe : {kRep, kCol, kRow}) {
      const auto shards = place(cube, pe);
      EXPECT_EQ(to_row_major(shards, shape, 2, to_shard_order(shards, shape, 2, array)), array);
    }
  }
  // Column shard 1 begins with element (0, 8): columns before x rows x item size (K-27).
  const auto columns = place(kCol, kRep);
  const auto ordered = to_shard_order(columns, shape, 2, array);
  EXPECT_EQ(ordered[8 * 8 * 2], array[8 * 2]);
}

TEST(Placement, BlocksAreFoundInsideShardsOnly) {
  const auto shards = place(kRow, kCol);  // blocks of 4 x 8
  EXPECT_EQ(shards_holding(shards, {4, 8, 4, 8}), (std::vector<std::size_t>{3}));
  EXPECT_TRUE(shards_holding(shards, {3, 0, 2, 1}).empty());
  EXPECT_TRUE(shards_holding(shards, {0, 7, 1, 2}).empty());
  EXPECT_EQ(shards_holding(place(kRep, kRow), {5, 0, 1, 16}), (std::vector<std::size_t>{1, 3}));

  const auto whole = block_runs(shards, 3, {5, 8, 2, 8}, 2);  // full width: one run
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0].offset, 16u);
  EXPECT_EQ(whole[0].nbytes, 32u);
  const auto part = block_runs(shards, 3, {5, 9, 2, 3}, 2);
  ASSERT_EQ(part.size(), 2u);
  EXPECT_EQ(part[1].offset, (2u * 8 + 1) * 2);
  EXPECT_EQ(part[1].nbytes, 6u);
  EXPECT_EQ(part[1].buffer_offset, 6u);
}

}  // namespace
}  // namespace kb::sw
