#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Flat all-reduces (K-66): every PE that holds a tile of `t` is a rank of the wiring `flat`, and each tile of n_elem
// elements is replaced by the combination of all tiles. Rank = first_rank + index of the tile in the SIP's tensor.
// Arguments:
// - t, n_elem, ranks, first_rank
// - grid_w, grid_h, wrap: the grid of ranks (only mesh_allreduce)
// - op: "sum" (default), "max", "min", "avg"
// - chunk: elements per message; 0 (default) = the whole tile
// PEs without a tile return at once.
//
// - ring_allreduce: ranks - 1 rounds; sends its own tile east, then the tile that came from the west
// - mesh_allreduce: along the rows, then along the columns; a dimension that wraps is a ring, otherwise tiles go to its
//   end and back
// - tree_allreduce: from the leaves of the binary tree to rank 0 and back
contract::Kernel ring_allreduce_kernel();
contract::Kernel mesh_allreduce_kernel();
contract::Kernel tree_allreduce_kernel();

}  // namespace kb::kernels
