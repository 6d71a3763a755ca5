// Distributed tensors on a device mesh, with placements per axis (K-81).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sw/distributed/device_mesh.h"
#include "sw/tensor/host_array.h"
#include "sw/tensor/tensor.h"

namespace kb::sw {

// Placement of a tensor along one axis of a mesh.
struct Placement {
  enum class Kind : std::uint8_t { replicate, shard, partial };
  Kind kind = Kind::replicate;
  int dim = 0;     // of a shard: 0 = rows, 1 = columns
  std::string op;  // of a partial: the operation that combines the parts

  static Placement replicate() { return {}; }                         // every member has the whole tensor
  static Placement shard(int dim) { return {Kind::shard, dim, ""}; }  // member i has the i-th part
  static Placement partial(const std::string& op = "sum") { return {Kind::partial, 0, op}; }  // not combined yet

  bool is_shard(int of_dim) const { return kind == Kind::shard && dim == of_dim; }
  friend bool operator==(const Placement& a, const Placement& b) {
    return a.kind == b.kind && a.dim == b.dim && a.op == b.op;
  }
  friend bool operator!=(const Placement& a, const Placement& b) { return !(a == b); }
};
using Placements = std::vector<Placement>;            // one per axis of the mesh
std::string to_string(const Placements& placements);  // "[Shard(0), Partial(sum)]"

struct DTensorOptions {
  // Cubes of each SIP that hold the tensor. With more than one, the rows of the whole tensor are distributed over the
  // cubes first, and placements split the part of each cube; a rank's part of shard(0) is then not a contiguous range
  // of rows.
  int cubes = 1;
  std::string name;  // for messages
};

// A cheaply copyable handle of one rank's part; the part never changes. Shapes have two dimensions. When several axes
// shard one dimension, the earlier axis splits first. Calls that move data are collective: every rank of the mesh calls
// them, in the same order. Program Errors: SCHEMA_ERROR for placements that do not fit the mesh, partials with
// different operations, and unknown dimensions; SHAPE_ERROR with dimension, size and parts when a dimension does not
// divide evenly; those of Communicator.
class DTensor {
 public:
  const Shape& shape() const { return shape_; }
  Dtype dtype() const { return local_.dtype(); }
  const DeviceMesh& mesh() const { return *mesh_; }
  const Placements& placements() const { return placements_; }
  const DTensorOptions& options() const { return options_; }
  // This rank's part: one tile on PE 0 of each cube, row_wise.
  const Tensor& local() const { return local_; }

  // The same tensor with other placements. Axis by axis: partial -> replicate by all_reduce_ranks, partial -> shard by
  // reduce_scatter, shard -> replicate by all_gather, shard(i) -> shard(j) by all_to_all; replicate -> shard and
  // replicate -> partial need no message (partial of a sum: member 0 keeps the values, the others have zeros). If the
  // split of a dimension by an outer axis changes, an inner axis that shards the same dimension is gathered first and
  // split again. The kernel tile_blocks moves columns inside a tile. Axes of size 1 move no data.
  DTensor redistribute(const Placements& placements) const;
  // The whole tensor on every rank: redistributed to replicate, then read.
  HostArray full_tensor() const;

 private:
  friend DTensor distribute_tensor(DeviceMesh&, const HostArray&, const Placements&, const DTensorOptions&);
  friend DTensor distribute_tensor(DeviceMesh&, const Tensor&, const Shape&, Dtype, const Placements&,
                                   const DTensorOptions&);
  friend DTensor from_local(DeviceMesh&, const Tensor&, const Placements&, const std::string&);
  DTensor(const DeviceMesh& mesh, Shape shape, Placements placements, DTensorOptions options, Tensor local)
      : mesh_(&mesh),
        shape_(std::move(shape)),
        placements_(std::move(placements)),
        options_(std::move(options)),
        local_(std::move(local)) {}

  const DeviceMesh* mesh_;
  Shape shape_;
  Placements placements_;
  DTensorOptions options_;
  Tensor local_;
};

// Distributes values that every rank has on its host: each rank writes its own part, without messages. It cannot create
// a partial. The mesh must outlive the tensor.
DTensor distribute_tensor(DeviceMesh& mesh, const HostArray& values, const Placements& placements,
                          const DTensorOptions& options = {});
// Distributes a tensor that the first rank of the mesh has on its SIP, in the layout of DTensor::local(); on other
// ranks `tensor` is not used and may be empty. Uses scatter and broadcast, axis by axis.
DTensor distribute_tensor(DeviceMesh& mesh, const Tensor& tensor, const Shape& shape, Dtype dtype,
                          const Placements& placements, const DTensorOptions& options = {});
// Combines the parts of all ranks to one tensor, without checking that they are consistent. LAYOUT_ERROR when a part
// does not have the layout of DTensor::local().
DTensor from_local(DeviceMesh& mesh, const Tensor& local, const Placements& placements, const std::string& name = "");

}  // namespace kb::sw
