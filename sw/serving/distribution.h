// How often each duration occurs, for exact percentiles of many values.
#pragma once

#include <cstdint>
#include <map>

namespace kb::serving {

class Distribution {
 public:
  Distribution() : latest_(counts_.end()) {}
  Distribution(const Distribution&) = delete;
  Distribution& operator=(const Distribution&) = delete;

  void add(std::int64_t value);
  std::uint64_t count() const { return count_; }
  double mean() const;  // 0 without values, as all of these
  std::int64_t most() const { return counts_.empty() ? 0 : counts_.rbegin()->first; }
  // The value below which `percent` of all values lie, on the straight line between the two nearest ranks.
  double percentile(double percent) const;

 private:
  std::map<std::int64_t, std::uint64_t> counts_;
  std::map<std::int64_t, std::uint64_t>::iterator latest_;  // tokens of one step come one after the other
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

}  // namespace kb::serving
