#include "sw/profile/line.h"

#include <algorithm>
#include <cmath>

namespace kb::profile {

Span span_of(const std::vector<std::int64_t>& keys, std::int64_t query) {
  if (keys.size() == 1 || query <= keys.front()) return {};
  const auto above = std::upper_bound(keys.begin(), keys.end(), query);
  const auto high = std::min(static_cast<std::size_t>(above - keys.begin()), keys.size() - 1);
  const std::size_t low = high - 1;
  return {low, high, static_cast<double>(query - keys[low]) / static_cast<double>(keys[high] - keys[low])};
}

std::int64_t table_ns(double us) {
  return std::max<std::int64_t>(1, std::llrint(us * 1000.0));
}

std::int64_t cut_ns(double ns) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(ns));
}

bool Line::add(std::int64_t key, std::int64_t ns) {
  const auto place = std::lower_bound(keys_.begin(), keys_.end(), key);
  if (place != keys_.end() && *place == key) return false;
  ns_.insert(ns_.begin() + (place - keys_.begin()), static_cast<double>(ns));
  keys_.insert(place, key);
  return true;
}

double Line::at(std::int64_t query) const {
  const Span span = span_of(keys_, query);
  return between(ns_[span.low], ns_[span.high], span.weight);
}

}  // namespace kb::profile
