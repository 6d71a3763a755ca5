// Reference results, computed by code that is independent of the engines, so that a shared mistake cannot hide.
#pragma once

#include <cstdint>
#include <vector>

namespace kb::data {

struct ReferenceGemm {
  std::vector<double> values;         // (m, n) row-major, accumulated in double over ascending k
  std::vector<double> sum_abs_terms;  // per element
};
// a is (m, k), b is (k, n), row-major.
ReferenceGemm reference_gemm(const std::vector<double>& a, const std::vector<double>& b, std::size_t m, std::size_t k,
                             std::size_t n);
// Wraps in two's complement; compare after narrowing to the output's dtype.
std::vector<std::int64_t> reference_gemm(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b,
                                         std::size_t m, std::size_t k, std::size_t n);

}  // namespace kb::data
