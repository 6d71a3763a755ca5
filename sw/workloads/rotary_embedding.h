#pragma once

#include "sw/workloads/contents.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

// Row p: cos(p base^(-2 i / d)) for i < d / 2, then the sines. As whole numbers quarter turns, which are exact.
HostArray rotary_table(Contents contents, const Shape& shape, Dtype dtype, double base);
// `x` (tokens, heads, d), whose first token has position `first`, as the kernel goes: the first product is rounded to
// the dtype, then the second one is added to it.
data::VerificationRow rotary_row(const HostArray& x, const HostArray& table, std::int64_t first, const HostArray& y);

Workload rotary_embedding_workload();

}  // namespace kb::sw
