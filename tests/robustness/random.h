// Random numbers that depend only on the seed; the distributions of <random> differ between libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kb::robustness {

class Random {  // SplitMix64
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // The random numbers of one case, independent of other cases.
  static Random of_case(std::uint64_t seed, std::string_view family, std::uint64_t index) {
    Random mixed(seed);
    for (const char c : family) mixed.state_ = mixed.next() ^ static_cast<unsigned char>(c);
    mixed.state_ = mixed.next() ^ index;
    return Random(mixed.next());
  }

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(next() % n); }
  std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }
  double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  template <typename T>
  const T& pick(const std::vector<T>& values) {
    return values[below(values.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace kb::robustness
