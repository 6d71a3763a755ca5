#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// tile_blocks: copies `blocks` matrices of (rows, cols) elements from this PE's tile of one tensor to its tile of
// another. Block b begins at start + b * step, its rows lie stride elements apart, in `in` and `out` each. So the
// columns of a matrix are split into matrices of their own, or put side by side. Program Error KERNEL_ERROR when dtypes
// differ or a block leaves its tile. PEs without a tile return at once.
contract::Kernel tile_blocks_kernel();

}  // namespace kb::kernels
