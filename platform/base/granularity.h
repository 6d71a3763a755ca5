// Granularity of a MAC array.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kb {

// A product of m x k x n occupies the array as if each size were rounded up to a multiple (P-28).
struct Granularity {
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;

  std::int64_t padded_macs(std::int64_t rows, std::int64_t depth, std::int64_t columns) const;
};

inline constexpr std::int64_t kMaxGranularity = 4096;  // maximum of each size

// Parses "32x64x32" as m x k x n, and "none" as 1x1x1, an array that never pads. Returns no value for any other text.
std::optional<Granularity> parse_granularity(std::string_view text);
std::string granularity_text(const Granularity& granularity);

}  // namespace kb
