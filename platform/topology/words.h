// What summaries and drawings of a machine say alike.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace kb::topology {

// "1 PE", "8 PEs".
inline std::string plural(std::size_t count, const std::string& word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

// "256 GB/s", or "no limit" for 0.
inline std::string bandwidth_text(double bw_gbs) {
  return bw_gbs > 0 ? fmt::format("{} GB/s", bw_gbs) : "no limit";
}

}  // namespace kb::topology
