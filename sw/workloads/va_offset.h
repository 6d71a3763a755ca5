#pragma once

#include "sw/tensor/host_array.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

// Kernels read and write at offsets into tensors whose shards lie on many PEs and cubes.
Workload va_offset_workload();
// Maps many tensors, each spread over every PE of one SIP, and takes them back.
Workload map_tensors_workload();

// out[(x + write_shift) mod n] = in[(x + read_shift) mod n]
HostArray rotated(const HostArray& in, std::int64_t read_shift, std::int64_t write_shift);

}  // namespace kb::sw
