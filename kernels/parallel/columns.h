#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Tensors split by columns, as tensor-parallel layers leave them, and whole rows, as the next layer reads them.

// dst, a tile (m, w) per cube, from src, whose cubes hold the same columns split once more over PEs: each PE puts its
// own columns into its cube's tile. Fewer and longer messages leave the cube afterwards.
contract::Kernel collect_columns_kernel();

// dst (m, n) row-major, usually a copy per cube, from src (m, n) whose elements are blocks of `width` columns, one
// (m, width) matrix after the other. Blocks come in the order cube, rank, their columns in the order rank, cube: what
// an all_gather of `ranks` tensors split by columns over cubes leaves. ranks = 1: blocks in the order of columns. The
// PEs of every cube that holds a copy share the blocks.
contract::Kernel gather_columns_kernel();

// dst (m, n) = columns [first, first + n) of src; both row-major, each PE the rows of dst it owns.
contract::Kernel slice_columns_kernel();

}  // namespace kb::kernels
