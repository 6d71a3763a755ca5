// Tile plans of composite commands (P-19 .. P-28): the stages of each tile and their sizes. Pure functions of the
// problem, independent of the simulation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/tile_shape.h"
#include "platform/engine/engine_id.h"
#include "platform/ops/epilogue.h"

namespace kb::plan {

// The values are those of P-26. The stages of engines have no enumerators: those of the built-in ones lie between
// `fetch` and `store`, those of plug-ins behind `dma_write`.
enum class StageType : std::uint8_t {
  dma_read = 0,
  fetch = 1,
  store = 2 + engine::kBuiltInEngines,
  dma_write = 3 + engine::kBuiltInEngines
};
inline constexpr std::size_t kStageTypes = 4 + engine::kBuiltInEngines;  // of tiles, which no plug-in's engine computes

constexpr StageType stage_type_of(engine::EngineId engine) {
  const std::size_t index = engine::index_of(engine);
  return static_cast<StageType>(index + (index < engine::kBuiltInEngines ? 2 : 4));
}
// The engine that computes a stage; no value for stages that move data.
constexpr std::optional<engine::EngineId> engine_of(StageType type) {
  const auto value = static_cast<std::size_t>(type);
  if (type > StageType::dma_write) return static_cast<engine::EngineId>(value - 4);
  if (type > StageType::fetch && type < StageType::store) return static_cast<engine::EngineId>(value - 2);
  return std::nullopt;
}
std::string_view stage_type_name(StageType type);  // "DMA_READ", "TRANSPOSE"

enum class TileOperand : std::uint8_t { a, b, out, epilogue };

// Layout of an operand in memory that is not a dense matrix with contiguous tiles (decision 0012).
struct OperandLayout {
  bool transposed = false;  // stored with rows and columns swapped
  bool strided = false;     // rows of a wider matrix: a tile has a part of each of its rows
};

// An operand of an epilogue. It adds to the FETCH of each tile that applies the epilogue, and to the tile's reads when
// it is in memory.
struct EpilogueOperand {
  Dtype dtype = Dtype::f16;
  bool per_row = false;  // one element per row of the product
  bool per_column = false;
  bool per_k_tile = false;  // and a separate slice per K tile
  bool in_memory = false;
  OperandLayout layout;  // in memory
};

// An epilogue for planning: its scope, and its tensor operands.
struct EpilogueStep {
  EpilogueScope scope = EpilogueScope::output_tile;
  std::array<std::optional<EpilogueOperand>, kEpilogueInputs> operands{};
};
EpilogueStep epilogue_step(const Epilogue& epilogue);

// out (m, n) = a (m, k) x b (k, n) with epilogues in command order.
struct GemmProblem {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  Dtype dtype_a = Dtype::f16;
  Dtype dtype_b = Dtype::f16;
  Dtype dtype_out = Dtype::f16;
  bool a_pinned = false;  // the whole operand is already in the TCM (P-23)
  bool b_pinned = false;
  std::vector<EpilogueStep> epilogues;
  OperandLayout a, b;
  bool out_pinned = false;  // the result stays in the TCM
  // Size of the tile buffers, to retain the row panel of A when it fits; no value: every tile reads its A.
  std::optional<std::uint64_t> reuse_buffer_bytes{};
};

// out (m, n) = op(a (m, n)) with epilogues in command order; each tile is the only one of its K loop.
struct MathProblem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  Dtype dtype_a = Dtype::f16;
  Dtype dtype_out = Dtype::f16;
  bool a_pinned = false;
  bool a_strided = false;
  bool out_pinned = false;
  std::vector<EpilogueStep> epilogues{};
};

// Position and size of a tile; edge tiles are smaller than the tile shape. In a math plan k is 1.
struct Tile {
  std::uint64_t id = 0;
  std::int64_t row = 0, column = 0, depth = 0;  // tile indices in M, N and K
  std::int64_t m = 0, k = 0, n = 0;
  bool first_k = false;
  bool last_k = false;
};

// One stage of a tile. Fields that a stage type does not use are 0.
struct Stage {
  StageType type = StageType::dma_read;
  TileOperand operand = TileOperand::a;  // DMA_READ, DMA_WRITE
  std::uint64_t offset = 0;              // DMA_READ, DMA_WRITE: in bytes, relative to the operand
  std::uint64_t nbytes = 0;              // all stages except GEMM and MATH
  std::int64_t pieces = 1;               // DMA_READ: equal parts of nbytes, the first at offset
  std::uint64_t piece_step = 0;          // from the start of one part to the start of the next
  std::int64_t m = 0, k = 0, n = 0;      // GEMM: sizes of the product
  std::int64_t macs = 0;                 // GEMM: MACs that occupy the array (P-28); set by PE_GEMM
  std::int64_t elements = 0;             // MATH
  bool is_epilogue = false;              // MATH: an epilogue instead of the operation of a math plan
  std::uint32_t epilogue = 0;  // for the MATH of an epilogue and the DMA_READ of its operand: index of the epilogue
  std::uint32_t input = 0;     // for that DMA_READ: index of the operand
  bool keeps_slot = false;     // GEMM, MATH: the next stage keeps the accel_slot (P-17)

  std::int64_t useful_macs() const { return m * k * n; }
};

struct StageCounts {
  std::uint64_t tiles = 0;
  std::array<std::uint64_t, kStageTypes> stages{};  // indexed by StageType

