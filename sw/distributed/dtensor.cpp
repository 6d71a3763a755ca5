#include "sw/distributed/dtensor.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "platform/base/error.h"
#include "sw/distributed/dtensor_steps.h"
#include "sw/distributed/tile_layout.h"

namespace kb::sw {
namespace {

using Kind = Placement::Kind;

std::string described(const std::string& name, const Shape& shape) {
  return name.empty() ? format_shape(shape) : fmt::format("'{}' {}", name, format_shape(shape));
}

void require_options(const DeviceMesh& mesh, const DTensorOptions& options, const std::string& what) {
  const int cubes = mesh.runtime().machine().cubes_per_sip;
  if (options.cubes >= 1 && options.cubes <= cubes) return;
  throw Error::program("SCHEMA_ERROR", fmt::format("{} on {} cubes; a SIP has 1 to {}", what, options.cubes, cubes));
}

// The part of each cube before placements split it.
TileShape whole_tile(const Shape& shape, int cubes, const std::string& what) {
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1) {
    throw Error::program("SHAPE_ERROR", what + ": a distributed tensor has two dimensions of at least 1");
  }
  if (shape[0] % cubes != 0) {
    throw Error::program("SHAPE_ERROR",
                         fmt::format("{}: {} rows cannot be divided over {} cubes; make it a multiple of "
                                     "{}",
                                     what, shape[0], cubes, cubes));
  }
  return {shape[0] / cubes, shape[1]};
}

// Index of the calling rank's part of a dimension; an earlier axis splits first.
std::int64_t part_index(const DeviceMesh& mesh, const Placements& placements, int dim) {
  std::int64_t index = 0;
  for (int axis = 0; axis < mesh.axes(); ++axis) {
    if (!placements[static_cast<std::size_t>(axis)].is_shard(dim)) continue;
    index = index * mesh.axis(axis).size + mesh.coordinate(axis);
  }
  return index;
}

// The calling rank's part of `values`.
HostArray local_values(const DeviceMesh& mesh, const HostArray& values, const Placements& placements, int cubes,
                       TileShape whole, TileShape part) {
  const Shape shape{cubes * part.rows, part.cols};
  if (values.placeholder() || values.bytes().empty()) return HostArray::unknown(shape, values.dtype());
  HostArray local(shape, values.dtype());
  const std::size_t item = item_size(values.dtype()), row_bytes = static_cast<std::size_t>(part.cols) * item;
  const std::int64_t first_row = part_index(mesh, placements, 0) * part.rows;
  const std::int64_t first_col = part_index(mesh, placements, 1) * part.cols;
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    const std::int64_t from = row / part.rows * whole.rows + first_row + row % part.rows;
    std::memcpy(local.bytes().data() + static_cast<std::size_t>(row) * row_bytes,
                values.bytes().data() + static_cast<std::size_t>(from * whole.cols + first_col) * item, row_bytes);
  }
  return local;
}

// Number of cubes of a tensor in the layout of DTensor::local().
int cubes_of(const DeviceMesh& mesh, const Tensor& tensor, const std::string& what) {
  if (tensor.deployed() && tensor.shape().size() != 2) {
    throw layout_error(tensor, "a distributed tensor has two dimensions");
  }
  TileRule rule;
  rule.any = true;
  const TileLayout layout = tile_layout(tensor, mesh.runtime().machine(), rule, what);
  for (int cube = 0; cube < layout.tiles; ++cube) {
    const auto index = static_cast<std::size_t>(cube);
    if (layout.cubes[index] == cube && tensor.placement()[index].cols == tensor.shape()[1]) continue;
    throw layout_error(tensor,
                       "a distributed tensor has rows on PE 0 of cubes 0, 1, ...; give it DPPolicy{cube = "
                       "row_wise, num_pes = 1}");
  }
  return layout.tiles;
}

void require_no_partial(const Placements& placements, const std::string& what) {
  for (const Placement& placement : placements) {
    if (placement.kind != Kind::partial) continue;
    throw Error::program("SCHEMA_ERROR",
                         fmt::format("{} {}: values cannot be distributed as a partial; distribute them "
                                     "replicated and redistribute, or use from_local",
                                     what, to_string(placements)));
  }
}

}  // namespace

