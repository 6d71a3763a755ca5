// Simulated time is an integer count of femtoseconds everywhere; nanoseconds appear only in files and reports.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace kb {

using TimeFs = std::int64_t;  // absolute simulated time or a duration, in femtoseconds

inline constexpr TimeFs kFsPerNs = 1'000'000;
inline constexpr TimeFs kNever = std::numeric_limits<TimeFs>::max();

// Simulated time ends after 4600 s. What would be later is kPastEnd, so that a sum of any two times is still a TimeFs.
inline constexpr TimeFs kTimeEnd = 4'600'000'000'000 * kFsPerNs;
inline constexpr TimeFs kPastEnd = kTimeEnd + 1;

// Sums and products of times and durations, none of them negative; at most kPastEnd.
constexpr TimeFs time_sum(TimeFs a, TimeFs b) {
  TimeFs sum = 0;
  return __builtin_add_overflow(a, b, &sum) || sum > kTimeEnd ? kPastEnd : sum;
}
constexpr TimeFs time_product(std::uint64_t count, TimeFs each) {
  TimeFs product = 0;
  return __builtin_mul_overflow(count, each, &product) || product > kTimeEnd ? kPastEnd : product;
}
// Adds to a statistic, in which times of many things that happen at once may come together; stays at the largest value.
constexpr void accumulate(TimeFs& total, TimeFs more) {
  if (__builtin_add_overflow(total, more, &total)) total = kNever;
}

// Nearest femtosecond of a value that is not negative; at most kPastEnd.
TimeFs round_fs(double fs);

// Nearest femtosecond. Throws configuration Error when a non-zero value rounds to zero, is negative, not finite or
// above 1e12 (1000 s).
TimeFs ns_to_fs(double ns);

inline double fs_to_ns(TimeFs fs) {
  return static_cast<double>(fs) / static_cast<double>(kFsPerNs);
}

// Exact decimal nanoseconds with up to six decimals and no trailing zeros ("77", "82.06").
std::string format_ns(TimeFs fs);

// Time that `bytes` occupy a link of `bw_gbs` (1 GB/s = 1 byte/ns), F-28: llround(bytes * 1e6 / bw_gbs).
// bw_gbs <= 0 means no serialisation: 0. At most kPastEnd.
TimeFs occupancy_fs(std::uint64_t bytes, double bw_gbs);

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

// "512 B", "4 KiB", "48 GiB".
std::string format_bytes(std::uint64_t bytes);

}  // namespace kb