  std::uint64_t of(StageType type) const { return stages[static_cast<std::size_t>(type)]; }
};

// The tiles of one command in the order of their ids: M, then N, then K innermost (P-21, P-24). Immutable (P-26); it
// stores the problem and not the tiles, so that its size does not depend on their number.
class PipelinePlan {
 public:
  std::uint64_t tiles() const { return static_cast<std::uint64_t>(rows_ * columns_ * depths_); }
  const TileShape& tile_shape() const { return shape_; }

  // Require id < tiles() and index < stage_count(tile); otherwise model Error.
  Tile tile(std::uint64_t id) const;
  std::uint32_t stage_count(const Tile& tile) const;
  Stage stage(const Tile& tile, std::uint32_t index) const;

  // Counts of P-25, computed without iterating over the tiles.
  StageCounts counts() const;

  // Buffer sizes for full-size tiles (P-46): inputs A and B, operands of all epilogues in memory, the output, and the
  // buffers that the reads of a given tile need until its FETCH, without a retained tile of A.
  std::uint64_t input_buffer_bytes() const;
  std::uint64_t epilogue_buffer_bytes() const;
  std::uint64_t output_buffer_bytes() const;
  std::uint64_t input_buffer_bytes(const Tile& tile) const;
  // Register file size for a tile's inputs and an accumulator of dtype `acc` (P-43).
  std::uint64_t register_bytes(Dtype acc) const;

  // Reuse of A (P-102): the first column of tiles reads A, and the others find it in the TCM. The functions return the
  // size of a retained tile of A, the tiles per panel, and whether this tile reads A or is the last user of its tile of
  // A.
  bool reuses_a() const { return reuses_a_; }
  std::uint64_t kept_bytes() const { return reuses_a_ ? a_buffer_bytes() : 0; }
  std::int64_t depths() const { return depths_; }
  bool reads_a(const Tile& tile) const { return !a_pinned_ && !(reuses_a_ && tile.column > 0); }
  bool is_last_column(const Tile& tile) const { return tile.column + 1 == columns_; }

 private:
  friend PipelinePlan gemm_plan(const GemmProblem& problem, const TileShape& shape);
  friend PipelinePlan math_plan(const MathProblem& problem, const TileShape& shape);
  PipelinePlan() = default;

  // An epilogue operand that is read from memory.
  struct EpilogueRead {
    std::uint32_t epilogue = 0, input = 0;
  };
  template <typename T>
  using ByScope = std::array<std::vector<T>, 3>;

  static std::size_t index_of(TileOperand operand) { return static_cast<std::size_t>(operand); }
  static std::size_t index_of(EpilogueScope scope) { return static_cast<std::size_t>(scope); }
  void set_epilogues(const std::vector<EpilogueStep>& steps);
  void decide_reuse(std::optional<std::uint64_t> room);
  bool reads_b() const { return has_b_ && !b_pinned_; }
  std::uint32_t reads(const Tile& tile) const;
  std::uint32_t compute_stages(const Tile& tile) const;
  bool is_last(const Tile& tile) const { return tile.id + 1 == tiles(); }
  bool fires(EpilogueScope scope, const Tile& tile) const;
  Stage read_stage(const Tile& tile, std::uint32_t index) const;
  Stage operand_stage(const Tile& tile, TileOperand operand) const;
  Stage epilogue_read(const Tile& tile, EpilogueRead read) const;
  Stage compute_stage(const Tile& tile, std::uint32_t index) const;
  std::uint64_t epilogue_bytes(const Tile& tile) const;
  std::uint64_t a_buffer_bytes() const;
  // The part of an operand's stored matrix that belongs to a tile, in elements.
  struct Block {
    std::int64_t row = 0, rows = 0, column = 0, columns = 0;
    std::int64_t width = 0;  // width of the matrix
    std::int64_t offset(bool strided) const { return row * width + (strided ? 1 : rows) * column; }
  };
  Block block(const Tile& tile, TileOperand operand) const;
  Block block(const Tile& tile, const EpilogueOperand& operand, bool whole) const;
  std::uint64_t bytes(const Tile& tile, TileOperand operand) const;

  TileShape shape_;
  std::int64_t m_ = 0, k_ = 0, n_ = 0;
  std::int64_t rows_ = 0, columns_ = 0, depths_ = 0;
  // Size in bytes of elements of an operand.
  std::uint64_t bytes_of(TileOperand operand, std::int64_t elements) const;
  std::array<Dtype, 3> dtypes_{};  // of A, B and the output
  bool has_b_ = false;             // GEMM plan
  bool a_pinned_ = false;
  bool b_pinned_ = false;
  bool out_pinned_ = false;
  bool reuses_a_ = false;
  std::array<OperandLayout, 2> layouts_;  // of A and B
  std::vector<EpilogueStep> steps_;
  ByScope<std::uint32_t> epilogues_;          // indices into steps_, each list in command order
  ByScope<EpilogueRead> epilogue_reads_;      // the epilogue operands to read, in the same order
  std::array<std::uint64_t, 3> read_room_{};  // buffer sizes of these reads
};

// Program Error SHAPE_ERROR when a dimension or a tile size is below 1, or when a tile of i4 would end within a byte.
PipelinePlan gemm_plan(const GemmProblem& problem, const TileShape& shape);
PipelinePlan math_plan(const MathProblem& problem, const TileShape& shape);  // shape.k is not used

}  // namespace kb::plan
