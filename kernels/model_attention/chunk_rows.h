// The chunks of a launch, as kernels read them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tl/context.h"
#include "platform/contract/paged_attention.h"

namespace kb::kernels {

// Reads `sequences` (count, 4), which contract::chunk_rows() has made and which must be known. KERNEL_ERROR unless it
// is such a matrix, whole or split by rows, and its rows are some of `rows`.
std::vector<contract::ChunkSequence> read_chunks(tl::Context& tl, tl::Ptr sequences, std::int64_t rows);

}  // namespace kb::kernels
