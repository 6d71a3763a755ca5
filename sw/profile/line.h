// Look-up on one axis of a table of times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kb::profile {

// Two neighbours of a query among sorted keys, and the weight of the second.
struct Span {
  std::size_t low = 0, high = 0;
  double weight = 0.0;
};

// Below the first key: the first one alone. Beyond the last: the last two, with a weight above 1 (M-63). `keys` is not
// empty.
Span span_of(const std::vector<std::int64_t>& keys, std::int64_t query);

inline double between(double low, double high, double weight) {
  return low + weight * (high - low);
}

// Microseconds of a table as whole nanoseconds, half to even, at least 1.
std::int64_t table_ns(double us);
// An interpolated time, cut to an integer, at least 1.
std::int64_t cut_ns(double ns);

// Times over one axis.
class Line {
 public:
  // False when the key is there already. Keys may come in any order.
  bool add(std::int64_t key, std::int64_t ns);
  bool empty() const { return keys_.empty(); }
  std::int64_t first_key() const { return keys_.front(); }
  std::int64_t last_key() const { return keys_.back(); }
  double at(std::int64_t query) const;

 private:
  std::vector<std::int64_t> keys_;  // sorted
  std::vector<double> ns_;
};

}  // namespace kb::profile
