#include "platform/base/granularity.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace kb {

std::int64_t Granularity::padded_macs(std::int64_t rows, std::int64_t depth, std::int64_t columns) const {
  const auto padded = [](std::int64_t size, std::int64_t step) { return (size + step - 1) / step * step; };
  return padded(rows, m) * padded(depth, k) * padded(columns, n);
}

std::optional<Granularity> parse_granularity(std::string_view text) {
  if (text == "none") return Granularity{};
  std::array<std::int64_t, 3> sizes{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0 && (at == end || *at++ != 'x')) return std::nullopt;
    const auto [rest, error] = std::from_chars(at, end, sizes[i]);
    if (error != std::errc{} || sizes[i] < 1 || sizes[i] > kMaxGranularity) return std::nullopt;
    at = rest;
  }
  if (at != end) return std::nullopt;
  return Granularity{sizes[0], sizes[1], sizes[2]};
}

std::string granularity_text(const Granularity& granularity) {
  if (granularity.m == 1 && granularity.k == 1 && granularity.n == 1) return "none";
  return fmt::format("{}x{}x{}", granularity.m, granularity.k, granularity.n);
}

}  // namespace kb
