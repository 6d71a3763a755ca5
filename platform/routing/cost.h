#pragma once

#include <cstdint>

namespace kb::routing {

// Cost of a route, compared lexicographically: weight (femtoseconds or micrometres, depending on the routing metric),
// number of nodes, number of changes of the connection index between ports.
struct Cost {
  std::int64_t weight = 0;
  std::uint64_t hops_and_changes = 0;  // hops << 32 | changes

  static constexpr Cost step(std::int64_t weight, std::uint32_t hops, bool change = false) {
    return {weight, (std::uint64_t{hops} << 32) | (change ? 1u : 0u)};
  }
  static constexpr Cost none() { return {INT64_MAX / 4, 0}; }  // leaves room for sums of a few costs
  constexpr bool reachable() const { return weight < INT64_MAX / 8; }

  friend constexpr Cost operator+(Cost a, Cost b) {
    return {a.weight + b.weight, a.hops_and_changes + b.hops_and_changes};
  }
  friend constexpr Cost operator-(Cost a, Cost b) {
    return {a.weight - b.weight, a.hops_and_changes - b.hops_and_changes};
  }
  friend constexpr bool operator==(Cost a, Cost b) {
    return a.weight == b.weight && a.hops_and_changes == b.hops_and_changes;
  }
  friend constexpr bool operator<(Cost a, Cost b) {
    return a.weight != b.weight ? a.weight < b.weight : a.hops_and_changes < b.hops_and_changes;
  }
};

}  // namespace kb::routing
