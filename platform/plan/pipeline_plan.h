// Tile plans of composite commands (P-19 .. P-28): which stages each tile goes through, and with what sizes.
// Pure functions of the problem; nothing here knows the simulation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/tile_shape.h"
#include "platform/ops/epilogue.h"

namespace kb::plan {

// The numbers are P-26's.
enum class StageType : std::uint8_t { dma_read = 0, fetch = 1, gemm = 2, math = 3, store = 4, dma_write = 5 };
inline constexpr std::size_t kStageTypes = 6;
std::string_view stage_type_name(StageType type);  // "DMA_READ"

enum class TileOperand : std::uint8_t { a, b, out, epilogue };

// How an operand lies in memory when it is not a dense matrix of its shape, whose tiles lie side by side (decision
// 0012).
struct OperandLayout {
  bool transposed = false;  // stored with rows and columns swapped
  bool strided = false;     // rows of a wider matrix: of each row of a tile the part that it has
};

// What an operand of an epilogue adds to the FETCH of a tile in which that fires, and to its reads when it is in
// memory.
struct EpilogueOperand {
  Dtype dtype = Dtype::f16;
  bool per_row = false;  // it has an element for each row of the product
  bool per_column = false;
  bool per_k_tile = false;  // and all of that for each K tile
  bool in_memory = false;
  OperandLayout layout;  // in memory
};

// An epilogue as the plan sees it: when it fires, and its operands; numbers of the command are none.
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
  bool a_pinned = false;  // the whole operand is in the TCM already (P-23)
  bool b_pinned = false;
  std::vector<EpilogueStep> epilogues;
  OperandLayout a, b;
  bool out_pinned = false;  // the result stays in the TCM
  // Bytes of tile buffers, with which to keep the row panel of A when it fits; none: every tile reads its A.
  std::optional<std::uint64_t> reuse_room{};
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

// Where a tile lies and how large it is; edge tiles are smaller than the tile shape. In a math plan k is 1.
struct Tile {
  std::uint64_t id = 0;
  std::int64_t row = 0, column = 0, depth = 0;  // in tiles, of M, N and K
  std::int64_t m = 0, k = 0, n = 0;
  bool first_k = false;
  bool last_k = false;
};

// One step of a tile. Fields that a type does not use are 0.
struct Stage {
  StageType type = StageType::dma_read;
  TileOperand operand = TileOperand::a;  // DMA_READ, DMA_WRITE
  std::uint64_t offset = 0;              // DMA_READ, DMA_WRITE: in the operand's bytes
  std::uint64_t nbytes = 0;              // all but GEMM and MATH
  std::int64_t pieces = 1;               // DMA_READ: equal parts of nbytes, the first at offset
  std::uint64_t piece_step = 0;          // from the start of one to that of the next
  std::int64_t m = 0, k = 0, n = 0;      // GEMM: sizes of the product
  std::int64_t macs = 0;                 // GEMM: for which it occupies the array (P-28); PE_GEMM sets it
  std::int64_t elements = 0;             // MATH
  bool is_epilogue = false;              // MATH: not the operation of a math plan
  std::uint32_t epilogue = 0;  // of an epilogue's MATH, and of a DMA_READ of its operand: which of the command's
  std::uint32_t input = 0;     // that DMA_READ: which of its operands
  bool keeps_slot = false;     // GEMM, MATH: the next stage runs in the same turn of the accel_slot (P-17)

  std::int64_t useful_macs() const { return m * k * n; }
};

struct StageCounts {
  std::uint64_t tiles = 0;
  std::array<std::uint64_t, kStageTypes> stages{};  // by StageType

  std::uint64_t of(StageType type) const { return stages[static_cast<std::size_t>(type)]; }
};

// The tiles of one command in the order of their ids: M, then N, then K innermost (P-21, P-24). Holds the problem, not
// the tiles, however many they are; unchanged once made (P-26).
class PipelinePlan {
 public:
  std::uint64_t tiles() const { return static_cast<std::uint64_t>(rows_ * columns_ * depths_); }
  const TileShape& tile_shape() const { return shape_; }

  // id < tiles(), index < stage_count(tile); model Error beyond.
  Tile tile(std::uint64_t id) const;
  std::uint32_t stage_count(const Tile& tile) const;
  Stage stage(const Tile& tile, std::uint32_t index) const;

  // P-25, without walking the tiles.
  StageCounts counts() const;

  // Buffers are those of tiles of full size (P-46): of A and B, of the operands of all epilogues that lie in memory, of
  // the output, and what a given tile's reads need until its FETCH, without a tile of A that is kept.
  std::uint64_t input_buffer_bytes() const;
  std::uint64_t epilogue_buffer_bytes() const;
  std::uint64_t output_buffer_bytes() const;
  std::uint64_t input_buffer_bytes(const Tile& tile) const;
  // The register file that a tile's inputs and an accumulator in `acc` need (P-43).
  std::uint64_t register_bytes(Dtype acc) const;

  // P-102: the first column of tiles reads A and the others find it in the TCM. Then the bytes of a kept tile of A, how
  // many a panel has, and whether this tile reads A, or is the last one that uses its tile of A.
  bool reuses_a() const { return reuses_a_; }
  std::uint64_t kept_bytes() const { return reuses_a_ ? a_buffer_bytes() : 0; }
  std::int64_t depths() const { return depths_; }
  bool reads_a(const Tile& tile) const { return !a_pinned_ && !(reuses_a_ && tile.column > 0); }
  bool is_last_column(const Tile& tile) const { return tile.column + 1 == columns_; }

 private:
  friend PipelinePlan gemm_plan(const GemmProblem& problem, const TileShape& shape);
  friend PipelinePlan math_plan(const MathProblem& problem, const TileShape& shape);
  PipelinePlan() = default;

  // An operand of an epilogue that is read from memory.
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
  // The part of an operand's stored matrix that a tile has, in elements.
  struct Block {
    std::int64_t row = 0, rows = 0, column = 0, columns = 0;
    std::int64_t width = 0;  // of the matrix
    std::int64_t offset(bool strided) const { return row * width + (strided ? 1 : rows) * column; }
  };
  Block block(const Tile& tile, TileOperand operand) const;
  Block block(const Tile& tile, const EpilogueOperand& operand, bool whole) const;
  std::uint64_t bytes(const Tile& tile, TileOperand operand) const;

  TileShape shape_;
  std::int64_t m_ = 0, k_ = 0, n_ = 0;
  std::int64_t rows_ = 0, columns_ = 0, depths_ = 0;
  // The bytes that elements of an operand take.
  std::uint64_t bytes_of(TileOperand operand, std::int64_t elements) const;
  std::array<Dtype, 3> dtypes_{};  // of A, B and the output
  bool has_b_ = false;             // GEMM plan
  bool a_pinned_ = false;
  bool b_pinned_ = false;
  bool out_pinned_ = false;
  bool reuses_a_ = false;
  std::array<OperandLayout, 2> layouts_;  // of A and B
  std::vector<EpilogueStep> steps_;
  ByScope<std::uint32_t> epilogues_;          // indices of steps_, each in command order
  ByScope<EpilogueRead> epilogue_reads_;      // the same of what is read
  std::array<std::uint64_t, 3> read_room_{};  // what those reads need of a tile's buffers
};

// Program Error SHAPE_ERROR when a dimension or a tile size is below 1, or tiles of i4 would end within a byte.
PipelinePlan gemm_plan(const GemmProblem& problem, const TileShape& shape);
PipelinePlan math_plan(const MathProblem& problem, const TileShape& shape);  // shape.k is not used

}  // namespace kb::plan
