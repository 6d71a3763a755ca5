// Tensors that are spread over a device mesh: what each rank holds follows from placements (K-81).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sw/distributed/device_mesh.h"
#include "sw/tensor/host_array.h"
#include "sw/tensor/tensor.h"

namespace kb::sw {

// What one axis of a mesh does with a tensor.
struct Placement {
  enum class Kind : std::uint8_t { replicate, shard, partial };
  Kind kind = Kind::replicate;
  int dim = 0;     // of a shard: 0 rows, 1 columns
  std::string op;  // of a partial

  static Placement replicate() { return {}; }                         // every member has all of it
  static Placement shard(int dim) { return {Kind::shard, dim, ""}; }  // member i has the i-th part
  static Placement partial(const std::string& op = "sum") { return {Kind::partial, 0, op}; }  // to be combined yet

  bool is_shard(int of_dim) const { return kind == Kind::shard && dim == of_dim; }
  friend bool operator==(const Placement& a, const Placement& b) {
    return a.kind == b.kind && a.dim == b.dim && a.op == b.op;
  }
  friend bool operator!=(const Placement& a, const Placement& b) { return !(a == b); }
};
using Placements = std::vector<Placement>;            // one per axis of the mesh
std::string to_string(const Placements& placements);  // "[Shard(0), Partial(sum)]"

struct DTensorOptions {
  // Cubes of each SIP that hold it. With more than one, the rows of the whole tensor are dealt to the cubes first, and
  // placements split what each cube has: a rank's part of shard(0) is then no longer one run of rows.
  int cubes = 1;
  std::string name;  // for messages
};

// A handle, cheap to copy, of one rank's part; nothing here changes the part of an existing one. Shapes have two
// dimensions. When several axes shard one dimension, the earlier axis splits first. Calls that move data are
// collective: every rank of the mesh makes them, in the same order. Program Errors: SCHEMA_ERROR for placements that do
// not fit the mesh, partials of several operations and dimensions that do not exist, SHAPE_ERROR naming dimension, size
// and parts when a dimension is not divided evenly, those of Communicator.
class DTensor {
 public:
  const Shape& shape() const { return shape_; }
  Dtype dtype() const { return local_.dtype(); }
  const DeviceMesh& mesh() const { return *mesh_; }
  const Placements& placements() const { return placements_; }
  const DTensorOptions& options() const { return options_; }
  // What this rank has: one tile on PE 0 of each cube, row_wise.
  const Tensor& local() const { return local_; }

  // The same tensor otherwise placed. Axis by axis: partial -> replicate by all_reduce_ranks, partial -> shard by
  // reduce_scatter, shard -> replicate by all_gather, shard(i) -> shard(j) by all_to_all; replicate -> shard and
  // replicate
  // -> partial need no message (partial of a sum: member 0 keeps it, the others have zeros). An inner axis that shards
  // a dimension whose split by an outer axis changes is gathered first and split again. Moving columns inside a tile is
  // done by the kernel tile_blocks. Axes of size 1 move nothing.
  DTensor redistribute(const Placements& placements) const;
  // All of it, on every rank: redistributed to replicate, then read.
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

// Spreads values that every rank has on its host: each writes its own part, no messages. A partial cannot be made so.
// The mesh lives longer than the tensor.
DTensor distribute_tensor(DeviceMesh& mesh, const HostArray& values, const Placements& placements,
                          const DTensorOptions& options = {});
// Spreads a tensor that the first rank of the mesh has on its SIP, in the layout of DTensor::local(); elsewhere
// `tensor` is not looked at and may be empty. Uses scatter and broadcast, axis by axis.
DTensor distribute_tensor(DeviceMesh& mesh, const Tensor& tensor, const Shape& shape, Dtype dtype,
                          const Placements& placements, const DTensorOptions& options = {});
// What every rank has, seen as one tensor; the ranks' parts are not checked against each other. LAYOUT_ERROR when a
// part has not the layout of DTensor::local().
DTensor from_local(DeviceMesh& mesh, const Tensor& local, const Placements& placements, const std::string& name = "");

}  // namespace kb::sw
