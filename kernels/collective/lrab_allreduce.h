#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// The hierarchical all-reduce (K-49 .. K-57): one tile of n_elem elements per cube, on PE 0,
// is replaced by the combination of the tiles of all cubes of all SIPs. Other PEs return at once (K-55).
//
// Phases (K-52): along each row to the root's column, along that column to the root cube, between the SIPs, and back.
// A tensor on a single cube has only the exchange between SIPs (K-54). Arguments: K-45, then optionally
//   op     "sum" (default), "max", "min", "avg"
//   root   the cube that collects; default the centre (K-56)
//   chunk  elements per message; 0 (default) = the whole tile. Smaller ones travel as a pipeline: all chunks towards
//          the root, then all back, so that any number of slots suffices.
contract::Kernel lrab_allreduce_kernel();

// The all-reduce of one tile on every PE (K-67, K-68): first the PEs of each cube as a ring over intra_E and intra_W,
// from both sides to PE 0 in ceil((PEs - 1) / 2) steps, at the end back the same way.
contract::Kernel three_level_allreduce_kernel();

}  // namespace kb::kernels
