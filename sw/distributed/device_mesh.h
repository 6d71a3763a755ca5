// The ranks of a run as a grid with named axes, and the groups along each of them.
#pragma once

#include <string>
#include <vector>

#include "sw/distributed/process_group.h"

namespace kb::sw {

struct MeshAxis {
  std::string name;  // "dp"
  int size = 1;
};

// Ranks in row-major order, the last axis counting fastest: with axes {"dp", 2}, {"tp", 3} over ranks 0 to 5, rank 4
// has the coordinates dp = 1, tp = 1 and works along "tp" with ranks 3 and 5, along "dp" with rank 1. On a SIP grid of
// the same shape the groups of the last axis are its rows. Every group is one of ProcessGroup::new_group, whose errors
// and life it shares; in a group, members are in the order of their coordinate.
class DeviceMesh {
 public:
  // Over all ranks, or over the given ones. Main program only. SCHEMA_ERROR when axes have no name, a name twice, a
  // size below 1, or sizes whose product is not the number of ranks.
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

  // The place of the calling rank; COLLECTIVE_ERROR when it is not in the mesh.
  int coordinate(int axis) const;
  int coordinate(const std::string& axis) const { return coordinate(axis_index(axis)); }
  Communicator& group(int axis) const;
  Communicator& group(const std::string& axis) const { return group(axis_index(axis)); }

 private:
  int place() const;           // of the caller among ranks_
  int stride(int axis) const;  // between the places of neighbours
  void make_groups(int axis);

  ProcessGroup& world_;
  std::vector<MeshAxis> axes_;
  std::vector<int> ranks_;
  std::vector<std::vector<Communicator*>> groups_;  // by axis and place
};

}  // namespace kb::sw
