#include "platform/data/reference.h"

#include <algorithm>
#include <cmath>

namespace kb::data {
namespace {
constexpr std::size_t kBlock = 64;  // rows of b that stay in the cache
}

ReferenceGemm reference_gemm(const std::vector<double>& a, const std::vector<double>& b, std::size_t m, std::size_t k,
                             std::size_t n) {
  ReferenceGemm out{std::vector<double>(m * n, 0.0), std::vector<double>(m * n, 0.0)};
  for (std::size_t k0 = 0; k0 < k; k0 += kBlock) {
    const std::size_t k1 = std::min(k, k0 + kBlock);
    for (std::size_t i = 0; i < m; ++i) {
      double* values = out.values.data() + i * n;
      double* terms = out.sum_abs_terms.data() + i * n;
      for (std::size_t p = k0; p < k1; ++p) {
        const double x = a[i * k + p];
        const double* row = b.data() + p * n;
        for (std::size_t j = 0; j < n; ++j) {
          const double term = x * row[j];
          values[j] += term;
          terms[j] += std::fabs(term);
        }
      }
    }
  }
  return out;
}

std::vector<std::int64_t> reference_gemm(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b,
                                         std::size_t m, std::size_t k, std::size_t n) {
  std::vector<std::uint64_t> sums(m * n, 0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      const auto x = static_cast<std::uint64_t>(a[i * k + p]);
      for (std::size_t j = 0; j < n; ++j) sums[i * n + j] += x * static_cast<std::uint64_t>(b[p * n + j]);
    }
  }
  return {sums.begin(), sums.end()};
}

}  // namespace kb::data
