// Value range of a number in a configuration file.
#pragma once

#include <string>

namespace kb {

struct Bounds {
  double low = 0.0;
  double high = 1e15;
  bool above_low = false;  // `low` itself is excluded
  bool or_zero = false;    // 0 is accepted although it is below `low`
  bool contain(double value) const;
  std::string text() const;  // "greater than 0 and at most 1000"
};

inline constexpr double kMaxBandwidth = 1e6;  // GB/s, so that a flit still occupies a link for hundreds of fs
// Minimum of rates (GB/s, GHz, per ns). With a lower rate, large transfers would exceed the 4600 s of simulated time.
inline constexpr double kMinRate = 1e-3;

Bounds rate(double high);
Bounds positive(double high);
Bounds at_least(double low, double high);
Bounds bandwidth();           // no "unlimited" value
Bounds optional_bandwidth();  // 0 = no serialisation
Bounds duration_ns();
Bounds length_mm();

}  // namespace kb
