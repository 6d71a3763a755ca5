#pragma once

#include "sw/tensor/host_array.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

// Kernels that read and write at offsets into tensors whose shards are on many PEs and cubes.
Workload va_offset_workload();
// Maps many tensors, each distributed over all PEs of one SIP, and unmaps them.
Workload map_tensors_workload();

// out[(x + write_shift) mod n] = in[(x + read_shift) mod n]
HostArray rotated(const HostArray& in, std::int64_t read_shift, std::int64_t write_shift);

}  // namespace kb::sw
