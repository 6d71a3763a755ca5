#include "platform/plan/pipeline_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/checked.h"
#include "platform/base/error.h"

namespace kb::plan {
namespace {

std::size_t index_of(TileOperand operand) {
  return static_cast<std::size_t>(operand);
}
std::size_t index_of(EpilogueScope scope) {
  return static_cast<std::size_t>(scope);
}

void require_positive(std::int64_t value, const char* what) {
  if (value >= 1) return;
  throw Error::program("SHAPE_ERROR", fmt::format("{} of a composite is {}; it must be at least 1", what, value));
}

// `along` names the dimension in which the operand's elements are neighbours in memory.
void require_whole_bytes(Dtype dtype, std::int64_t tile_size, const char* along) {
  if (dtype != Dtype::i4 || tile_size % 2 == 0) return;
  throw Error::program("SHAPE_ERROR", fmt::format("the tile size of {} is {}; it must be even, because two elements of "
                                                  "i4 share a byte",
                                                  along, tile_size));
}

// Elements of operands and of tiles, and their bytes in registers and buffers, stay countable.
void require_countable(std::int64_t m, std::int64_t k, std::int64_t n, const char* what) {
  constexpr std::int64_t kMax = std::int64_t{1} << 56;
  const auto too_many = [](std::int64_t a, std::int64_t b) { return a > kMax / b; };
  if (!too_many(m, k) && !too_many(k, n) && !too_many(m, n)) return;
  throw Error::program("SHAPE_ERROR", fmt::format("{} of {} x {} x {} is too large; the product of two of its sizes is "
                                                  "at most {}",
                                                  what, m, k, n, kMax));
}

}  // namespace

std::string_view stage_type_name(StageType type) {
  constexpr std::array<std::string_view, kStageTypes> kNames = {"DMA_READ", "FETCH", "GEMM",
                                                                "MATH",     "STORE", "DMA_WRITE"};
  return kNames[static_cast<std::size_t>(type)];
}

EpilogueStep epilogue_step(const Epilogue& epilogue) {
  EpilogueStep step;
  step.scope = epilogue.scope;
  if (!epilogue.operand || epilogue.operand->immediate) return step;
  const Shape& shape = epilogue.operand->shape;
  step.item_bytes = item_size(epilogue.operand->dtype);
  step.per_row = shape.size() >= 2 && shape[shape.size() - 2] > 1;
  step.per_column = !shape.empty() && shape.back() > 1;
  return step;
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
  plan.steps_ = problem.epilogues;
  for (std::uint32_t i = 0; i < plan.steps_.size(); ++i) {
    plan.epilogues_[index_of(plan.steps_[i].scope)].push_back(i);
  }
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
  return plan;
}

Tile PipelinePlan::tile(std::uint64_t id) const {
  if (id >= tiles()) throw Error::model(fmt::format("tile {} of a plan with {} tiles", id, tiles()));
  Tile tile;
  tile.id = id;
  auto rest = static_cast<std::int64_t>(id);
  tile.depth = rest % depths_;
  rest /= depths_;
  tile.column = rest % columns_;
  tile.row = rest / columns_;
  tile.m = std::min(shape_.m, m_ - tile.row * shape_.m);
  tile.k = std::min(shape_.k, k_ - tile.depth * shape_.k);
  tile.n = std::min(shape_.n, n_ - tile.column * shape_.n);
  tile.first_k = tile.depth == 0;
  tile.last_k = tile.depth + 1 == depths_;
  return tile;
}

// Stages between FETCH and STORE.
std::uint32_t PipelinePlan::compute_stages(const Tile& tile) const {
  std::size_t count = 1 + epilogues_[index_of(EpilogueScope::k_tile)].size();
  if (tile.last_k) count += epilogues_[index_of(EpilogueScope::output_tile)].size();
  if (is_last(tile)) count += epilogues_[index_of(EpilogueScope::kernel)].size();
  return static_cast<std::uint32_t>(count);
}

std::uint32_t PipelinePlan::stage_count(const Tile& tile) const {
  return reads() + 1 + compute_stages(tile) + (tile.last_k ? (out_pinned_ ? 1 : 2) : 0);
}

Stage PipelinePlan::stage(const Tile& tile, std::uint32_t index) const {
  const std::uint32_t count = stage_count(tile);
  if (index >= count) throw Error::model(fmt::format("stage {} of a tile with {} stages", index, count));
  if (index < reads()) return read_stage(tile, index == 0 && !a_pinned_ ? TileOperand::a : TileOperand::b);
  index -= reads();
  Stage stage;
  if (index == 0) {
    stage.type = StageType::fetch;
    stage.nbytes = bytes(tile, TileOperand::a) + (has_b_ ? bytes(tile, TileOperand::b) : 0) + epilogue_bytes(tile);
    return stage;
  }
  const std::uint32_t compute = compute_stages(tile);
  if (index <= compute) return compute_stage(tile, index - 1);
  stage.nbytes = bytes(tile, TileOperand::out);
  if (index == compute + 1) {
    stage.type = StageType::store;
    return stage;
  }
  stage.type = StageType::dma_write;
  stage.operand = TileOperand::out;
  stage.offset = offset(tile, TileOperand::out);
  return stage;
}

Stage PipelinePlan::read_stage(const Tile& tile, TileOperand operand) const {
  Stage stage;
  stage.type = StageType::dma_read;
  stage.operand = operand;
  stage.offset = offset(tile, operand);
  stage.nbytes = bytes(tile, operand);
  if (layouts_.at(index_of(operand)).strided) {
    const Block part = block(tile, operand);
    stage.pieces = part.rows;
    stage.piece_step = bytes_of(operand, part.width);
  }
  return stage;
}

Stage PipelinePlan::compute_stage(const Tile& tile, std::uint32_t index) const {
  Stage stage;
  stage.elements = tile.m * tile.n;
  if (index == 0 && has_b_) {
    stage.type = StageType::gemm;
    stage.elements = 0;
    stage.m = tile.m;
    stage.k = tile.k;
    stage.n = tile.n;
    stage.macs = stage.useful_macs();
    stage.keeps_slot = !epilogues_[index_of(EpilogueScope::k_tile)].empty();
    return stage;
  }
  stage.type = StageType::math;
  if (!has_b_) return stage;
  --index;
  for (const EpilogueScope scope : {EpilogueScope::k_tile, EpilogueScope::output_tile, EpilogueScope::kernel}) {
    if (scope == EpilogueScope::output_tile && !tile.last_k) continue;
    const std::vector<std::uint32_t>& epilogues = epilogues_[index_of(scope)];
    if (index < epilogues.size()) {
      stage.epilogue = epilogues[index];
      if (scope == EpilogueScope::kernel) stage.elements = m_ * n_;
      stage.keeps_slot = scope == EpilogueScope::k_tile && index + 1 < epilogues.size();
      return stage;
    }
    index -= static_cast<std::uint32_t>(epilogues.size());
  }
  throw Error::model("a tile plan has no such compute stage");
}

// What the operands of the epilogues that fire in the tile add to its FETCH.
std::uint64_t PipelinePlan::epilogue_bytes(const Tile& tile) const {
  std::uint64_t sum = 0;
  for (const EpilogueStep& step : steps_) {
    const bool whole = step.scope == EpilogueScope::kernel;
    if (whole ? !is_last(tile) : step.scope == EpilogueScope::output_tile && !tile.last_k) continue;
    std::int64_t elements = 1;
    if (step.per_row) elements *= whole ? m_ : tile.m;
    if (step.per_column) elements *= whole ? n_ : tile.n;
    sum += static_cast<std::uint64_t>(elements) * step.item_bytes;
  }
  return sum;
}

std::uint64_t PipelinePlan::bytes_of(TileOperand operand, std::int64_t elements) const {
  return storage_bytes(dtypes_[index_of(operand)], elements);
}

// Bytes of a tile's part of an operand.
std::uint64_t PipelinePlan::bytes(const Tile& tile, TileOperand operand) const {
  std::int64_t elements = tile.m * tile.n;
  if (has_b_ && operand == TileOperand::a) elements = tile.m * tile.k;
  if (operand == TileOperand::b) elements = tile.k * tile.n;
  return bytes_of(operand, elements);
}

PipelinePlan::Block PipelinePlan::block(const Tile& tile, TileOperand operand) const {
  const std::int64_t row = tile.row * shape_.m, column = tile.column * shape_.n, depth = tile.depth * shape_.k;
  Block part{row, tile.m, column, tile.n, n_};
  if (has_b_ && operand == TileOperand::a) part = {row, tile.m, depth, tile.k, k_};
  if (operand == TileOperand::b) part = {depth, tile.k, column, tile.n, n_};
  if (operand == TileOperand::out || !layouts_.at(index_of(operand)).transposed) return part;
  return {part.column, part.columns, part.row, part.rows, operand == TileOperand::a ? m_ : k_};
}

// Bytes before that part. Dense operands are tile-major: whole rows of tiles, then the tiles before it in its own row.
std::uint64_t PipelinePlan::offset(const Tile& tile, TileOperand operand) const {
  const Block part = block(tile, operand);
  const bool strided = operand != TileOperand::out && layouts_.at(index_of(operand)).strided;
  const std::int64_t elements = part.row * part.width + (strided ? 1 : part.rows) * part.column;
  return bytes_of(operand, elements);
}

StageCounts PipelinePlan::counts() const {
  const std::uint64_t outputs = static_cast<std::uint64_t>(rows_ * columns_);
  const auto fired = [&](EpilogueScope scope) { return epilogues_[index_of(scope)].size(); };
  StageCounts counts;
  counts.tiles = tiles();
  const auto set = [&](StageType type, std::uint64_t count) { counts.stages[static_cast<std::size_t>(type)] = count; };
  set(StageType::dma_read, tiles() * reads());
  set(StageType::fetch, tiles());
  set(StageType::gemm, has_b_ ? tiles() : 0);
  set(StageType::math, has_b_ ? tiles() * fired(EpilogueScope::k_tile) + outputs * fired(EpilogueScope::output_tile) +
                                    fired(EpilogueScope::kernel)
                              : outputs);
  set(StageType::store, outputs);
  set(StageType::dma_write, out_pinned_ ? 0 : outputs);
  return counts;
}

std::uint64_t PipelinePlan::input_buffer_bytes() const {
  if (!has_b_) return a_pinned_ ? 0 : bytes_of(TileOperand::a, shape_.m * shape_.n);
  const std::uint64_t a = bytes_of(TileOperand::a, shape_.m * shape_.k);
  const std::uint64_t b = bytes_of(TileOperand::b, shape_.k * shape_.n);
  return (a_pinned_ ? 0 : a) + (b_pinned_ ? 0 : b);
}

std::uint64_t PipelinePlan::output_buffer_bytes() const {
  return out_pinned_ ? 0 : bytes_of(TileOperand::out, shape_.m * shape_.n);
}

std::uint64_t PipelinePlan::register_bytes(Dtype acc) const {
  const std::uint64_t acc_bytes = storage_bytes(acc, shape_.m * shape_.n);
  if (!has_b_) return bytes_of(TileOperand::a, shape_.m * shape_.n) + acc_bytes;
  return bytes_of(TileOperand::a, shape_.m * shape_.k) + bytes_of(TileOperand::b, shape_.k * shape_.n) + acc_bytes;
}

}  // namespace kb::plan
