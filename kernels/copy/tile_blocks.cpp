#include "kernels/copy/tile_blocks.h"

#include <algorithm>

#include "kernels/tl/tl.h"
#include "platform/base/checked.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Ptr;
using Integer = std::int64_t;

constexpr Integer kElementsUnderWay = 16384;  // maximum number of elements in flight

struct BlockArguments {
  Ptr in, out;
  Integer blocks = 0, rows = 0, cols = 0;
  Integer in_start = 0, in_step = 0, in_stride = 0;
  Integer out_start = 0, out_step = 0, out_stride = 0;
};

struct Side {
  Integer start, step, stride;

  Integer at(Integer block, Integer row, Integer col) const { return start + block * step + row * stride + col; }
  // Like at(), for numbers that may overflow.
  Integer checked_at(Integer block, Integer row, Integer col) const {
    return checked_sum("end of the last block", {start, checked_product("block x step", {block, step}),
                                                 checked_product("row x stride", {row, stride}), col});
  }
};

void require_inside(tl::Context& tl, const tl::LocalShard& tile, const Side& side, Integer blocks, Integer rows,
                    Integer cols, const std::string& name) {
  tl.require(side.start >= 0 && side.step >= 0 && (rows == 1 || side.stride >= cols) &&
                 side.checked_at(blocks - 1, rows - 1, cols - 1) < tile.elements,
             name + ": a block leaves the tile of this PE");
}

void tile_blocks(tl::Context& tl, const BlockArguments& args) {
  const Ptr in = args.in, out = args.out;
  const Integer blocks = args.blocks, rows = args.rows, cols = args.cols;
  const tl::LocalShard source = tl.shard(in), target = tl.shard(out);
  if (source.elements == 0 || target.elements == 0) return;
  tl.require(in.dtype() == out.dtype(), "in and out must have one dtype");
  tl.require(blocks >= 1 && rows >= 1 && cols >= 1, "blocks, rows and cols are at least 1");
  const Side from{args.in_start, args.in_step, args.in_stride}, to{args.out_start, args.out_step, args.out_stride};
  require_inside(tl, source, from, blocks, rows, cols, "in");
  require_inside(tl, target, to, blocks, rows, cols, "out");
  const Integer wide = std::min(cols, kElementsUnderWay), high = std::max<Integer>(1, kElementsUnderWay / wide);
  for (Integer block = 0; block < blocks; ++block) {
    for (Integer row = 0; row < rows; row += high) {
      for (Integer col = 0; col < cols; col += wide) {
        const tl::Scratch piece(tl);
        const Shape shape{std::min(high, rows - row), std::min(wide, cols - col)};
        const tl::TensorHandle values =
            tl.load(source.ptr + from.at(block, row, col), shape, in.dtype(), shape[0] == 1 ? 0 : from.stride);
        tl.store(target.ptr + to.at(block, row, col), values, shape[0] == 1 ? 0 : to.stride);
      }
    }
  }
}

}  // namespace

contract::Kernel tile_blocks_kernel() {
  return tl::make_kernel("tile_blocks", "copies matrices between tiles of a PE, with strides: splits and joins columns",
                         tl::Parameters<BlockArguments>{{"in", &BlockArguments::in},
                                                        {"out", &BlockArguments::out},
                                                        {"blocks", &BlockArguments::blocks},
                                                        {"rows", &BlockArguments::rows},
                                                        {"cols", &BlockArguments::cols},
                                                        {"in_start", &BlockArguments::in_start},
                                                        {"in_step", &BlockArguments::in_step},
                                                        {"in_stride", &BlockArguments::in_stride},
                                                        {"out_start", &BlockArguments::out_start},
                                                        {"out_step", &BlockArguments::out_step},
                                                        {"out_stride", &BlockArguments::out_stride}},
                         tile_blocks);
}

}  // namespace kb::kernels
