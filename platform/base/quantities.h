// Physical quantities with the unit in the type: explicit construction from a number, and accessors named after the
// unit. Blocks convert configured times to femtoseconds once, in their constructors.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>

#include "platform/base/units.h"

namespace kb {

class Nanoseconds {
 public:
  constexpr Nanoseconds() = default;
  constexpr explicit Nanoseconds(double ns) : ns_(ns) {}
  constexpr double ns() const { return ns_; }
  TimeFs time() const { return ns_to_fs(ns_); }

 private:
  double ns_ = 0.0;
};

// Binary megabytes, for keys that end in _mb.
class Megabytes {
 public:
  constexpr Megabytes() = default;
  constexpr explicit Megabytes(double mb) : mb_(mb) {}
  constexpr double mb() const { return mb_; }

 private:
  double mb_ = 0.0;
};

// Gigabytes per second, which is bytes per nanosecond; values not above 0 mean unlimited.
class Bandwidth {
 public:
  constexpr Bandwidth() = default;
  constexpr explicit Bandwidth(double gbs) : gbs_(gbs) {}
  constexpr double gbs() const { return gbs_; }
  constexpr bool limited() const { return gbs_ > 0.0; }

  // Time that `bytes` occupy a link, F-28: llround(bytes * 1e6 / gbs), or 0 when unlimited. At most kPastEnd.
  TimeFs occupancy(std::uint64_t bytes) const;
  // 0 when unlimited.
  constexpr double ns_per_byte() const { return limited() ? 1 / gbs_ : 0.0; }

  friend constexpr Bandwidth operator*(Bandwidth each, double count) { return Bandwidth(each.gbs_ * count); }
  friend constexpr Bandwidth operator/(Bandwidth all, double count) { return Bandwidth(all.gbs_ / count); }
  friend constexpr double operator/(Bandwidth a, Bandwidth b) { return a.gbs_ / b.gbs_; }

  // Unlimited compares as the largest value, so that the minimum of several is the narrowest.
  friend constexpr bool operator<(Bandwidth a, Bandwidth b) { return a.ordinal() < b.ordinal(); }
  friend constexpr bool operator==(Bandwidth a, Bandwidth b) { return a.ordinal() == b.ordinal(); }
  friend constexpr bool operator!=(Bandwidth a, Bandwidth b) { return !(a == b); }

 private:
  constexpr double ordinal() const { return limited() ? gbs_ : std::numeric_limits<double>::infinity(); }

  double gbs_ = 0.0;
};
// The wider one of the limited bandwidths; unlimited only if both are.
constexpr Bandwidth wider_limit(Bandwidth a, Bandwidth b) {
  return a.gbs() < b.gbs() ? b : a;
}
void PrintTo(Bandwidth bandwidth, std::ostream* out);  // for GoogleTest: "256 GB/s"

// Unit that a rate counts: multiply-accumulates of PE_GEMM, elements of PE_MATH, or clock cycles.
enum class RateUnit : std::uint8_t { macs, elements, cycles };

template <RateUnit unit>
class Rate {
 public:
  constexpr Rate() = default;
  constexpr explicit Rate(double per_ns) : per_ns_(per_ns) {}
  constexpr double per_ns() const { return per_ns_; }
  // llround(amount / rate) in femtoseconds; at most kPastEnd.
  TimeFs time(double amount) const { return round_fs(amount * static_cast<double>(kFsPerNs) / per_ns_); }

  friend constexpr bool operator<(Rate a, Rate b) { return a.per_ns_ < b.per_ns_; }
  friend constexpr bool operator==(Rate a, Rate b) { return a.per_ns_ == b.per_ns_; }

 private:
  double per_ns_ = 0.0;
};
using MacRate = Rate<RateUnit::macs>;
using ElementRate = Rate<RateUnit::elements>;
using Gigahertz = Rate<RateUnit::cycles>;

}  // namespace kb
