// Distances inside one cell of the fabric: the router mesh of a cube, or the nodes that connect the ports of IO
// chiplets.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "platform/routing/cost.h"

namespace kb::routing {

// The links of a cell between local node indices; equal cells share one shape.
class CellShape {
 public:
  struct Link {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::int64_t weight = 0;
    bool horizontal = false;  // a mesh edge within a row
  };

  CellShape(std::uint32_t nodes, const std::vector<Link>& links);

  const std::vector<Link>& links_from(std::uint32_t node) const { return out_[node]; }
  // Lowest cost from each node to `target`; computed on first use.
  const std::vector<Cost>& to(std::uint32_t target);

 private:
  std::vector<std::vector<Link>> out_, in_;
  std::vector<std::vector<Cost>> to_;
};

class CellShapePool {
 public:
  std::shared_ptr<CellShape> get(std::uint32_t nodes, const std::vector<CellShape::Link>& links);

 private:
  std::map<std::vector<std::int64_t>, std::shared_ptr<CellShape>> shapes_;
};

}  // namespace kb::routing
