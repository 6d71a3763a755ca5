#include "tests/unit/plan/plan_oracle.h"

#include <algorithm>
#include <tuple>

namespace kb::plan::test {
namespace {

std::uint64_t product(std::int64_t a, std::int64_t b, std::int64_t c) {
  return static_cast<std::uint64_t>(a * b * c);
}
std::int64_t item(Dtype dtype) {
  return static_cast<std::int64_t>(item_size(dtype));
}

}  // namespace

bool operator==(const ListedStage& a, const ListedStage& b) {
  return std::tie(a.type, a.operand, a.amount, a.epilogue) == std::tie(b.type, b.operand, b.amount, b.epilogue);
}

ListedTiles listed_gemm(const GemmProblem& p, const TileShape& shape) {
  ListedTiles tiles;
  for (std::int64_t m = 0; m < p.m; m += shape.m) {
    for (std::int64_t n = 0; n < p.n; n += shape.n) {
      for (std::int64_t k = 0; k < p.k; k += shape.k) {
        const std::int64_t tm = std::min(shape.m, p.m - m);
        const std::int64_t tn = std::min(shape.n, p.n - n);
        const std::int64_t tk = std::min(shape.k, p.k - k);
        const bool last_k = k + shape.k >= p.k;
        const bool last = last_k && m + shape.m >= p.m && n + shape.n >= p.n;
        const std::uint64_t a = product(tm, tk, item(p.dtype_a));
        const std::uint64_t b = product(tk, tn, item(p.dtype_b));
        const std::uint64_t out = product(tm, tn, item(p.dtype_out));
        std::vector<ListedStage> stages;
        if (!p.a_pinned) stages.push_back({StageType::dma_read, TileOperand::a, a, 0});
        if (!p.b_pinned) stages.push_back({StageType::dma_read, TileOperand::b, b, 0});
        const auto fires = [&](EpilogueScope scope) {
          return scope == EpilogueScope::k_tile || (scope == EpilogueScope::output_tile ? last_k : last);
        };
        std::uint64_t operands = 0;
        for (const EpilogueStep& step : p.epilogues) {
          if (!fires(step.scope)) continue;
          const bool whole = step.scope == EpilogueScope::kernel;
          const std::int64_t rows = !step.per_row ? 1 : whole ? p.m : tm;
          const std::int64_t columns = !step.per_column ? 1 : whole ? p.n : tn;
          operands += product(rows, columns, static_cast<std::int64_t>(step.item_bytes));
        }
        stages.push_back({StageType::fetch, TileOperand::a, a + b + operands, 0});
        stages.push_back({StageType::gemm, TileOperand::a, product(tm, tk, tn), 0});
        const auto fire = [&](EpilogueScope scope, std::uint64_t elements) {
          for (std::uint32_t i = 0; i < p.epilogues.size(); ++i) {
            if (p.epilogues[i].scope == scope) stages.push_back({StageType::math, TileOperand::a, elements, i});
          }
        };
        for (const EpilogueScope scope : {EpilogueScope::k_tile, EpilogueScope::output_tile, EpilogueScope::kernel}) {
          if (fires(scope)) fire(scope, scope == EpilogueScope::kernel ? product(p.m, p.n, 1) : product(tm, tn, 1));
        }
        if (last_k) {
          stages.push_back({StageType::store, TileOperand::a, out, 0});
          stages.push_back({StageType::dma_write, TileOperand::out, out, 0});
        }
        tiles.push_back(stages);
      }
    }
  }
  return tiles;
}

ListedTiles listed_math(const MathProblem& p, const TileShape& shape) {
  ListedTiles tiles;
  for (std::int64_t m = 0; m < p.m; m += shape.m) {
    for (std::int64_t n = 0; n < p.n; n += shape.n) {
      const std::int64_t tm = std::min(shape.m, p.m - m);
      const std::int64_t tn = std::min(shape.n, p.n - n);
      const std::uint64_t in = product(tm, tn, item(p.dtype_a));
      const std::uint64_t out = product(tm, tn, item(p.dtype_out));
      tiles.push_back({{StageType::dma_read, TileOperand::a, in, 0},
                       {StageType::fetch, TileOperand::a, in, 0},
                       {StageType::math, TileOperand::a, product(tm, tn, 1), 0},
                       {StageType::store, TileOperand::a, out, 0},
                       {StageType::dma_write, TileOperand::out, out, 0}});
    }
  }
  return tiles;
}

ListedTiles walked(const PipelinePlan& plan) {
  ListedTiles tiles;
  for (std::uint64_t id = 0; id < plan.tiles(); ++id) {
    const Tile tile = plan.tile(id);
    std::vector<ListedStage> stages;
    for (std::uint32_t i = 0; i < plan.stage_count(tile); ++i) {
      const Stage stage = plan.stage(tile, i);
      std::uint64_t amount = stage.nbytes;
      if (stage.type == StageType::gemm) amount = static_cast<std::uint64_t>(stage.useful_macs());
      if (stage.type == StageType::math) amount = static_cast<std::uint64_t>(stage.elements);
      stages.push_back({stage.type, stage.operand, amount, stage.epilogue});
    }
    tiles.push_back(stages);
  }
  return tiles;
}

}  // namespace kb::plan::test
