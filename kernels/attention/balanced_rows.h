// Distributes the rows of a matrix over ranks in pairs from both ends, so that a causal mask gives all ranks equal
// work.
#pragma once

#include <cstdint>

namespace kb::kernels {

struct RowRange {
  std::int64_t first = 0, count = 0;

  std::int64_t end() const { return first + count; }
};

// Two ranges of rows that are adjacent in memory or scratch. `high` has the later rows.
struct RowPair {
  RowRange low, high;

  std::int64_t count() const { return low.count + high.count; }
  std::int64_t operator[](std::int64_t i) const { return i < low.count ? low.first + i : high.first + i - low.count; }
  RowPair part(std::int64_t first, std::int64_t count) const;  // in the order of storage
  std::int64_t count_before(std::int64_t row) const;           // number of rows before `row`
};

// Rows 0 .. `rows` - 1 are cut into 2 n parts; the first parts have one row more when the division has a remainder.
// Rank r of n has parts r and 2 n - 1 - r. The shares of two ranks differ by at most one row.
class BalancedRows {
 public:
  BalancedRows(std::int64_t rows, std::int64_t ranks) : rows_(rows), parts_(2 * ranks) {}

  RowPair of(std::int64_t rank) const { return {part(rank), part(parts_ - 1 - rank)}; }
  std::int64_t most() const { return (rows_ + parts_ / 2 - 1) / (parts_ / 2); }  // maximum per rank
  std::int64_t most_of_part() const { return (rows_ + parts_ - 1) / parts_; }

 private:
  RowRange part(std::int64_t index) const;

  std::int64_t rows_, parts_;
};

}  // namespace kb::kernels
