#include "platform/plan/pipeline_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"

namespace kb::plan {
namespace {

// In the order of execution.
constexpr std::array<EpilogueScope, 3> kScopes{EpilogueScope::k_tile, EpilogueScope::output_tile,
                                               EpilogueScope::kernel};

// The stages that compute: the product, and the operation of a math plan or of an epilogue.
constexpr StageType kProduct = stage_type_of(engine::EngineId::gemm), kMath = stage_type_of(engine::EngineId::math);

}  // namespace

std::string_view stage_type_name(StageType type) {
  if (const auto engine = engine_of(type)) return engine::engine_stage(*engine);
  switch (type) {
    case StageType::dma_read:
      return "DMA_READ";
    case StageType::fetch:
      return "FETCH";
    case StageType::store:
      return "STORE";
    case StageType::dma_write:
      return "DMA_WRITE";
  }
  return "?";
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

bool PipelinePlan::fires(EpilogueScope scope, const Tile& tile) const {
  if (scope == EpilogueScope::kernel) return is_last(tile);
  return scope == EpilogueScope::k_tile || tile.last_k;
}

std::uint32_t PipelinePlan::reads(const Tile& tile) const {
  std::size_t count = (reads_a(tile) ? 1u : 0u) + (reads_b() ? 1u : 0u);
  if (steps_.empty()) return static_cast<std::uint32_t>(count);
  for (const EpilogueScope scope : kScopes) {
    if (fires(scope, tile)) count += epilogue_reads_[index_of(scope)].size();
  }
  return static_cast<std::uint32_t>(count);
}

// Number of stages between FETCH and STORE.
std::uint32_t PipelinePlan::compute_stages(const Tile& tile) const {
  if (steps_.empty()) return 1;
  std::size_t count = 1;
  for (const EpilogueScope scope : kScopes) {
    if (fires(scope, tile)) count += epilogues_[index_of(scope)].size();
  }
  return static_cast<std::uint32_t>(count);
}

std::uint32_t PipelinePlan::stage_count(const Tile& tile) const {
  return reads(tile) + 1 + compute_stages(tile) + (tile.last_k ? (out_pinned_ ? 1 : 2) : 0);
}

Stage PipelinePlan::stage(const Tile& tile, std::uint32_t index) const {
  const std::uint32_t count = stage_count(tile);
  if (index >= count) throw Error::model(fmt::format("stage {} of a tile with {} stages", index, count));
  const std::uint32_t reads_before = reads(tile);
  if (index < reads_before) return read_stage(tile, index);
  index -= reads_before;
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
  stage.offset = bytes_of(TileOperand::out, block(tile, TileOperand::out).offset(false));
  return stage;
}

// Reads of A, then B, then the epilogue operands in the order of execution.
Stage PipelinePlan::read_stage(const Tile& tile, std::uint32_t index) const {
  if (reads_a(tile) && index-- == 0) return operand_stage(tile, TileOperand::a);
  if (reads_b() && index-- == 0) return operand_stage(tile, TileOperand::b);
  for (const EpilogueScope scope : kScopes) {
    if (!fires(scope, tile)) continue;
    const std::vector<EpilogueRead>& epilogue_reads = epilogue_reads_[index_of(scope)];
    if (index < epilogue_reads.size()) return epilogue_read(tile, epilogue_reads[index]);
    index -= static_cast<std::uint32_t>(epilogue_reads.size());
  }
  throw Error::model("a tile plan has no such read");
}

Stage PipelinePlan::operand_stage(const Tile& tile, TileOperand operand) const {
  const Block part = block(tile, operand);
  const bool strided = layouts_.at(index_of(operand)).strided;
  Stage stage;
  stage.type = StageType::dma_read;
  stage.operand = operand;
  stage.offset = bytes_of(operand, part.offset(strided));
  stage.nbytes = bytes(tile, operand);
  if (strided) {
    stage.pieces = part.rows;
    stage.piece_step = bytes_of(operand, part.width);
  }
  return stage;
}

// The part of an epilogue operand that a tile needs, with the layout of A and B; in scope kernel the whole operand.
Stage PipelinePlan::epilogue_read(const Tile& tile, EpilogueRead read) const {
  const EpilogueStep& step = steps_[read.epilogue];
  const EpilogueOperand& operand = *step.operands[read.input];
  const Block part = block(tile, operand, step.scope == EpilogueScope::kernel);
  const auto bytes_of_operand = [&](std::int64_t elements) { return storage_bytes(operand.dtype, elements); };
  Stage stage;
  stage.type = StageType::dma_read;
  stage.operand = TileOperand::epilogue;
  stage.epilogue = read.epilogue;
  stage.input = read.input;
  stage.offset = bytes_of_operand(part.offset(operand.layout.strided));
  stage.nbytes = bytes_of_operand(part.rows * part.columns);
  if (operand.layout.strided) {
    stage.pieces = part.rows;
    stage.piece_step = bytes_of_operand(part.width);
  }
  return stage;
}

Stage PipelinePlan::compute_stage(const Tile& tile, std::uint32_t index) const {
  Stage stage;
  stage.elements = tile.m * tile.n;
  if (index == 0 && has_b_) {
    stage.type = kProduct;
    stage.elements = 0;
    stage.m = tile.m;
    stage.k = tile.k;
    stage.n = tile.n;
    stage.macs = stage.useful_macs();
    stage.keeps_slot = !epilogues_[index_of(EpilogueScope::k_tile)].empty();
    return stage;
  }
  stage.type = kMath;
  if (index-- == 0) return stage;
  stage.is_epilogue = true;
  for (const EpilogueScope scope : kScopes) {
    if (!fires(scope, tile)) continue;
    const std::vector<std::uint32_t>& epilogues = epilogues_[index_of(scope)];
    if (index < epilogues.size()) {
      stage.epilogue = epilogues[index];
      if (scope == EpilogueScope::kernel) stage.elements = m_ * n_;
      stage.keeps_slot = has_b_ && scope == EpilogueScope::k_tile && index + 1 < epilogues.size();
      return stage;
    }
    index -= static_cast<std::uint32_t>(epilogues.size());
  }
  throw Error::model("a tile plan has no such compute stage");
}

// Bytes that the epilogue operands of the tile add to its FETCH.
std::uint64_t PipelinePlan::epilogue_bytes(const Tile& tile) const {
  std::uint64_t sum = 0;
  for (const EpilogueStep& step : steps_) {
    if (!fires(step.scope, tile)) continue;
    for (const auto& operand : step.operands) {
      if (!operand) continue;
      const Block part = block(tile, *operand, step.scope == EpilogueScope::kernel);
      sum += storage_bytes(operand->dtype, part.rows * part.columns);
    }
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

PipelinePlan::Block PipelinePlan::block(const Tile& tile, const EpilogueOperand& operand, bool whole) const {
  Block part{0, 1, 0, 1, 1};
  if (operand.per_row) {
    part.row = whole ? 0 : tile.row * shape_.m;
    part.rows = whole ? m_ : tile.m;
  }
  if (operand.per_column) {
    part.column = whole ? 0 : tile.column * shape_.n;
    part.columns = whole ? n_ : tile.n;
    part.width = n_;
  }
  const std::int64_t height = operand.per_row ? m_ : 1;
  std::int64_t slice_rows = height;
  if (operand.layout.transposed) {
    slice_rows = part.width;
    part = {part.column, part.columns, part.row, part.rows, height};
  }
  if (operand.per_k_tile) part.row += tile.depth * slice_rows;
  return part;
}

StageCounts PipelinePlan::counts() const {
  const std::uint64_t outputs = static_cast<std::uint64_t>(rows_ * columns_);
  const auto fired = [&](EpilogueScope scope) { return epilogues_[index_of(scope)].size(); };
  StageCounts counts;
  counts.tiles = tiles();
  const auto set = [&](StageType type, std::uint64_t count) { counts.stages[static_cast<std::size_t>(type)] = count; };
  const auto read = [&](EpilogueScope scope) { return epilogue_reads_[index_of(scope)].size(); };
  const std::uint64_t of_a = a_pinned_ ? 0 : reuses_a_ ? static_cast<std::uint64_t>(rows_ * depths_) : tiles();
  set(StageType::dma_read, of_a + (reads_b() ? tiles() : 0) + tiles() * read(EpilogueScope::k_tile) +
                               outputs * read(EpilogueScope::output_tile) + read(EpilogueScope::kernel));
  set(StageType::fetch, tiles());
  set(kProduct, has_b_ ? tiles() : 0);
  set(kMath, (has_b_ ? 0 : outputs) + tiles() * fired(EpilogueScope::k_tile) +
                 outputs * fired(EpilogueScope::output_tile) + fired(EpilogueScope::kernel));
  set(StageType::store, outputs);
  set(StageType::dma_write, out_pinned_ ? 0 : outputs);
  return counts;
}

std::uint64_t PipelinePlan::a_buffer_bytes() const {
  return a_pinned_ ? 0 : bytes_of(TileOperand::a, shape_.m * (has_b_ ? shape_.k : shape_.n));
}

std::uint64_t PipelinePlan::input_buffer_bytes() const {
  return a_buffer_bytes() + (reads_b() ? bytes_of(TileOperand::b, shape_.k * shape_.n) : 0);
}

std::uint64_t PipelinePlan::epilogue_buffer_bytes() const {
  return read_room_[0] + read_room_[1] + read_room_[2];
}

std::uint64_t PipelinePlan::input_buffer_bytes(const Tile& tile) const {
  std::uint64_t sum = input_buffer_bytes() - kept_bytes();
  if (steps_.empty()) return sum;
  for (const EpilogueScope scope : kScopes) {
    if (fires(scope, tile)) sum += read_room_[index_of(scope)];
  }
  return sum;
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
