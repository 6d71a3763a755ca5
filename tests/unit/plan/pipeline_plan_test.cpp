#include "platform/plan/pipeline_plan.h"

#include <gmock/gmock.h>

#include "platform/base/error.h"
#include "tests/unit/plan/plan_oracle.h"

namespace kb::plan::test {
namespace {

using testing::ElementsAre;

std::vector<StageType> types(const PipelinePlan& plan, std::uint64_t id) {
  std::vector<StageType> types;
  const Tile tile = plan.tile(id);
  for (std::uint32_t i = 0; i < plan.stage_count(tile); ++i) types.push_back(plan.stage(tile, i).type);
  return types;
}

constexpr StageType R = StageType::dma_read, F = StageType::fetch, G = stage_type_of(engine::EngineId::gemm),
                    M = stage_type_of(engine::EngineId::math), S = StageType::store, W = StageType::dma_write;

GemmProblem problem(std::int64_t m, std::int64_t k, std::int64_t n) {
  GemmProblem p;
  p.m = m;
  p.k = k;
  p.n = n;
  return p;
}

TEST(GemmPlan, HasTheTilesOfTheExamples) {  // P-20, P-25
  EXPECT_EQ(gemm_plan(problem(512, 512, 512), {}).tiles(), 2048u);
  EXPECT_EQ(gemm_plan(problem(32, 3072, 32), {}).tiles(), 48u);
  EXPECT_EQ(gemm_plan(problem(32, 64, 32), {}).tiles(), 1u);
  EXPECT_EQ(gemm_plan(problem(1, 1, 1), {}).tiles(), 1u);
  EXPECT_EQ(gemm_plan(problem(33, 65, 33), {}).tiles(), 8u);
  EXPECT_EQ(gemm_plan(problem(4096, 4096, 4096), {}).tiles(), 1u << 20);
}

TEST(GemmPlan, StoresOnlyAfterTheLastKTile) {  // P-21, P-22
  const PipelinePlan plan = gemm_plan(problem(32, 128, 32), {});
  EXPECT_THAT(types(plan, 0), ElementsAre(R, R, F, G));
  EXPECT_THAT(types(plan, 1), ElementsAre(R, R, F, G, S, W));
}

TEST(GemmPlan, GoesThroughKThenNThenM) {  // P-21
  const PipelinePlan plan = gemm_plan(problem(64, 128, 64), {});
  std::vector<std::int64_t> places;
  for (std::uint64_t id = 0; id < plan.tiles(); ++id) {
    const Tile tile = plan.tile(id);
    EXPECT_EQ(tile.id, id);
    places.push_back(tile.row * 100 + tile.column * 10 + tile.depth);
  }
  EXPECT_THAT(places, ElementsAre(0, 1, 10, 11, 100, 101, 110, 111));
}

TEST(GemmPlan, PinnedOperandsAreNotReadByAnyTile) {  // P-23
  GemmProblem p = problem(32, 128, 32);
  p.a_pinned = true;
  EXPECT_THAT(types(gemm_plan(p, {}), 0), ElementsAre(R, F, G));
  EXPECT_EQ(gemm_plan(p, {}).stage(gemm_plan(p, {}).tile(0), 0).operand, TileOperand::b);
  p.b_pinned = true;
  EXPECT_THAT(types(gemm_plan(p, {}), 1), ElementsAre(F, G, S, W));
  EXPECT_EQ(gemm_plan(p, {}).stage(gemm_plan(p, {}).tile(1), 0).nbytes, 8192u);  // still fetched from the TCM
}

// 3 x 4096 B of A beside two tiles of 4096 B of B, 2048 B of output and, of an operand in memory, 2048 B.
TEST(GemmPlan, KeepsTheRowsOfAThatFitBesideTwoTiles) {  // P-102
  GemmProblem p = problem(64, 192, 64);
  const auto keeps = [&](std::uint64_t room) {
    p.reuse_buffer_bytes = room;
    return gemm_plan(p, {}).reuses_a();
  };
  EXPECT_TRUE(keeps(3 * 4096 + 2 * 6144));
  EXPECT_FALSE(keeps(3 * 4096 + 2 * 6144 - 1));
  EpilogueStep step;
  step.operands[0] = EpilogueOperand{Dtype::f16, true, true, false, true, {}};
  p.epilogues = {step};
  EXPECT_TRUE(keeps(3 * 4096 + 2 * 8192));
  EXPECT_FALSE(keeps(3 * 4096 + 2 * 8192 - 1));
  p.epilogues.clear();
  p.b_pinned = p.out_pinned = true;
  EXPECT_TRUE(keeps(3 * 4096));
  EXPECT_FALSE(keeps(3 * 4096 - 1));
  EXPECT_THAT(types(gemm_plan(p, {}), 0), ElementsAre(R, F, G));
  p.reuse_buffer_bytes = UINT64_MAX;
  EXPECT_THAT(types(gemm_plan(p, {}), 3), ElementsAre(F, G));
  p.n = 32;  // one column of tiles
  EXPECT_FALSE(keeps(UINT64_MAX));
  p.n = 64;
  p.a_pinned = true;
  EXPECT_FALSE(keeps(UINT64_MAX));
}

TEST(GemmPlan, EpiloguesFireByScopeInCommandOrder) {  // P-12, P-13
  GemmProblem p = problem(32, 128, 64);
  for (const EpilogueScope scope :
       {EpilogueScope::output_tile, EpilogueScope::k_tile, EpilogueScope::kernel, EpilogueScope::output_tile}) {
    EpilogueStep step;
    step.scope = scope;
    p.epilogues.push_back(step);
  }
  const PipelinePlan plan = gemm_plan(p, {});
  const auto fired = [&](std::uint64_t id) {
    std::vector<std::uint32_t> epilogues;
    const Tile tile = plan.tile(id);
    for (std::uint32_t i = 0; i < plan.stage_count(tile); ++i) {
      const Stage stage = plan.stage(tile, i);
      if (stage.type == M) epilogues.push_back(stage.epilogue);
    }
    return epilogues;
  };
  EXPECT_THAT(fired(0), ElementsAre(1));
  EXPECT_THAT(fired(1), ElementsAre(1, 0, 3));
  EXPECT_THAT(fired(2), ElementsAre(1));
  EXPECT_THAT(fired(3), ElementsAre(1, 0, 3, 2));
  EXPECT_THAT(types(plan, 3), ElementsAre(R, R, F, G, M, M, M, M, S, W));
  const auto keeps = [&](std::uint32_t i) { return plan.stage(plan.tile(3), i).keeps_slot; };
  EXPECT_TRUE(keeps(3));  // P-17: GEMM and the k_tile epilogue are one turn of the accel_slot
  for (std::uint32_t i = 4; i < 8; ++i) EXPECT_FALSE(keeps(i)) << i;
}

TEST(GemmPlan, EdgeTilesMoveAndMultiplyWhatExists) {  // P-28
  const PipelinePlan plan = gemm_plan(problem(33, 70, 40), {});
  const Tile corner = plan.tile(plan.tiles() - 1);
  EXPECT_EQ(corner.m, 1);
  EXPECT_EQ(corner.k, 6);
  EXPECT_EQ(corner.n, 8);
  EXPECT_EQ(plan.stage(corner, 0).nbytes, 1u * 6 * 2);
  EXPECT_EQ(plan.stage(corner, 1).nbytes, 6u * 8 * 2);
  EXPECT_EQ(plan.stage(corner, 2).nbytes, 12u + 96);
  EXPECT_EQ(plan.stage(corner, 3).useful_macs(), 1 * 6 * 8);
  EXPECT_EQ(plan.stage(corner, 4).nbytes, 1u * 8 * 2);
}

TEST(GemmPlan, TilesLieSideBySide) {  // decision 0012
  const PipelinePlan plan = gemm_plan(problem(64, 128, 64), {});
  EXPECT_EQ(plan.stage(plan.tile(0), 0).offset, 0u);
  EXPECT_EQ(plan.stage(plan.tile(1), 0).offset, 4096u);
  EXPECT_EQ(plan.stage(plan.tile(4), 0).offset, 8192u);  // the next row of A
  EXPECT_EQ(plan.stage(plan.tile(2), 1).offset, 4096u);  // the next column of B
  EXPECT_EQ(plan.stage(plan.tile(1), 1).offset, 8192u);
  EXPECT_EQ(plan.stage(plan.tile(3), 5).offset, 2048u);
}

TEST(GemmPlan, KnowsWhatATileNeeds) {  // P-43, P-46
  GemmProblem p = problem(512, 512, 512);
  EXPECT_EQ(gemm_plan(p, {}).input_buffer_bytes(), 8192u);
  EXPECT_EQ(gemm_plan(p, {}).output_buffer_bytes(), 2048u);
  EXPECT_EQ(gemm_plan(p, {}).register_bytes(Dtype::f32), 3u * 4096);
  p.b_pinned = true;
  EXPECT_EQ(gemm_plan(p, {}).input_buffer_bytes(), 4096u);
}

TEST(MathPlan, ReadsComputesAndWritesEveryTile) {  // P-24
  MathProblem p;
  p.m = 40;
  p.n = 33;
  p.dtype_out = Dtype::f32;
  const PipelinePlan plan = math_plan(p, {});
  EXPECT_EQ(plan.tiles(), 4u);
  EXPECT_THAT(types(plan, 0), ElementsAre(R, F, M, S, W));
  const Tile corner = plan.tile(3);
  EXPECT_EQ(plan.stage(corner, 0).nbytes, 8u * 1 * 2);
  EXPECT_EQ(plan.stage(corner, 2).elements, 8);
  EXPECT_EQ(plan.stage(corner, 4).nbytes, 8u * 1 * 4);
  EXPECT_EQ(plan.stage(corner, 4).offset, (32u * 33 + 8 * 32) * 4);
}

TEST(Plan, RefusesEmptyProblemsAndTiles) {
  const auto message = [](const GemmProblem& p, const TileShape& shape) -> std::string {
    try {
      gemm_plan(p, shape);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "SHAPE_ERROR");
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(problem(0, 1, 1), {}), "M of a composite is 0; it must be at least 1");
  EXPECT_EQ(message(problem(1, -3, 1), {}), "K of a composite is -3; it must be at least 1");
  EXPECT_EQ(message(problem(1, 1, 1), {32, 64, 0}), "the tile size of N of a composite is 0; it must be at least 1");
  EXPECT_THROW(math_plan({}, {}), Error);
}

TEST(Plan, HasNoTilesOrStagesBeyondItsEnd) {
  const PipelinePlan plan = gemm_plan(problem(32, 64, 32), {});
  EXPECT_THROW(plan.tile(1), Error);
  EXPECT_THROW(plan.stage(plan.tile(0), 6), Error);
}

TEST(Plan, HasAStageForEachEngine) {
  for (std::size_t i = 0; i < engine::kMaxEngines; ++i) {
    const auto id = static_cast<engine::EngineId>(i);
    EXPECT_EQ(engine_of(stage_type_of(id)), id);
  }
  for (const StageType type : {R, F, S, W}) EXPECT_EQ(engine_of(type), std::nullopt);
}

TEST(Plan, NumbersAndNamesItsStages) {  // P-26
  EXPECT_EQ(static_cast<int>(StageType::fetch), 1);
  EXPECT_EQ(static_cast<int>(G), 2);
  EXPECT_EQ(static_cast<int>(M), 3);
  EXPECT_EQ(static_cast<int>(StageType::store), 4);
  EXPECT_EQ(stage_type_name(G), "GEMM");
  EXPECT_EQ(stage_type_name(M), "MATH");
  EXPECT_EQ(stage_type_name(StageType::dma_read), "DMA_READ");
  EXPECT_EQ(stage_type_name(StageType::dma_write), "DMA_WRITE");
  EXPECT_EQ(static_cast<int>(StageType::dma_write), 5);
}

std::string refusal(const GemmProblem& problem, const TileShape& tile) {
  try {
    gemm_plan(problem, tile);
  } catch (const Error& error) {
    return error.code() + ": " + error.what();
  }
  return "planned";
}

TEST(GemmPlan, HugeSizesAreCountedOrRefused) {
  const std::int64_t huge = INT64_MAX - 1;
  EXPECT_EQ(gemm_plan(problem(INT64_C(1) << 50, 1, 1), {1, 1, 1}).tiles(), std::uint64_t{1} << 50);
  EXPECT_EQ(gemm_plan(problem(512, 512, 512), {1, INT64_C(1) << 56, 1}).tiles(), 512u * 512u);
  EXPECT_EQ(
      refusal(problem(512, 512, 512), {128, huge, 128}),
      "SHAPE_ERROR: a tile of 128 x 9223372036854775806 x 128 is too large; the product of two of its sizes is at "
      "most 72057594037927936");
  EXPECT_EQ(refusal(problem(512, huge, 512), {32, 64, 32}).substr(0, 29), "SHAPE_ERROR: a composite of 5");
  EXPECT_EQ(refusal(problem(INT64_C(1) << 28, INT64_C(1) << 28, INT64_C(1) << 28), {1, 1, 1}).substr(0, 44),
            "SHAPE_ERROR: tiles of a composite = 26843545");
  EXPECT_EQ(refusal(problem(8, 8, 8), {INT64_C(1) << 28, INT64_C(1) << 28, INT64_C(1) << 28}).substr(0, 41),
            "SHAPE_ERROR: products of a tile = 2684354");
}

}  // namespace
}  // namespace kb::plan::test