std::string to_string(const Placements& placements) {
  std::string text;
  for (const Placement& placement : placements) {
    if (!text.empty()) text += ", ";
    text += placement.kind == Kind::replicate ? "Replicate"
            : placement.kind == Kind::shard   ? fmt::format("Shard({})", placement.dim)
                                              : fmt::format("Partial({})", placement.op);
  }
  return "[" + text + "]";
}

DTensor distribute_tensor(DeviceMesh& mesh, const HostArray& values, const Placements& placements,
                          const DTensorOptions& options) {
  const std::string what = "distribute_tensor of " + described(options.name, values.shape());
  require_placements(mesh, placements, what);
  require_no_partial(placements, what);
  require_options(mesh, options, what);
  const TileShape whole = whole_tile(values.shape(), options.cubes, what);
  const TileShape part = part_of(mesh, placements, whole, what);
  const Tensor local = TileMover(mesh, options.cubes, values.dtype(), what).make(part);
  local.copy_(local_values(mesh, values, placements, options.cubes, whole, part));
  return {mesh, values.shape(), placements, options, local};
}

DTensor distribute_tensor(DeviceMesh& mesh, const Tensor& tensor, const Shape& shape, Dtype dtype,
                          const Placements& placements, const DTensorOptions& options) {
  const std::string what = "distribute_tensor of " + described(options.name, shape);
  require_placements(mesh, placements, what);
  require_no_partial(placements, what);
  require_options(mesh, options, what);
  const TileShape whole = whole_tile(shape, options.cubes, what);
  part_of(mesh, placements, whole, what);
  const TileMover mover(mesh, options.cubes, dtype, fmt::format("{} {}", what, to_string(placements)));
  int last = mesh.axes();  // later axes are at their first coordinate
  while (last > 0 && mesh.coordinate(last - 1) == 0) --last;
  Tensor local = last == 0 ? tensor : Tensor();
  if (last == 0 && (!tensor.deployed() || tensor.shape() != shape || tensor.dtype() != dtype)) {
    throw Error::program("TENSOR_ERROR",
                         fmt::format("{}: the first rank of the mesh needs a tensor on the device of that "
                                     "shape, {}",
                                     what, dtype_name(dtype)));
  }
  if (last == 0 && cubes_of(mesh, tensor, what) != options.cubes) {
    throw layout_error(tensor, fmt::format("it lies on {} cubes, but DTensorOptions::cubes is {}",
                                           tensor.placement().size(), options.cubes));
  }
  Placements now(placements.size());
  for (int axis = 0; axis < mesh.axes(); ++axis) {
    const TileShape tile = part_of(mesh, now, whole, what);
    const Placement& to = placements[static_cast<std::size_t>(axis)];
    if (axis + 1 >= last) local = mover.spread(local, tile, {axis, to});
    now[static_cast<std::size_t>(axis)] = to;
  }
  return {mesh, shape, placements, options, local};
}

DTensor from_local(DeviceMesh& mesh, const Tensor& local, const Placements& placements, const std::string& name) {
  DTensorOptions options;
  options.cubes = cubes_of(mesh, local, "from_local");
  options.name = name;
  require_placements(mesh, placements, "from_local of '" + local.name() + "'");
  Shape shape = local.shape();
  for (int axis = 0; axis < mesh.axes(); ++axis) {
    const Placement& placement = placements[static_cast<std::size_t>(axis)];
    if (placement.kind == Kind::shard) shape[static_cast<std::size_t>(placement.dim)] *= mesh.axis(axis).size;
  }
  return {mesh, shape, placements, options, local};
}

DTensor DTensor::redistribute(const Placements& placements) const {
  const std::string what = "redistribute of " + described(options_.name, shape_);
  require_placements(*mesh_, placements, what);
  const TileShape whole = whole_tile(shape_, options_.cubes, what);
  part_of(*mesh_, placements, whole, what);
  const TileMover mover(*mesh_, options_.cubes, dtype(),
                        fmt::format("{} {} to {}", what, to_string(placements_), to_string(placements)));
  Tensor local = local_;
  Placements now = placements_;
  for (const PlacementStep& step : redistribution(placements_, placements)) {
    Placement& of_axis = now[static_cast<std::size_t>(step.axis)];
    local = mover.change(local, part_of(*mesh_, now, whole, what), of_axis, step);
    of_axis = step.to;
  }
  return {*mesh_, shape_, placements, options_, local};
}

HostArray DTensor::full_tensor() const {
  return redistribute(Placements(placements_.size())).local_.to_host();
}

}  // namespace kb::sw
