// Cells of the tables of a machine's launches: each is simulated once and stands for many steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace kb::profile {

enum class CellKind : std::uint8_t {
  products,     // a: tokens of a step. What depends on them alone; the parts are those of ProductPart
  ends,         // a: sequences of a step in which all decode: the head and the best token of each
  picked_ends,  // a: sequences, of which some have several new tokens, so that the head picks rows
  decodes,      // a: decodes, b: mean of their contexts with the new token; the parts are those of DecodePart
  chunks,       // a: new tokens of the chunks of a step, b: their tokens before it; attention of them
  sums,         // a: tokens. Sums over SIPs
};
inline constexpr std::size_t kCellKinds = 6;

// A launch counts with the gap before it, except for the first one of a step.
enum class ProductPart : std::uint8_t { embedding, qkv, rotation, o, gate_up, down, host };
inline constexpr std::size_t kProductParts = 7;
enum class DecodePart : std::uint8_t { attention, rotation };
inline constexpr std::size_t kDecodeParts = 2;

std::size_t parts_of(CellKind kind);
const char* cell_kind_name(CellKind kind);

struct Cell {
  CellKind kind = CellKind::products;
  std::int64_t a = 0, b = 0;

  friend bool operator<(const Cell& x, const Cell& y) {
    return std::tie(x.kind, x.a, x.b) < std::tie(y.kind, y.a, y.b);
  }
  friend bool operator==(const Cell& x, const Cell& y) { return x.kind == y.kind && x.a == y.a && x.b == y.b; }
};

// The two numbers of a grid between which a query lies; both are the query where it is on the grid.
struct Knots {
  std::int64_t low = 0, high = 0;
  double weight = 0.0;  // of the high one
};
// Tokens and sequences: every number up to 64. Products take longer with each 32 rows that begin, so that the grid has
// the first and the last number of each 32 up to 256 and of each 64 up to 512; beyond, where these steps are small, of
// each quarter of a doubling.
Knots count_knots(std::int64_t query);
// New tokens of chunks: multiples of 64 up to 512, below and beyond by doubling.
Knots chunk_knots(std::int64_t query);
// Contexts: 1, 16, 64, multiples of 128 up to 2048, then eight in each doubling.
Knots context_knots(std::int64_t query);
// Tokens before a chunk: 0, then from 128 on by doubling.
Knots past_knots(std::int64_t query);

// Whether count_knots() has this number as the first one of an interval.
bool begins_rows(std::int64_t count);

// All numbers of a grid from `least` to the first one that is not below `most`.
std::vector<std::int64_t> grid(Knots (*knots)(std::int64_t), std::int64_t least, std::int64_t most);

inline constexpr std::int64_t kExactCounts = 64;

}  // namespace kb::profile
