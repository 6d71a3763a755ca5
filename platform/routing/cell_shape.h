// Distances inside one cell of the fabric: the router mesh of a cube, or what joins the ports of IO chiplets.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "platform/routing/cost.h"

namespace kb::routing {

// The inside of a cell in terms of local node indexes, shared by all cells that look alike.
class CellShape {
 public:
  struct Link {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::int64_t weight = 0;
    bool horizontal = false;  // a mesh edge along a row
  };

  CellShape(std::uint32_t nodes, const std::vector<Link>& links);

  const std::vector<Link>& links_from(std::uint32_t node) const { return out_[node]; }
  // [node]: least cost from there to `target`; computed on first use.
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
