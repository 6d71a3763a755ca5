// Contents of the tensors of kernel tests.
#pragma once

#include <cstdint>
#include <vector>

namespace kb::tests {

using Numbers = std::vector<double>;

// Numbers in [-1, 1), which depend only on the seed.
inline Numbers numbers(std::uint64_t seed, std::int64_t count) {
  Numbers out;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    out.push_back(static_cast<double>(seed >> 40) / 0x1p23 - 1);
  }
  return out;
}

inline double at(const Numbers& values, std::int64_t i) {
  return values[static_cast<std::size_t>(i)];
}

}  // namespace kb::tests
