// The range of values that a number in a file may have.
#pragma once

#include <string>

namespace kb {

struct Bounds {
  double low = 0.0;
  double high = 1e15;
  bool above_low = false;  // `low` itself is excluded
  bool or_zero = false;    // 0 is accepted below `low`
  bool contain(double value) const;
  std::string text() const;  // "greater than 0 and at most 1000"
};

inline constexpr double kMaxBandwidth = 1e6;  // GB/s: a flit still occupies a link for hundreds of fs
// Rates (GB/s, GHz, per ns): below, large transfers would take longer than the 4600 s after which simulated time ends.
inline constexpr double kMinRate = 1e-3;

Bounds rate(double high);
Bounds positive(double high);
Bounds at_least(double low, double high);
Bounds bandwidth();           // must be limited
Bounds optional_bandwidth();  // 0 = no serialisation
Bounds duration_ns();
Bounds length_mm();

}  // namespace kb
