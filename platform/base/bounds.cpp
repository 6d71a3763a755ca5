#include "platform/base/bounds.h"

#include <fmt/format.h>

#include <cmath>

namespace kb {

std::string Bounds::text() const {
  if (above_low) return fmt::format("greater than {} and at most {}", low, high);
  return fmt::format("{}between {} and {}", or_zero ? "0 or " : "", low, high);
}
bool Bounds::contain(double value) const {
  if (!std::isfinite(value) || value > high) return false;
  return (above_low ? value > low : value >= low) || (or_zero && value == 0.0);
}
Bounds rate(double high) {
  return at_least(kMinRate, high);
}
Bounds positive(double high) {
  return {0.0, high, true};
}
Bounds at_least(double low, double high) {
  return {low, high, false};
}
Bounds bandwidth() {
  return rate(kMaxBandwidth);
}
Bounds optional_bandwidth() {
  Bounds bounds = bandwidth();
  bounds.or_zero = true;
  return bounds;
}
Bounds duration_ns() {
  return at_least(0.0, 1e6);
}
Bounds length_mm() {
  return at_least(0.0, 1e4);
}

}  // namespace kb
