// Creates a plan from a problem: checks sizes, sorts epilogues by scope, and decides the reuse of A.
#include <fmt/format.h>

#include "platform/base/checked.h"
#include "platform/base/error.h"
#include "platform/plan/pipeline_plan.h"

namespace kb::plan {
namespace {

void require_positive(std::int64_t value, const char* what) {
  if (value >= 1) return;
  throw Error::program("SHAPE_ERROR", fmt::format("{} of a composite is {}; it must be at least 1", what, value));
}

// `along` is the dimension in which the operand is contiguous in memory.
void require_whole_bytes(Dtype dtype, std::int64_t tile_size, const char* along) {
  if (dtype != Dtype::i4 || tile_size % 2 == 0) return;
  throw Error::program("SHAPE_ERROR", fmt::format("the tile size of {} is {}; it must be even, because two elements of "
                                                  "i4 share a byte",
                                                  along, tile_size));
}

// Element counts of operands and tiles, and their sizes in registers and buffers, must fit 64 bits.
void require_countable(std::int64_t m, std::int64_t k, std::int64_t n, const char* what) {
  constexpr std::int64_t kMax = std::int64_t{1} << 56;
  const auto too_many = [](std::int64_t a, std::int64_t b) { return a > kMax / b; };
  if (!too_many(m, k) && !too_many(k, n) && !too_many(m, n)) return;
  throw Error::program("SHAPE_ERROR", fmt::format("{} of {} x {} x {} is too large; the product of two of its sizes is "
                                                  "at most {}",
                                                  what, m, k, n, kMax));
}

}  // namespace

EpilogueStep epilogue_step(const Epilogue& epilogue) {
  EpilogueStep step;
  step.scope = epilogue.scope;
  for (std::size_t i = 0; i < kEpilogueInputs; ++i) {
    const auto& given = epilogue.input(i);
    if (!given || given->immediate) continue;
    const Shape& shape = given->shape;
    EpilogueOperand& operand = step.operands.at(i).emplace();
    operand.dtype = given->dtype;
    operand.per_row = shape.size() >= 2 && shape[shape.size() - 2] > 1;
    operand.per_column = !shape.empty() && shape.back() > 1;
    operand.per_k_tile = shape.size() == 3;
    operand.in_memory = epilogue.in_memory.at(i);
    operand.layout = {given->transposed, epilogue.strided.at(i)};
  }
  return step;
}

void PipelinePlan::set_epilogues(const std::vector<EpilogueStep>& steps) {
  steps_ = steps;
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    const std::size_t scope = index_of(steps_[i].scope);
    epilogues_[scope].push_back(i);
    const bool whole = steps_[i].scope == EpilogueScope::kernel;
    for (std::uint32_t input = 0; input < kEpilogueInputs; ++input) {
      const auto& operand = steps_[i].operands[input];
      if (!operand || !operand->in_memory) continue;
      epilogue_reads_[scope].push_back({i, input});
      const std::int64_t rows = !operand->per_row ? 1 : whole ? m_ : shape_.m;
      const std::int64_t columns = !operand->per_column ? 1 : whole ? n_ : shape_.n;
      read_room_[scope] += storage_bytes(operand->dtype, rows * columns);
    }
  }
}

// P-102: there must be room for two tiles in addition to the panel, so that one is read while the other is multiplied.
void PipelinePlan::decide_reuse(std::optional<std::uint64_t> room) {
  if (!room || a_pinned_ || columns_ == 1) return;
  const std::uint64_t b = b_pinned_ ? 0 : bytes_of(TileOperand::b, shape_.k * shape_.n);
  const std::uint64_t tile = b + epilogue_buffer_bytes() + output_buffer_bytes();
  if (tile > *room / 2) return;
  reuses_a_ = a_buffer_bytes() <= (*room - 2 * tile) / static_cast<std::uint64_t>(depths_);
}

PipelinePlan gemm_plan(const GemmProblem& problem, const TileShape& shape) {
  require_positive(problem.m, "M");
  require_positive(problem.k, "K");
  require_positive(problem.n, "N");
  require_positive(shape.m, "the tile size of M");
  require_positive(shape.k, "the tile size of K");
  require_positive(shape.n, "the tile size of N");
  require_countable(problem.m, problem.k, problem.n, "a composite");
  require_countable(shape.m, shape.k, shape.n, "a tile");
  PipelinePlan plan;
  plan.shape_ = shape;
  plan.m_ = problem.m;
  plan.k_ = problem.k;
  plan.n_ = problem.n;
  plan.rows_ = ceil_div(problem.m, shape.m);
  plan.columns_ = ceil_div(problem.n, shape.n);
  plan.depths_ = ceil_div(problem.k, shape.k);
  checked_product("tiles of a composite", {plan.rows_, plan.columns_, plan.depths_});
  checked_product("products of a tile", {shape.m, shape.k, shape.n});
  require_whole_bytes(problem.dtype_a, problem.a.transposed ? shape.m : shape.k, problem.a.transposed ? "M" : "K");
  require_whole_bytes(problem.dtype_b, problem.b.transposed ? shape.k : shape.n, problem.b.transposed ? "K" : "N");
  plan.dtypes_ = {problem.dtype_a, problem.dtype_b, problem.dtype_out};
  plan.has_b_ = true;
  plan.a_pinned_ = problem.a_pinned;
  plan.b_pinned_ = problem.b_pinned;
  plan.out_pinned_ = problem.out_pinned;
  plan.layouts_ = {problem.a, problem.b};
  plan.set_epilogues(problem.epilogues);
  plan.decide_reuse(problem.reuse_buffer_bytes);
  return plan;
}

PipelinePlan math_plan(const MathProblem& problem, const TileShape& shape) {
  require_positive(problem.m, "M");
  require_positive(problem.n, "N");
  require_positive(shape.m, "the tile size of M");
  require_positive(shape.n, "the tile size of N");
  require_countable(problem.m, 1, problem.n, "a composite");
  require_countable(shape.m, 1, shape.n, "a tile");
  PipelinePlan plan;
  plan.shape_ = {shape.m, 1, shape.n};
  plan.m_ = problem.m;
  plan.k_ = 1;
  plan.n_ = problem.n;
  plan.rows_ = ceil_div(problem.m, shape.m);
  plan.columns_ = ceil_div(problem.n, shape.n);
  plan.depths_ = 1;
  plan.dtypes_ = {problem.dtype_a, problem.dtype_a, problem.dtype_out};
  plan.a_pinned_ = problem.a_pinned;
  plan.layouts_[0].strided = problem.a_strided;
  plan.out_pinned_ = problem.out_pinned;
  plan.set_epilogues(problem.epilogues);
  return plan;
}

}  // namespace kb::plan
