// Simulated time is an integer count of femtoseconds everywhere; nanoseconds appear only in files and reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <type_traits>

namespace kb {

inline constexpr std::int64_t kFsPerNs = 1'000'000;
__extension__ using Wide = __int128;  // for products of two counts of femtoseconds

// Absolute simulated time, or a duration. Only code at the border of the simulator (files, SystemC) uses the raw count.
class TimeFs {
 public:
  constexpr TimeFs() = default;
  constexpr explicit TimeFs(std::int64_t fs) : fs_(fs) {}

  constexpr std::int64_t fs() const { return fs_; }

  constexpr TimeFs& operator+=(TimeFs other) { return *this = *this + other; }
  constexpr TimeFs& operator-=(TimeFs other) { return *this = *this - other; }

  friend constexpr TimeFs operator+(TimeFs a, TimeFs b) { return TimeFs(a.fs_ + b.fs_); }
  friend constexpr TimeFs operator-(TimeFs a, TimeFs b) { return TimeFs(a.fs_ - b.fs_); }
  friend constexpr TimeFs operator-(TimeFs a) { return TimeFs(-a.fs_); }
  friend constexpr std::int64_t operator/(TimeFs a, TimeFs b) { return a.fs_ / b.fs_; }
  friend constexpr TimeFs operator%(TimeFs a, TimeFs b) { return TimeFs(a.fs_ % b.fs_); }

  template <typename Count>
  using IfInteger = std::enable_if_t<std::is_integral_v<Count>, TimeFs>;
  template <typename Count>
  friend constexpr IfInteger<Count> operator*(Count count, TimeFs each) {
    return TimeFs(static_cast<std::int64_t>(count) * each.fs_);
  }
  template <typename Count>
  friend constexpr IfInteger<Count> operator*(TimeFs each, Count count) {
    return count * each;
  }
  template <typename Count>
  friend constexpr IfInteger<Count> operator/(TimeFs all, Count count) {
    return TimeFs(all.fs_ / static_cast<std::int64_t>(count));
  }
  constexpr TimeFs& operator/=(std::int64_t count) { return *this = *this / count; }

  friend constexpr bool operator==(TimeFs a, TimeFs b) { return a.fs_ == b.fs_; }
  friend constexpr bool operator!=(TimeFs a, TimeFs b) { return a.fs_ != b.fs_; }
  friend constexpr bool operator<(TimeFs a, TimeFs b) { return a.fs_ < b.fs_; }
  friend constexpr bool operator<=(TimeFs a, TimeFs b) { return a.fs_ <= b.fs_; }
  friend constexpr bool operator>(TimeFs a, TimeFs b) { return a.fs_ > b.fs_; }
  friend constexpr bool operator>=(TimeFs a, TimeFs b) { return a.fs_ >= b.fs_; }

 private:
  std::int64_t fs_ = 0;
};
void PrintTo(TimeFs time, std::ostream* out);  // for GoogleTest: "82.06 ns"

inline namespace literals {
constexpr TimeFs operator""_fs(unsigned long long fs) {
  return TimeFs(static_cast<std::int64_t>(fs));
}
constexpr TimeFs operator""_ns(unsigned long long ns) {
  return TimeFs(static_cast<std::int64_t>(ns) * kFsPerNs);
}
constexpr TimeFs operator""_ns(long double ns) {  // rounds to the nearest femtosecond
  return TimeFs(static_cast<std::int64_t>(ns * static_cast<long double>(kFsPerNs) + 0.5L));
}
}  // namespace literals

inline constexpr TimeFs kNever{std::numeric_limits<std::int64_t>::max()};

// Simulated time ends after 4600 s. Later times are represented by kPastEnd, so that the sum of any two times is still
// a TimeFs.
inline constexpr TimeFs kTimeEnd = 4'600'000'000'000_ns;
inline constexpr TimeFs kPastEnd = kTimeEnd + 1_fs;

// Saturating sums and products of non-negative times; at most kPastEnd.
constexpr TimeFs time_sum(TimeFs a, TimeFs b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a.fs(), b.fs(), &sum) || TimeFs(sum) > kTimeEnd ? kPastEnd : TimeFs(sum);
}
constexpr TimeFs time_product(std::uint64_t count, TimeFs each) {
  std::int64_t product = 0;
  const bool overflow = __builtin_mul_overflow(count, each.fs(), &product);
  return overflow || TimeFs(product) > kTimeEnd ? kPastEnd : TimeFs(product);
}
// Number of periods that cover a span; both are non-negative.
constexpr std::int64_t periods(TimeFs span, TimeFs period) {
  return (span + period - 1_fs) / period;
}
// Adds to a statistic with saturation, because the times of many concurrent activities may be summed.
constexpr void accumulate(std::int64_t& total, std::int64_t more) {
  if (__builtin_add_overflow(total, more, &total)) total = std::numeric_limits<std::int64_t>::max();
}
constexpr void accumulate(TimeFs& total, TimeFs more) {
  std::int64_t sum = total.fs();
  accumulate(sum, more.fs());
  total = TimeFs(sum);
}

// Rounds a non-negative value to the nearest femtosecond; at most kPastEnd.
TimeFs round_fs(double fs);

// Rounds to the nearest femtosecond. Configuration Error when the value is negative, not finite, above 1e12 (1000 s),
// or non-zero but rounded to zero.
TimeFs ns_to_fs(double ns);

inline double fs_to_ns(TimeFs time) {
  return static_cast<double>(time.fs()) / static_cast<double>(kFsPerNs);
}

// Exact decimal nanoseconds with up to six decimals and no trailing zeros ("77", "82.06").
std::string format_ns(TimeFs time);
// Writes format_ns() to a buffer of at least kNsBytes; returns its end.
char* put_ns(char* to, TimeFs time);
inline constexpr std::size_t kNsBytes = 32;

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

// "512 B", "4 KiB", "48 GiB".
std::string format_bytes(std::uint64_t bytes);
// Like format_bytes() for short numbers; "1.8 TiB (1953125000 KiB)" for a count of five and more digits.
std::string format_size(std::uint64_t bytes);

}  // namespace kb
