// Maps address ranges to values; a later range replaces the parts of earlier ones that it covers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace kb::data {

// T needs ==; adjacent ranges with equal values are merged.
template <typename T>
class IntervalMap {
 public:
  bool empty() const { return ranges_.empty(); }
  std::size_t size() const { return ranges_.size(); }

  void erase(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end || ranges_.empty()) return;
    auto it = first_overlap(begin);
    while (it != ranges_.end() && it->first < end) {
      const std::uint64_t start = it->first;
      const Range range = it->second;
      it = ranges_.erase(it);
      if (start < begin) ranges_.emplace_hint(it, start, Range{begin, range.value});
      if (range.end > end) it = ranges_.emplace_hint(it, end, range);
    }
  }

  void assign(std::uint64_t begin, std::uint64_t end, const T& value) {
    if (begin >= end) return;
    erase(begin, end);
    auto next = ranges_.lower_bound(begin);
    if (next != ranges_.end() && next->first == end && next->second.value == value) {
      end = next->second.end;
      next = ranges_.erase(next);
    }
    if (next != ranges_.begin()) {
      auto previous = std::prev(next);
      if (previous->second.end == begin && previous->second.value == value) {
        previous->second.end = end;
        return;
      }
    }
    ranges_.emplace_hint(next, begin, Range{end, value});
  }

  // Calls visit(begin, end, value) for every part of a range inside [begin, end), ascending, until visit returns false.
  template <typename Visit>
  void for_each(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
    for (auto it = first_overlap(begin); it != ranges_.end() && it->first < end; ++it) {
      if (!visit(std::max(begin, it->first), std::min(end, it->second.end), it->second.value)) return;
    }
  }

 private:
  struct Range {
    std::uint64_t end;
    T value;
  };
  using Map = std::map<std::uint64_t, Range>;  // key: first address

  typename Map::const_iterator first_overlap(std::uint64_t begin) const {
    auto it = ranges_.upper_bound(begin);
    if (it != ranges_.begin() && std::prev(it)->second.end > begin) --it;
    return it;
  }
  typename Map::iterator first_overlap(std::uint64_t begin) {
    auto it = ranges_.upper_bound(begin);
    if (it != ranges_.begin() && std::prev(it)->second.end > begin) --it;
    return it;
  }

  Map ranges_;
};

}  // namespace kb::data
