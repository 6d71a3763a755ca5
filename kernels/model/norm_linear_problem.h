// What norm_linear has to do, as one PE sees it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/model/column_tiles.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

inline constexpr std::int64_t kArrayRows = 32;  // of the MAC array, also its columns; smaller products take as long
inline constexpr std::int64_t kArrayDepth = 64;

struct NormLinearArguments {
  tl::Ptr w, y, partials;
  std::optional<tl::Ptr> residual, x, residual_out, gamma, w2, bias, rows;
  std::optional<double> eps;
};

// Some outputs of W or W2, which are loaded together; rows of the PE's part are adjacent in memory.
struct WeightChunk {
  std::int64_t gate = 0;  // 0: W, 1: W2
  Range outputs;          // in the member's order
};

// A member's parts of W and W2 (outputs, depth), or those of the PE with its number in a cube that shares the rows.
struct WeightSource {
  Range outputs;  // counted in `outputs` of the problem
  std::vector<tl::Ptr> gates;
};

// How the PEs of a cube divide rows and outputs of y, and the tile of them whose sums a PE has in scratch.
struct OutputGrid {
  std::int64_t row_parts = 0, column_parts = 0;  // PEs; 0: the PEs divide the inputs
  std::int64_t rows = 0, outputs = 0;            // of a tile
  std::int64_t columns = 0;                      // of x and W that are loaded together
};

// The PEs of a cube that have a part of W are its members. Each multiplies its columns of the input by its columns of
// W, and adds up the members' sums for a part of the cube's outputs. Cubes that share the rows have the outputs of all
// of them, and a part of the rows.
struct NormLinear {
  ColumnTiles residual, x, residual_out, gamma, bias, y;
  std::vector<WeightSource> sources;  // where the rows of W are, in the order of the outputs
  std::int64_t gates = 1;             // 2 with W2
  tl::Ptr partials;                   // f32
  Dtype dtype{};
  double eps = 0;
  std::int64_t k = 0;
  std::vector<std::int64_t> order;     // rows of y as they are computed
  std::vector<std::int64_t> rows;      // row of the input for each of them
  Range depth;                         // own columns of the input
  std::vector<Range> parts;            // those of each member
  Range outputs;                       // of this cube and those that share its rows; columns of y
  Range sharing{0, 1};                 // own number among those cubes, and how many there are
  std::int64_t height = 0;             // rows of y
  std::int64_t origin = 0;             // output that this member computes first
  std::int64_t last = 0;               // member whose share of the outputs it computes last
  std::int64_t rank = -1;              // own number among the members; -1: no member
  std::vector<std::int64_t> sections;  // first element of each member's part of `partials`
  std::int64_t section_room = 0;       // elements of such a part

  OutputGrid grid;  // for many rows without a norm

  // Sizes of a step, equal in all members.
  std::int64_t deepest = 0;     // longest depth of a member
  std::int64_t block_rows = 0;  // rows of y that are computed together
  std::vector<WeightChunk> chunks;
  std::int64_t chunk_outputs = 0;  // of the largest chunk

  bool tiles() const { return grid.row_parts > 0; }
  bool norm() const { return !gamma.null(); }
  bool adds() const { return !residual.null() && !x.null(); }
  // Divides gamma by a power of two: x * gamma could exceed f16, which has few exponents.
  bool scales_gamma() const { return norm() && dtype == Dtype::f16; }
  // The sum of both inputs is still needed when its product with gamma is computed, or there are two inputs.
  bool two_buffers() const { return adds() || (norm() && !residual_out.null()); }
  std::int64_t members() const { return static_cast<std::int64_t>(sections.size()); }
  // Rows that this cube computes.
  std::int64_t tokens() const;
  std::int64_t blocks() const { return tl::Context::cdiv(tokens(), block_rows); }
  Range block(std::int64_t index) const;  // places in `order`
  // Rows of y in a block, and of the input.
  std::vector<std::int64_t> outputs_in(const Range& places) const { return some(order, places); }
  std::vector<std::int64_t> inputs_in(const Range& places) const { return some(rows, places); }
  std::int64_t item() const { return static_cast<std::int64_t>(item_size(dtype)); }
  // Outputs that a member adds up, counted in the cube.
  Range share(std::int64_t member) const { return part_of(outputs.size, member, members()); }
  // Rows of y that this cube computes, of those that lie in the slice of a member.
  Range rows_at(std::int64_t member) const {
    const Range own = part_of(height, member, std::max<std::int64_t>(1, members()));
    const Range part = part_of(own.size, sharing.first, sharing.size);
    return {own.first + part.first, part.size};
  }
  // Place of a share, which is not empty, in the order in which this member computes outputs: its own share comes last,
  // because it need not be sent far, and the members do not all send to one of them at the same time. Cubes that share
  // rows begin with the weights of different ones.
  Range in_own_order(const Range& share) const {
    return {(share.first - origin + outputs.size) % outputs.size, share.size};
  }
  // Bytes of scratch in use besides the blocks of W.
  std::int64_t scratch_needed(std::int64_t rows_at_once) const;
  // Where the row of W for an output is.
  const WeightSource& source(std::int64_t output) const;
  // Elements of `partials` that each member needs.
  std::int64_t partials_needed(std::int64_t rows_at_once) const;

 private:
  static std::vector<std::int64_t> some(const std::vector<std::int64_t>& all, const Range& places) {
    return {all.begin() + places.first, all.begin() + places.end()};
  }
};

// Checks the arguments (KERNEL_ERROR) and chooses sizes. Reads the numbers of `rows`, which must be known.
NormLinear norm_linear_problem(tl::Context& tl, const NormLinearArguments& args);

}  // namespace kb::kernels
