// The Pareto front of a sweep's table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep_spec.h"
#include "sim/study/sweep/table.h"

namespace kb::sweep {

struct Front {
  std::vector<std::size_t> rows;        // rows on the front, the best of the first objective first
  std::vector<std::optional<bool>> on;  // per row; no value where it could not be compared
  // Numbers of rows; together they are all rows.
  std::uint64_t compared = 0, failed = 0, missing = 0, no_value = 0;
};

// The front is empty without objectives. A row takes part when its point is ok and has a number in the column of each
// objective.
Front front_of(const SweepSpec& spec, const Table& table);

// Column of the table: true, false, or null where a row was not compared.
inline constexpr const char* kFrontColumn = "pareto";

// Returns the rows of the front with all columns.
std::string front_csv(const Table& table, const Front& front);
// Returns a short table of objectives and axes, and the number of rows that were not compared.
std::string front_text(const SweepSpec& spec, const Table& table, const Front& front);

}  // namespace kb::sweep
