// Simulated time is an integer count of femtoseconds everywhere; nanoseconds appear only in files and reports.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace kb {

using TimeFs = std::int64_t;  // absolute simulated time or a duration, in femtoseconds

inline constexpr TimeFs kFsPerNs = 1'000'000;
inline constexpr TimeFs kNever = std::numeric_limits<TimeFs>::max();

// Nearest femtosecond. Throws configuration Error when a non-zero value rounds to zero, is negative or not finite.
TimeFs ns_to_fs(double ns);

inline double fs_to_ns(TimeFs fs) {
  return static_cast<double>(fs) / static_cast<double>(kFsPerNs);
}

// Exact decimal nanoseconds with up to six decimals and no trailing zeros ("77", "82.06").
std::string format_ns(TimeFs fs);

// Time that `bytes` occupy a link of `bw_gbs` (1 GB/s = 1 byte/ns), F-28: llround(bytes * 1e6 / bw_gbs).
// bw_gbs <= 0 means no serialisation: 0.
TimeFs occupancy_fs(std::uint64_t bytes, double bw_gbs);

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

// "512 B", "4 KiB", "48 GiB".
std::string format_bytes(std::uint64_t bytes);

}  // namespace kb
