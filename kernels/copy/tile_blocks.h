#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// tile_blocks: copies `blocks` matrices of (rows, cols) elements from this PE's tile of one tensor to its tile of
// another. Block b begins at start + b * step, and its rows are stride elements apart, separately for `in` and `out`.
// This splits the columns of a matrix into separate matrices, or joins them. Program Error KERNEL_ERROR when dtypes
// differ or a block exceeds its tile. PEs without a tile return at once.
contract::Kernel tile_blocks_kernel();

}  // namespace kb::kernels
