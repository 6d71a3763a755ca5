// The ranks of a run as a grid with named axes, and the groups along each axis.
#pragma once

#include <string>
#include <vector>

#include "sw/distributed/process_group.h"

namespace kb::sw {

struct MeshAxis {
  std::string name;  // "dp"
  int size = 1;
};

// Ranks are in row-major order, with the last axis counting fastest: with axes {"dp", 2}, {"tp", 3} over ranks 0 to 5,
// rank 4 has the coordinates dp = 1, tp = 1, and its groups are ranks 3, 4, 5 along "tp" and ranks 1, 4 along "dp". On
// a SIP grid of the same shape, the groups of the last axis are its rows. Every group is created by
// ProcessGroup::new_group, with its errors and lifetime; its members are in the order of their coordinate.
class DeviceMesh {
 public:
  // A mesh over all ranks, or over the given ones. Only for the main program. SCHEMA_ERROR when an axis has no name, a
  // duplicate name or a size below 1, or when the product of the sizes is not the number of ranks.
  DeviceMesh(ProcessGroup& world, std::vector<MeshAxis> axes);
  DeviceMesh(ProcessGroup& world, std::vector<MeshAxis> axes, std::vector<int> ranks);
  DeviceMesh(const DeviceMesh&) = delete;
  DeviceMesh& operator=(const DeviceMesh&) = delete;

  int axes() const { return static_cast<int>(axes_.size()); }
  const MeshAxis& axis(int index) const { return axes_.at(static_cast<std::size_t>(index)); }
  int axis_index(const std::string& name) const;  // SCHEMA_ERROR with the nearest name
  const std::vector<int>& ranks() const { return ranks_; }
  bool has(int rank) const;
  Runtime& runtime() const { return world_.runtime(); }

  // Coordinate of the calling rank; COLLECTIVE_ERROR when it is not in the mesh.
  int coordinate(int axis) const;
  int coordinate(const std::string& axis) const { return coordinate(axis_index(axis)); }
  Communicator& group(int axis) const;
  Communicator& group(const std::string& axis) const { return group(axis_index(axis)); }

 private:
  int place() const;           // index of the caller in ranks_
  int stride(int axis) const;  // distance of neighbours in ranks_
  void make_groups(int axis);

  ProcessGroup& world_;
  std::vector<MeshAxis> axes_;
  std::vector<int> ranks_;
  std::vector<std::vector<Communicator*>> groups_;  // indexed by axis and place
};

}  // namespace kb::sw
