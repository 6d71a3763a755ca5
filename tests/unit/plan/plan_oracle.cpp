#include "tests/unit/plan/plan_oracle.h"

#include <algorithm>
#include <tuple>

namespace kb::plan::test {
namespace {

constexpr StageType kGemm = stage_type_of(engine::EngineId::gemm), kMath = stage_type_of(engine::EngineId::math);

std::uint64_t product(std::int64_t a, std::int64_t b, std::int64_t c) {
  return static_cast<std::uint64_t>(a * b * c);
}
std::int64_t item(Dtype dtype) {
  return static_cast<std::int64_t>(item_size(dtype));
}

}  // namespace

bool operator==(const ListedStage& a, const ListedStage& b) {
  return std::tie(a.type, a.operand, a.amount, a.epilogue, a.input) ==
         std::tie(b.type, b.operand, b.amount, b.epilogue, b.input);
}

namespace {

constexpr EpilogueScope kScopes[] = {EpilogueScope::k_tile, EpilogueScope::output_tile, EpilogueScope::kernel};

// The elements of an operand that a tile of `rows` x `columns` outputs needs.
std::uint64_t operand_bytes(const EpilogueOperand& operand, std::int64_t rows, std::int64_t columns) {
  return product(operand.per_row ? rows : 1, operand.per_column ? columns : 1, item(operand.dtype));
}

// P-102: the panel of A beside two tiles.
bool keeps_a(const GemmProblem& p, const TileShape& shape) {
  if (!p.reuse_buffer_bytes || p.a_pinned || p.n <= shape.n) return false;
  std::uint64_t panel = 0;
  for (std::int64_t k = 0; k < p.k; k += shape.k) panel += product(shape.m, shape.k, item(p.dtype_a));
  std::uint64_t tile = p.b_pinned ? 0 : product(shape.k, shape.n, item(p.dtype_b));
  if (!p.out_pinned) tile += product(shape.m, shape.n, item(p.dtype_out));
  for (const EpilogueStep& step : p.epilogues) {
    const bool whole = step.scope == EpilogueScope::kernel;
    for (const auto& operand : step.operands) {
      if (!operand || !operand->in_memory) continue;
      tile += operand_bytes(*operand, whole ? p.m : shape.m, whole ? p.n : shape.n);
    }
  }
  return panel + 2 * tile <= *p.reuse_buffer_bytes;
}

}  // namespace

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
        const bool reads_a = !p.a_pinned && (n == 0 || !keeps_a(p, shape));
        if (reads_a) stages.push_back({StageType::dma_read, TileOperand::a, a, 0});
        if (!p.b_pinned) stages.push_back({StageType::dma_read, TileOperand::b, b, 0});
        const auto fires = [&](EpilogueScope scope) {
          return scope == EpilogueScope::k_tile || (scope == EpilogueScope::output_tile ? last_k : last);
        };
        std::uint64_t operands = 0;
        for (const EpilogueScope scope : kScopes) {
          for (std::uint32_t i = 0; i < p.epilogues.size(); ++i) {
            if (p.epilogues[i].scope != scope || !fires(scope)) continue;
            const bool whole = scope == EpilogueScope::kernel;
            for (std::uint32_t input = 0; input < kEpilogueInputs; ++input) {
              const auto& operand = p.epilogues[i].operands[input];
              if (!operand) continue;
              const std::uint64_t part = operand_bytes(*operand, whole ? p.m : tm, whole ? p.n : tn);
              operands += part;
              if (operand->in_memory) stages.push_back({StageType::dma_read, TileOperand::epilogue, part, i, input});
            }
          }
        }
        stages.push_back({StageType::fetch, TileOperand::a, a + b + operands, 0});
        stages.push_back({kGemm, TileOperand::a, product(tm, tk, tn), 0});
        const auto fire = [&](EpilogueScope scope, std::uint64_t elements) {
          for (std::uint32_t i = 0; i < p.epilogues.size(); ++i) {
            if (p.epilogues[i].scope == scope) stages.push_back({kMath, TileOperand::a, elements, i});
          }
        };
        for (const EpilogueScope scope : kScopes) {
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
      const bool last = m + shape.m >= p.m && n + shape.n >= p.n;
      std::vector<ListedStage> reads{{StageType::dma_read, TileOperand::a, in}}, steps;
      std::uint64_t fetched = in;
      for (const EpilogueScope scope : kScopes) {
        if (scope == EpilogueScope::kernel && !last) continue;
        const std::int64_t rows = scope == EpilogueScope::kernel ? p.m : tm;
        const std::int64_t columns = scope == EpilogueScope::kernel ? p.n : tn;
        for (std::uint32_t i = 0; i < p.epilogues.size(); ++i) {
          if (p.epilogues[i].scope != scope) continue;
          steps.push_back({kMath, TileOperand::a, product(rows, columns, 1), i});
          for (std::uint32_t input = 0; input < kEpilogueInputs; ++input) {
            const auto& operand = p.epilogues[i].operands[input];
            if (!operand) continue;
            const std::uint64_t part = operand_bytes(*operand, rows, columns);
            fetched += part;
            if (operand->in_memory) reads.push_back({StageType::dma_read, TileOperand::epilogue, part, i, input});
          }
        }
      }
      reads.push_back({StageType::fetch, TileOperand::a, fetched});
      reads.push_back({kMath, TileOperand::a, product(tm, tn, 1)});
      reads.insert(reads.end(), steps.begin(), steps.end());
      reads.push_back({StageType::store, TileOperand::a, out});
      reads.push_back({StageType::dma_write, TileOperand::out, out});
      tiles.push_back(std::move(reads));
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
      if (stage.type == kGemm) amount = static_cast<std::uint64_t>(stage.useful_macs());
      if (stage.type == kMath) amount = static_cast<std::uint64_t>(stage.elements);
      stages.push_back({stage.type, stage.operand, amount, stage.epilogue, stage.input});
    }
    tiles.push_back(stages);
  }
  return tiles;
}

}  // namespace kb::plan::test
