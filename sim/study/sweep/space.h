// The points of a sweep: every combination of the values of its axes, or a random choice of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Points have numbers from 0 to size() - 1, in the order in which the last axis advances first, also those of a sample.
class Space {
 public:
  // Configuration Error when there are more points than the file's limit. `most`: another limit; 0 = the file's.
  explicit Space(const SweepSpec& spec, std::uint64_t most = 0);

  std::uint64_t size() const { return size_; }
  // Which value of each axis; `point` < size().
  std::vector<std::size_t> steps(std::uint64_t point) const;
  // What the axes give to a point, in their order.
  std::vector<Assignment> assignments(std::uint64_t point) const;
  std::vector<Assignment> assignments_of(const std::vector<std::size_t>& steps) const;

 private:
  const SweepSpec& spec_;
  std::uint64_t size_ = 1;
  std::vector<std::uint64_t> sampled_;  // numbers in the crossed space, ascending; empty = all
};

}  // namespace kb::sweep
