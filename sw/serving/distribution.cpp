#include "sw/serving/distribution.h"

#include <cmath>

namespace kb::serving {

void Distribution::add(std::int64_t value) {
  if (latest_ == counts_.end() || latest_->first != value) latest_ = counts_.try_emplace(value, 0).first;
  ++latest_->second;
  ++count_;
  sum_ += static_cast<double>(value);
}

double Distribution::mean() const {
  return count_ == 0 ? 0.0 : sum_ / static_cast<double>(count_);
}

double Distribution::percentile(double percent) const {
  if (count_ == 0) return 0.0;
  const double rank = percent / 100.0 * static_cast<double>(count_ - 1);
  const double below = std::floor(rank);
  std::uint64_t seen = 0;
  for (auto it = counts_.begin(); it != counts_.end(); ++it) {
    seen += it->second;
    if (static_cast<double>(seen) <= below) continue;
    const auto low = static_cast<double>(it->first);
    const bool last_of_value = static_cast<double>(seen) <= below + 1;
    if (!last_of_value || std::next(it) == counts_.end()) return low;
    return low + (rank - below) * (static_cast<double>(std::next(it)->first) - low);
  }
  return static_cast<double>(most());
}

}  // namespace kb::serving
