// The Pareto front of a set of rows.
#pragma once

#include <vector>

namespace kb::sweep {

// Tells for each row whether no other row dominates it. A row dominates another one when it costs no more in every
// place and less in at least one, so that equal rows are on the front together. All rows have the same length and no
// NaN.
std::vector<bool> on_pareto_front(const std::vector<std::vector<double>>& costs);

}  // namespace kb::sweep
