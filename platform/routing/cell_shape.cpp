#include "platform/routing/cell_shape.h"

#include <queue>
#include <utility>

namespace kb::routing {

CellShape::CellShape(std::uint32_t nodes, const std::vector<Link>& links) : out_(nodes), in_(nodes), to_(nodes) {
  for (const Link& link : links) {
    out_[link.from].push_back(link);
    in_[link.to].push_back(link);
  }
}

const std::vector<Cost>& CellShape::to(std::uint32_t target) {
  std::vector<Cost>& costs = to_[target];
  if (!costs.empty()) return costs;
  costs.assign(out_.size(), Cost::none());
  costs[target] = Cost();
  using Entry = std::pair<Cost, std::uint32_t>;
  const auto later = [](const Entry& a, const Entry& b) { return b.first < a.first; };
  std::priority_queue<Entry, std::vector<Entry>, decltype(later)> open(later);
  open.push({Cost(), target});
  while (!open.empty()) {
    const auto [cost, node] = open.top();
    open.pop();
    if (costs[node] < cost) continue;
    for (const Link& link : in_[node]) {
      const Cost longer = cost + Cost::step(link.weight, 1);
      if (!(longer < costs[link.from])) continue;
      costs[link.from] = longer;
      open.push({longer, link.from});
    }
  }
  return costs;
}

std::shared_ptr<CellShape> CellShapePool::get(std::uint32_t nodes, const std::vector<CellShape::Link>& links) {
  std::vector<std::int64_t> key{nodes};
  for (const CellShape::Link& link : links) {
    key.insert(key.end(), {link.from, link.to, link.weight, link.horizontal ? 1 : 0});
  }
  std::shared_ptr<CellShape>& shape = shapes_[std::move(key)];
  if (shape == nullptr) shape = std::make_shared<CellShape>(nodes, links);
  return shape;
}

}  // namespace kb::routing
