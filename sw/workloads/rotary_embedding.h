#pragma once

#include "sw/workloads/contents.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

// Row p: cos(p base^(-2 i / d)) for i < d / 2, then the sines. With integer contents, all angles are quarter turns,
// which are exact.
HostArray rotary_table(Contents contents, const Shape& shape, Dtype dtype, double base);
// Verifies the embedding of `x` (tokens, heads, d), whose first token has position `first`, with the kernel's
// roundings: the first product is rounded to the dtype, then the second one is added.
data::VerificationRow rotary_row(const HostArray& x, const HostArray& table, std::int64_t first, const HostArray& y);

Workload rotary_embedding_workload();

}  // namespace kb::sw
