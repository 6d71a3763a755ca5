#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Conversions between tensors split by columns, which tensor-parallel layers produce, and whole rows, which the next
// layer reads.

// collect_columns: dst has a tile (m, w) per cube; the cubes of src hold the same columns, split further over PEs. Each
// PE writes its own columns to its cube's tile, so that fewer and longer messages leave the cube afterwards.
contract::Kernel collect_columns_kernel();

// gather_columns: dst (m, n) is row-major, usually with a copy per cube. The elements of src (m, n) are blocks of
// `width` columns, one (m, width) matrix after the other. Blocks are ordered by (cube, rank), their columns by (rank,
// cube): the result of an all_gather of `ranks` tensors that are split by columns over cubes. ranks = 1: blocks are in
// column order. The PEs of every cube with a copy share the blocks.
contract::Kernel gather_columns_kernel();

// dst (m, n) = columns [first, first + n) of src; both are row-major, and each PE copies the rows of dst that it owns.
contract::Kernel slice_columns_kernel();

}  // namespace kb::kernels
