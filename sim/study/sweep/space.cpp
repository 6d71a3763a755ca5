#include "sim/study/sweep/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "platform/base/error.h"

namespace kb::sweep {
namespace {

constexpr std::uint64_t kUncountable = std::numeric_limits<std::int64_t>::max();

std::uint64_t crossed(const std::vector<Axis>& axes) {
  std::uint64_t count = 1;
  for (const Axis& axis : axes) {
    if (__builtin_mul_overflow(count, axis.size(), &count) || count > kUncountable) return kUncountable;
  }
  return count;
}

// Draws uniformly from 0 to end - 1. The distributions of the standard library differ between implementations.
std::uint64_t draw_index(std::mt19937_64& random, std::uint64_t end) {
  const std::uint64_t rest = (std::numeric_limits<std::uint64_t>::max() % end + 1) % end;
  std::uint64_t value = random();
  while (value > std::numeric_limits<std::uint64_t>::max() - rest) value = random();
  return value % end;
}

// Draws different numbers below `end`, each combination with equal probability (Floyd).
std::vector<std::uint64_t> choose(std::uint64_t end, const Sample& sample) {
  std::mt19937_64 random(sample.seed);
  std::set<std::uint64_t> chosen;
  for (std::uint64_t last = end - sample.count; last < end; ++last) {
    const std::uint64_t number = draw_index(random, last + 1);
    if (!chosen.insert(number).second) chosen.insert(last);
  }
  return {chosen.begin(), chosen.end()};
}

std::string factors(const std::vector<Axis>& axes) {
  std::string text;
  for (const Axis& axis : axes) text += fmt::format("{}{} {}", text.empty() ? "" : " x ", axis.size(), axis.name);
  return text;
}

}  // namespace

Space::Space(const SweepSpec& spec, std::uint64_t most) : spec_(spec) {
  const std::uint64_t all = crossed(spec.axes);
  size_ = spec.sample ? std::min(spec.sample->count, all) : all;
  const std::uint64_t limit = most > 0 ? most : spec.limits.points;
  if (size_ > limit) {
    throw Error({Diagnostic{spec.file, 0, 0, spec.sample ? "sample.count" : "axes",
                            fmt::format("{}{} points ({}) are more than the limit of {}",
                                        all == kUncountable ? "more than " : "", size_, factors(spec.axes), limit),
                            "use fewer values, a sample: {count: 1000, seed: 1}, or raise limits: {points: N}"}});
  }
  if (spec.sample && size_ < all) sampled_ = choose(all, *spec.sample);
}

std::vector<std::size_t> Space::steps(std::uint64_t point) const {
  std::uint64_t rest = sampled_.empty() ? point : sampled_[point];
  std::vector<std::size_t> steps(spec_.axes.size());
  for (std::size_t i = steps.size(); i-- > 0;) {
    steps[i] = static_cast<std::size_t>(rest % spec_.axes[i].size());
    rest /= spec_.axes[i].size();
  }
  return steps;
}

std::vector<Assignment> Space::assignments_of(const std::vector<std::size_t>& steps) const {
  std::vector<Assignment> list;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const AxisColumn& column : spec_.axes[i].columns) {
      list.push_back({column.target, column.key, column.values[steps[i]]});
    }
  }
  return list;
}

std::vector<Assignment> Space::assignments(std::uint64_t point) const {
  return assignments_of(steps(point));
}

}  // namespace kb::sweep
