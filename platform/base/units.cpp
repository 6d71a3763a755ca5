#include "platform/base/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <ostream>

#include "platform/base/error.h"

namespace kb {

void PrintTo(TimeFs time, std::ostream* out) {
  *out << format_ns(time) << " ns";
}

TimeFs round_fs(double fs) {
  return fs <= static_cast<double>(kTimeEnd.fs()) ? TimeFs(std::llround(fs)) : kPastEnd;
}

TimeFs ns_to_fs(double ns) {
  if (!std::isfinite(ns) || ns < 0.0 || ns > 1.0e12) {
    throw Error::configuration(fmt::format("a time of {} ns is outside 0 .. 1e12", ns));
  }
  const TimeFs time(std::llround(ns * static_cast<double>(kFsPerNs)));
  if (time == 0_fs && ns > 0.0) {
    throw Error::configuration(
        fmt::format("a time of {} ns rounds to zero (the resolution is 1 fs = 0.000001 ns)", ns));
  }
  return time;
}

std::string format_ns(TimeFs time) {
  char buffer[kNsBytes];
  return {buffer, put_ns(buffer, time)};
}

// Uses no format string, because result files have millions of times.
char* put_ns(char* to, TimeFs time) {
  const bool negative = time < 0_fs;
  const auto fs = static_cast<std::uint64_t>(time.fs());
  const std::uint64_t magnitude = negative ? 0 - fs : fs;
  char* const end = to + kNsBytes;
  if (negative) *to++ = '-';
  to = std::to_chars(to, end, magnitude / kFsPerNs).ptr;
  std::uint64_t fraction = magnitude % kFsPerNs;
  if (fraction == 0) return to;
  *to++ = '.';
  for (std::uint64_t unit = kFsPerNs / 10; fraction != 0; unit /= 10) {
    *to++ = static_cast<char>('0' + fraction / unit);
    fraction %= unit;
  }
  return to;
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes >= kGiB && bytes % kGiB == 0) return fmt::format("{} GiB", bytes / kGiB);
  if (bytes >= kMiB && bytes % kMiB == 0) return fmt::format("{} MiB", bytes / kMiB);
  if (bytes >= kKiB && bytes % kKiB == 0) return fmt::format("{} KiB", bytes / kKiB);
  return fmt::format("{} B", bytes);
}

std::string format_size(std::uint64_t bytes) {
  const std::string exact = format_bytes(bytes);
  constexpr std::size_t kShort = 4;
  if (exact.find(' ') <= kShort) return exact;
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1024.0 && unit + 1 < std::size(kUnits); ++unit) size /= 1024.0;
  return fmt::format("{:.1f} {} ({})", size, kUnits[unit], exact);
}

}  // namespace kb
