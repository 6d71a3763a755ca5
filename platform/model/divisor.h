// The divisor that is nearest to a number that is none.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace kb::model {

// From 1 to `most`; of two that are equally near the smaller one.
inline std::int64_t nearest_divisor(std::int64_t whole, std::int64_t wrong, std::int64_t most) {
  std::int64_t best = 1;
  for (std::int64_t n = 1; n <= most; ++n) {
    if (whole % n == 0 && std::abs(n - wrong) < std::abs(best - wrong)) best = n;
  }
  return best;
}

}  // namespace kb::model
