#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

#include "platform/base/error.h"
#include "tests/unit/plan/plan_oracle.h"

namespace kb::plan::test {
namespace {

Dtype any_dtype() {
  return *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::i8, Dtype::i64);
}

TileShape any_shape() {
  return {*rc::gen::inRange(1, 40), *rc::gen::inRange(1, 70), *rc::gen::inRange(1, 40)};
}

std::vector<EpilogueStep> any_epilogues(int most) {
  std::vector<EpilogueStep> steps;
  for (int count = *rc::gen::inRange(0, most + 1); count > 0; --count) {
    EpilogueStep step;
    step.scope = *rc::gen::element(EpilogueScope::k_tile, EpilogueScope::output_tile, EpilogueScope::kernel);
    for (auto& operand : step.operands) {
      if (*rc::gen::arbitrary<bool>()) continue;
      operand = EpilogueOperand{
          any_dtype(), *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(),
          false,       *rc::gen::arbitrary<bool>(), {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()}};
    }
    steps.push_back(step);
  }
  return steps;
}

GemmProblem any_gemm() {
  GemmProblem p;
  p.m = *rc::gen::inRange(1, 130);
  p.k = *rc::gen::inRange(1, 130);
  p.n = *rc::gen::inRange(1, 130);
  p.dtype_a = any_dtype();
  p.dtype_b = any_dtype();
  p.dtype_out = any_dtype();
  p.a_pinned = *rc::gen::arbitrary<bool>();
  p.b_pinned = *rc::gen::arbitrary<bool>();
  p.out_pinned = false;
  p.epilogues = any_epilogues(4);
  if (*rc::gen::arbitrary<bool>()) p.reuse_buffer_bytes = *rc::gen::inRange<std::uint64_t>(0, 100'000);
  return p;
}

void expect_counts(const PipelinePlan& plan, const ListedTiles& tiles) {
  std::map<StageType, std::uint64_t> found;
  for (const auto& stages : tiles) {
    for (const ListedStage& stage : stages) ++found[stage.type];
  }
  const StageCounts counts = plan.counts();
  RC_ASSERT(counts.tiles == tiles.size());
  for (std::size_t type = 0; type < kStageTypes; ++type) {
    RC_ASSERT(counts.stages[type] == found[static_cast<StageType>(type)]);
  }
}

// The ranges of an operand that the tiles with `select` touch follow each other without gap and overlap.
template <typename Select>
void expect_partition(const PipelinePlan& plan, TileOperand operand, std::uint64_t nbytes, Select&& select,
                      std::uint32_t epilogue = 0) {
  std::map<std::uint64_t, std::uint64_t> ranges;
  for (std::uint64_t id = 0; id < plan.tiles(); ++id) {
    const Tile tile = plan.tile(id);
    if (!select(tile)) continue;
    for (std::uint32_t i = 0; i < plan.stage_count(tile); ++i) {
      const Stage stage = plan.stage(tile, i);
      const bool dma = stage.type == StageType::dma_read || stage.type == StageType::dma_write;
      if (!dma || stage.operand != operand || stage.epilogue != epilogue) continue;
      const auto pieces = static_cast<std::uint64_t>(stage.pieces);
      RC_ASSERT(stage.nbytes % pieces == 0u);
      for (std::uint64_t piece = 0; piece < pieces; ++piece) {
        RC_ASSERT(ranges.emplace(stage.offset + piece * stage.piece_step, stage.nbytes / pieces).second);
      }
    }
  }
  std::uint64_t end = 0;
  for (const auto& [offset, size] : ranges) {
    RC_ASSERT(offset == end);
    end += size;
  }
  RC_ASSERT(end == nbytes);
}

RC_GTEST_PROP(GemmPlanProperty, EqualsTheNestedLoops, ()) {  // P-19 .. P-25
  const GemmProblem p = any_gemm();
  const TileShape shape = any_shape();
  const PipelinePlan plan = gemm_plan(p, shape);
  const ListedTiles expected = listed_gemm(p, shape);
  RC_ASSERT(walked(plan) == expected);
  expect_counts(plan, expected);
}

RC_GTEST_PROP(GemmPlanProperty, TilesTogetherAreExactlyTheOperands, ()) {  // decision 0012
  GemmProblem p = any_gemm();
  p.a_pinned = p.b_pinned = false;
  for (OperandLayout* layout : {&p.a, &p.b}) {
    layout->transposed = *rc::gen::arbitrary<bool>();
    layout->strided = *rc::gen::arbitrary<bool>();
  }
  const PipelinePlan plan = gemm_plan(p, any_shape());
  const auto bytes = [](std::int64_t rows, std::int64_t columns, Dtype dtype) {
    return static_cast<std::uint64_t>(rows * columns) * item_size(dtype);
  };
  expect_partition(plan, TileOperand::a, bytes(p.m, p.k, p.dtype_a), [](const Tile& t) { return t.column == 0; });
  expect_partition(plan, TileOperand::b, bytes(p.k, p.n, p.dtype_b), [](const Tile& t) { return t.row == 0; });
  expect_partition(plan, TileOperand::out, bytes(p.m, p.n, p.dtype_out), [](const Tile&) { return true; });
}

// An operand of an epilogue lies like a matrix of its shape: its tiles, its parts of a row or a column of tiles, and
// slice after slice of K tiles.
RC_GTEST_PROP(GemmPlanProperty, TilesTogetherAreExactlyTheOperandsOfEpilogues, ()) {  // P-14, P-27
  GemmProblem p = any_gemm();
  p.epilogues.resize(2);
  EpilogueStep& step = p.epilogues.back();
  step.scope = *rc::gen::element(EpilogueScope::k_tile, EpilogueScope::output_tile, EpilogueScope::kernel);
  const bool per_row = *rc::gen::arbitrary<bool>(), per_column = *rc::gen::arbitrary<bool>();
  const bool slices = step.scope == EpilogueScope::k_tile && *rc::gen::arbitrary<bool>();
  const Dtype dtype = any_dtype();
  step.operands = {
      EpilogueOperand{
          dtype, per_row, per_column, slices, true, {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()}},
      std::nullopt};
  const TileShape shape = any_shape();
  const std::int64_t depths = (p.k + shape.k - 1) / shape.k;
  const auto nbytes = static_cast<std::uint64_t>((per_row ? p.m : 1) * (per_column ? p.n : 1) * (slices ? depths : 1)) *
                      item_size(dtype);
  // One reader of each part of the operand.
  const auto reads = [&](const Tile& t) {
    if (step.scope == EpilogueScope::kernel) return true;
    return (per_row || t.row == 0) && (per_column || t.column == 0) && (slices || t.last_k);
  };
  expect_partition(gemm_plan(p, shape), TileOperand::epilogue, nbytes, reads, 1);
}

// Every offset and size of an operand of i4 is half of that of i8.
RC_GTEST_PROP(GemmPlanProperty, Int4IsHalfOfInt8, ()) {  // decision 0038
  GemmProblem p;
  p.m = 2 * *rc::gen::inRange(1, 40);
  p.k = 2 * *rc::gen::inRange(1, 40);
  p.n = 2 * *rc::gen::inRange(1, 40);
  for (OperandLayout* layout : {&p.a, &p.b}) {
    layout->transposed = *rc::gen::arbitrary<bool>();
    layout->strided = *rc::gen::arbitrary<bool>();
  }
  const TileShape shape{2 * *rc::gen::inRange(1, 20), 2 * *rc::gen::inRange(1, 20), 2 * *rc::gen::inRange(1, 20)};
  GemmProblem half = p;
  p.dtype_a = p.dtype_b = Dtype::i8;
  half.dtype_a = half.dtype_b = Dtype::i4;
  const PipelinePlan bytes = gemm_plan(p, shape), halves = gemm_plan(half, shape);
  RC_ASSERT(halves.input_buffer_bytes() * 2 == bytes.input_buffer_bytes());
  for (std::uint64_t id = 0; id < bytes.tiles(); ++id) {
    for (std::uint32_t i = 0; i < bytes.stage_count(bytes.tile(id)); ++i) {
      const Stage whole = bytes.stage(bytes.tile(id), i), part = halves.stage(halves.tile(id), i);
      const bool input = whole.type == StageType::dma_read || whole.type == StageType::fetch;
      RC_ASSERT(part.nbytes * (input ? 2 : 1) == whole.nbytes);
      RC_ASSERT(part.offset * (input ? 2 : 1) == whole.offset);
      RC_ASSERT(part.piece_step * 2 == whole.piece_step);
      RC_ASSERT(part.pieces == whole.pieces);
    }
  }
}

TEST(GemmPlan, TilesOfInt4EndAtWholeBytes) {
  GemmProblem p;
  p.m = p.k = p.n = 8;
  p.dtype_b = Dtype::i4;
  const auto refused = [&](const TileShape& shape, const std::string& text) {
    try {
      gemm_plan(p, shape);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "SHAPE_ERROR");
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  refused({3, 3, 3}, "the tile size of N is 3; it must be even");
  EXPECT_EQ(gemm_plan(p, {3, 3, 2}).tiles(), 3u * 3 * 4);
  p.b.transposed = true;
  refused({3, 3, 2}, "the tile size of K is 3");
  EXPECT_EQ(gemm_plan(p, {3, 2, 3}).tiles(), 3u * 4 * 3);
}

// The first bytes of the tile at (row 1, column 1) of a matrix of 5 rows of 7 elements of 2 bytes, in tiles of 2 x 3.
TEST(GemmPlan, TilesLieAsTheirOperandDoes) {
  const auto first_read = [](bool transposed, bool strided) {
    GemmProblem p;
    p.m = transposed ? 7 : 5;
    p.k = transposed ? 5 : 7;
    p.n = 1;
    p.b_pinned = true;
    p.a = {transposed, strided};
    const PipelinePlan plan = gemm_plan(p, transposed ? TileShape{3, 2, 1} : TileShape{2, 3, 1});
    for (std::uint64_t id = 0; id < plan.tiles(); ++id) {
      const Tile tile = plan.tile(id);
      if (tile.row == 1 && tile.depth == 1) return plan.stage(tile, 0);
    }
    return Stage{};
  };
  for (const bool transposed : {false, true}) {
    const Stage dense = first_read(transposed, false), strided = first_read(transposed, true);
    EXPECT_EQ(dense.offset, (2u * 7 + 2 * 3) * 2);  // rows of tiles before it, then the tile before it
    EXPECT_EQ(dense.pieces, 1);
    EXPECT_EQ(strided.offset, (2u * 7 + 3) * 2);  // row 2, column 3
    EXPECT_EQ(strided.pieces, 2);
    EXPECT_EQ(strided.piece_step, 7u * 2);
    EXPECT_EQ(strided.nbytes, 2u * 3 * 2);
  }
}

TEST(GemmPlan, AResultInTheTcmIsNotWrittenToMemory) {
  GemmProblem p;
  p.m = p.k = p.n = 100;
  const StageCounts written = gemm_plan(p, {}).counts();
  p.out_pinned = true;
  const PipelinePlan plan = gemm_plan(p, {});
  EXPECT_EQ(plan.counts().of(StageType::dma_write), 0u);
  EXPECT_EQ(plan.counts().of(StageType::store), written.of(StageType::store));
  EXPECT_EQ(plan.output_buffer_bytes(), 0u);
  const Tile last = plan.tile(plan.tiles() - 1);
  EXPECT_EQ(plan.stage(last, plan.stage_count(last) - 1).type, StageType::store);
}

RC_GTEST_PROP(GemmPlanProperty, UsefulProductsAreThoseOfTheProblem, ()) {  // P-28
  const GemmProblem p = any_gemm();
  const TileShape shape = any_shape();
  const PipelinePlan plan = gemm_plan(p, shape);
  std::int64_t useful = 0;
  for (std::uint64_t id = 0; id < plan.tiles(); ++id) {
    const Tile tile = plan.tile(id);
    for (std::uint32_t i = 0; i < plan.stage_count(tile); ++i) {
      const Stage stage = plan.stage(tile, i);
      if (stage.type != stage_type_of(engine::EngineId::gemm)) continue;
      useful += stage.useful_macs();
    }
  }
  RC_ASSERT(useful == p.m * p.k * p.n);
}

RC_GTEST_PROP(MathPlanProperty, EqualsTheNestedLoops, ()) {  // P-24, P-25
  MathProblem p;
  p.m = *rc::gen::inRange(1, 200);
  p.n = *rc::gen::inRange(1, 200);
  p.dtype_a = any_dtype();
  p.dtype_out = any_dtype();
  p.epilogues = any_epilogues(3);
  const TileShape shape = any_shape();
  const PipelinePlan plan = math_plan(p, shape);
  const ListedTiles expected = listed_math(p, shape);
  RC_ASSERT(walked(plan) == expected);
  expect_counts(plan, expected);
  const auto elements = static_cast<std::uint64_t>(p.m * p.n);
  expect_partition(plan, TileOperand::a, elements * item_size(p.dtype_a), [](const Tile&) { return true; });
  expect_partition(plan, TileOperand::out, elements * item_size(p.dtype_out), [](const Tile&) { return true; });
}

}  // namespace
}  // namespace kb::plan::test
