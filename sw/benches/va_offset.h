#pragma once

#include "sw/benches/bench.h"

namespace kb::sw {

// Kernels read and write at offsets into tensors whose shards lie on many PEs and cubes.
Bench va_offset_bench();
// Maps many tensors, each spread over every PE of one SIP, and takes them back.
Bench map_tensors_bench();

}  // namespace kb::sw
