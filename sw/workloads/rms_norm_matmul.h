#pragma once

#include "sw/workloads/contents.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

// X (m, k), the gain G (1, k) and W (k, n), with one dtype.
struct RmsNormMatmul {
  Contents contents = Contents::integers;
  std::int64_t k = 0;
  Dtype dtype = Dtype::f16;

  HostArray x(std::int64_t m, std::uint64_t seed) const;
  HostArray g(std::uint64_t seed) const;
  HostArray w(std::int64_t n, std::uint64_t seed) const;
};
// Y = (X G W) / rms(X), computed like the kernel: X G rounded to the dtype, sums of squares and products in f32.
data::VerificationRow rms_norm_matmul_row(const HostArray& x, const HostArray& g, double eps, const HostArray& w,
                                          const HostArray& y);

Workload rms_norm_matmul_workload();

}  // namespace kb::sw
