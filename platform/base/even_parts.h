// Division of a range into consecutive parts of almost equal size.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kb {

// `total` elements in `parts` >= 1 parts; the first parts have one element more when the division has a remainder. This
// is how tensors are split over cubes and PEs.
class EvenParts {
 public:
  constexpr EvenParts(std::int64_t total, std::int64_t parts) : total_(total), parts_(parts) {}

  constexpr std::int64_t first(std::int64_t part) const {
    return part * (total_ / parts_) + std::min(part, total_ % parts_);
  }
  constexpr std::int64_t size(std::int64_t part) const { return first(part + 1) - first(part); }
  // Part of an element, 0 <= element < total.
  constexpr std::int64_t part_of(std::int64_t element) const {
    const std::int64_t size = total_ / parts_, longer = total_ % parts_ * (size + 1);
    return element < longer ? element / (size + 1) : total_ % parts_ + (element - longer) / size;
  }
  constexpr std::int64_t largest() const { return (total_ + parts_ - 1) / parts_; }

 private:
  std::int64_t total_, parts_;
};

}  // namespace kb
