// The points of a sweep: all combinations of axis values, or a random sample of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Points are numbered from 0 to size() - 1, with the last axis advancing first; a sample keeps this order.
class Space {
 public:
  // Configuration Error when there are more points than the limit: `most`, or that of the file when `most` is 0.
  explicit Space(const SweepSpec& spec, std::uint64_t most = 0);

  std::uint64_t size() const { return size_; }
  // Index of the value of each axis; `point` < size().
  std::vector<std::size_t> steps(std::uint64_t point) const;
  // Assignments of the axes for a point, in axis order.
  std::vector<Assignment> assignments(std::uint64_t point) const;
  std::vector<Assignment> assignments_of(const std::vector<std::size_t>& steps) const;

 private:
  const SweepSpec& spec_;
  std::uint64_t size_ = 1;
  std::vector<std::uint64_t> sampled_;  // numbers in the full space, ascending; empty = all
};

}  // namespace kb::sweep
