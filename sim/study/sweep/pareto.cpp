#include "sim/study/sweep/pareto.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

namespace kb::sweep {

// A row that dominates another one comes before it in lexicographic order. A dominated row need not be compared with,
// because the row that dominates it dominates the other one, too. With two costs the last row of the front has the
// least second cost so far, so that it alone decides.
std::vector<bool> on_pareto_front(const std::vector<std::vector<double>>& costs) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  std::vector<bool> on(costs.size(), false);
  std::vector<std::size_t> front;
  for (const std::size_t row : order) {
    const std::vector<double>& cost = costs[row];
    const auto dominates = [&](std::size_t other) {
      return costs[other] != cost &&
             std::equal(cost.begin(), cost.end(), costs[other].begin(), std::greater_equal<double>());
    };
    const auto begin = cost.size() == 2 && !front.empty() ? front.end() - 1 : front.begin();
    if (std::any_of(begin, front.end(), dominates)) continue;
    on[row] = true;
    front.push_back(row);
  }
  return on;
}

}  // namespace kb::sweep
