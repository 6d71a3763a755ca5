// Division by a number that is known once, and mostly a power of two.
#pragma once

#include <cstdint>

namespace kb::modules {

// x / divisor, by a shift where that is possible.
class Quotient {
 public:
  explicit Quotient(std::uint64_t divisor)
      : divisor_(divisor), shift_((divisor & (divisor - 1)) == 0 ? __builtin_ctzll(divisor) : -1) {}
  std::uint64_t operator()(std::uint64_t x) const { return shift_ >= 0 ? x >> shift_ : x / divisor_; }

 private:
  std::uint64_t divisor_;
  int shift_;
};

}  // namespace kb::modules
