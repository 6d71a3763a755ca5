#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// The hierarchical all-reduce (K-49 .. K-57): each cube has one tile of n_elem elements, on PE 0, which is replaced by
// the combination of the tiles of all cubes of all SIPs. Other PEs return at once (K-55).
//
// Phases (K-52): along each row to the root's column, along that column to the root cube, between the SIPs, and back. A
// tensor on a single cube needs only the exchange between SIPs (K-54). Arguments: K-45, and optionally
// - op: "sum" (default), "max", "min", "avg"
// - root: the root cube; default: the centre (K-56)
// - chunk: elements per message; 0 (default) = the whole tile. Smaller chunks are pipelined: all chunks to the root,
//   then all back, so that any number of slots suffices.
contract::Kernel lrab_allreduce_kernel();

// The all-reduce with one tile on every PE (K-67, K-68). First the PEs of each cube combine over intra_E and intra_W,
// from both sides to PE 0 in ceil((PEs - 1) / 2) steps; at the end the result returns on the same path.
contract::Kernel three_level_allreduce_kernel();

}  // namespace kb::kernels
