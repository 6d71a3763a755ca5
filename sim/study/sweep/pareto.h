// The Pareto front of a set of rows.
#pragma once

#include <vector>

namespace kb::sweep {

// For each row, true when no other row dominates it. A row dominates another row when no cost is greater and at least
// one is less; equal rows are therefore on the front together. All rows have the same length and no NaN.
std::vector<bool> on_pareto_front(const std::vector<std::vector<double>>& costs);

}  // namespace kb::sweep
