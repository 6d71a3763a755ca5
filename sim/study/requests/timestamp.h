// Dates and times of traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kb::requests {

inline constexpr std::int64_t kNsPerS = 1'000'000'000;

// Nanoseconds since 1970 of "2023-11-16 18:00:00.2500001", also with 'T' in place of the blank and with an offset
// ("+02:00", "Z"), which is taken off. Any number of decimals; what follows the ninth is cut off.
std::optional<std::int64_t> timestamp_ns(std::string_view text);

}  // namespace kb::requests
