// What the host and the kernel norm_linear agree on: how many rows are computed together, and by whom (K-209).
#pragma once

#include <algorithm>
#include <cstdint>

namespace kb::contract {

inline constexpr std::int64_t kNormLinearRows = 128;  // at a time, at most
// Bytes of W that stay in the scratch of a PE; more are read again for every block of rows.
inline constexpr std::int64_t kNormLinearResident = std::int64_t{640} << 10;

// y (rows, outputs) of W (outputs, k), or of `gates` such W, on `cubes` cubes with `pes` PEs each.
struct NormLinearShape {
  std::int64_t rows = 1, outputs = 1, gates = 1, cubes = 1, pes = 1;
  bool norm = false;           // in the same launch
  bool stores_copy = false;    // residual_out: every cube needs all rows
  std::int64_t row_bytes = 0;  // of a row of W in a PE

  // Cubes that share the rows of the input, next to each other in a row of the mesh: each computes its part of the rows
  // for the outputs of all of them.
  std::int64_t sharing_cubes() const;
  // Elements of `partials` for each PE, for so many rows at a time.
  std::int64_t partials(std::int64_t at_once = kNormLinearRows) const {
    const std::int64_t lines = gates * up(sharing_cubes() * up(outputs, cubes), pes) + (norm ? 1 : 0);
    return (rows > at_once ? 2 : 1) * pes * lines * std::min(rows, at_once);
  }

 private:
  static std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
};

// What crosses the busiest link, in rows of k: in a mesh of C = s^2 cubes, where each cube reads m / R rows of x from
// everywhere, s / 2 * s / 2 * s tiles of x / C between its halves, so m s / (4 R); in a line of R cubes that read each
// other's parts of W, n / C outputs each, R / 2 * R / 2 of them. The best power of two, at most s, has the smallest
// sum. The W of R cubes has to stay in scratch: read from other cubes for every block of rows, it takes longer than x.
inline std::int64_t NormLinearShape::sharing_cubes() const {
  if (stores_copy || outputs < cubes) return 1;
  std::int64_t side = 1;
  while ((side + 1) * (side + 1) <= cubes) ++side;
  // Times 4.
  const auto crossing = [&](std::int64_t r) {
    return side * up(rows, r) + (r == 1 ? 0 : r * r * gates * up(outputs, cubes));
  };
  std::int64_t best = 1;
  const std::int64_t bytes = gates * up(outputs, cubes) * row_bytes;
  for (std::int64_t r = 2; r <= side && cubes % r == 0 && rows >= r * kNormLinearRows / 2; r *= 2) {
    if (r * bytes <= kNormLinearResident && crossing(r) < crossing(best)) best = r;
  }
  return best;
}

}  // namespace kb::contract
