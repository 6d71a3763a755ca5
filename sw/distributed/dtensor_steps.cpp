#include "sw/distributed/dtensor_steps.h"

#include <fmt/format.h>

#include <utility>

#include "platform/base/error.h"

namespace kb::sw {
namespace {

using Kind = Placement::Kind;

// Whether an axis splits `dim` before or after the change.
bool splits(const Placement& from, const Placement& to, int dim) {
  return from.is_shard(dim) || to.is_shard(dim);
}

// Whether an axis outside `axis` changes the split of `dim`.
bool outer_changes(const Placements& from, const Placements& to, std::size_t axis, int dim) {
  for (std::size_t outer = 0; outer < axis; ++outer) {
    if (from[outer] != to[outer] && splits(from[outer], to[outer], dim)) return true;
  }
  return false;
}

// Whether no other axis splits the two dimensions, except outer ones that do not change.
bool one_exchange_does(const Placements& from, const Placements& to, std::size_t axis) {
  for (std::size_t other = 0; other < from.size(); ++other) {
    if (other == axis || !(from[other].kind == Kind::shard || to[other].kind == Kind::shard)) continue;
    if (other > axis || from[other] != to[other]) return false;
  }
  return true;
}

}  // namespace

std::vector<PlacementStep> redistribution(const Placements& from, const Placements& to) {
  std::vector<PlacementStep> steps;
  Placements now = from;
  const auto change = [&](std::size_t axis, const Placement& next) {
    if (now[axis] == next) return;
    steps.push_back({static_cast<int>(axis), next});
    now[axis] = next;
  };
  for (std::size_t axis = 0; axis < now.size(); ++axis) {
    if (now[axis].kind == Kind::partial && now[axis] != to[axis] && to[axis].kind != Kind::shard) {
      change(axis, Placement::replicate());
    }
  }
  for (std::size_t axis = now.size(); axis-- > 0;) {
    if (now[axis].kind != Kind::shard) continue;
    const bool stays = now[axis] == to[axis] && !outer_changes(from, to, axis, now[axis].dim);
    const bool exchanged = now[axis] != to[axis] && to[axis].kind == Kind::shard && one_exchange_does(from, to, axis);
    if (!stays && !exchanged) change(axis, Placement::replicate());
  }
  for (std::size_t axis = 0; axis < now.size(); ++axis) change(axis, to[axis]);
  return steps;
}

void require_placements(const DeviceMesh& mesh, const Placements& placements, const std::string& what) {
  const auto refuse = [&](const std::string& text) {
    throw Error::program("SCHEMA_ERROR", fmt::format("{} {}: {}", what, to_string(placements), text));
  };
  if (static_cast<int>(placements.size()) != mesh.axes()) {
    refuse(fmt::format("{} placements on a mesh of {} axes; give one per axis", placements.size(), mesh.axes()));
  }
  std::string op;
  for (const Placement& placement : placements) {
    if (placement.kind == Kind::shard && (placement.dim < 0 || placement.dim > 1)) {
      refuse(fmt::format("there is no dimension {}; 0 are the rows, 1 the columns", placement.dim));
    }
    if (placement.kind != Kind::partial) continue;
    require_reduction("Placement::partial", placement.op);
    if (!op.empty() && op != placement.op)
      refuse(fmt::format("partials of '{}' and of '{}' cannot be mixed", op, placement.op));
    op = placement.op;
  }
}

TileShape part_of(const DeviceMesh& mesh, const Placements& placements, TileShape whole, const std::string& what) {
  for (const int dim : {0, 1}) {
    std::int64_t parts = 1;
    for (int axis = 0; axis < mesh.axes(); ++axis) {
      if (placements[static_cast<std::size_t>(axis)].is_shard(dim)) parts *= mesh.axis(axis).size;
    }
    std::int64_t& size = dim == 0 ? whole.rows : whole.cols;
    if (size % parts != 0) {
      throw Error::program(
          "SHAPE_ERROR", fmt::format("{} {}: {} {} of a cube cannot be divided into {} equal parts; make it a multiple "
                                     "of {}",
                                     what, to_string(placements), size, dim == 0 ? "rows" : "columns", parts, parts));
    }
    size /= parts;
  }
  return whole;
}

CollectiveOptions TileMover::how() const {
  CollectiveOptions options;
  options.purpose = purpose_;
  return options;
}

Tensor TileMover::make(TileShape tile, bool zeros) const {
  DPPolicy policy;
  policy.cube = Split::row_wise;
  policy.num_cubes = cubes_;
  policy.num_pes = 1;
  const Shape shape{cubes_ * tile.rows, tile.cols};
  return zeros ? mesh_.runtime().zeros(shape, dtype_, policy) : mesh_.runtime().empty(shape, dtype_, policy);
}

Tensor TileMover::moved(const Tensor& in, TileShape out, const Blocks& b) const {
  const Tensor result = make(out);
  LaunchOptions launch;
  launch.pes = std::vector<int>{0};
  launch.label = purpose_;
  Runtime& runtime = mesh_.runtime();
  runtime.wait(runtime.launch("tile_blocks",
                              {{"in", in},
                               {"out", result},
                               {"blocks", b.count},
                               {"rows", b.rows},
                               {"cols", b.cols},
                               {"in_start", b.in.start},
                               {"in_step", b.in.step},
                               {"in_stride", b.in.stride},
                               {"out_start", b.out.start},
                               {"out_step", b.out.step},
                               {"out_stride", b.out.stride}},
                              launch));
  return result;
}

// (rows, cols) -> `parts` contiguous matrices of (rows, cols / parts).
Tensor TileMover::split_columns(const Tensor& in, TileShape tile, std::int64_t parts) const {
  const std::int64_t cols = tile.cols / parts;
  return moved(in, tile, {parts, tile.rows, cols, {0, cols, tile.cols}, {0, tile.rows * cols, cols}});
}

// `parts` contiguous matrices of shape `part` -> one matrix with their columns joined.
Tensor TileMover::join_columns(const Tensor& in, TileShape part, std::int64_t parts) const {
  const std::int64_t cols = part.cols * parts;
  return moved(in, {part.rows, cols},
               {parts, part.rows, part.cols, {0, part.rows * part.cols, part.cols}, {0, part.cols, cols}});
}

Tensor TileMover::gather(const Tensor& in, TileShape tile, int axis, int dim) const {
  const Tensor blocks = make({tile.rows * size(axis), tile.cols});
  mesh_.group(axis).all_gather(blocks, in, how());
  return dim == 0 ? blocks : join_columns(blocks, tile, size(axis));
}

Tensor TileMover::slice(const Tensor& in, TileShape tile, int axis, int dim) const {
  const TileShape part{tile.rows / (dim == 0 ? size(axis) : 1), tile.cols / (dim == 1 ? size(axis) : 1)};
  const std::int64_t start = mesh_.coordinate(axis) * (dim == 0 ? part.rows * tile.cols : part.cols);
  return moved(in, part, {1, part.rows, part.cols, {start, 0, tile.cols}, {0, 0, part.cols}});
}

// Shard of one dimension -> shard of the other.
Tensor TileMover::exchange(const Tensor& in, TileShape tile, int axis, int to_dim) const {
  const std::int64_t n = size(axis);
  if (to_dim == 1) {
    const Tensor out = make({tile.rows * n, tile.cols / n});
    mesh_.group(axis).all_to_all(out, split_columns(in, tile, n), how());
    return out;
  }
  const Tensor blocks = make(tile);
  mesh_.group(axis).all_to_all(blocks, in, how());
  return join_columns(blocks, {tile.rows / n, tile.cols}, n);
}

// Partial -> replicate or shard.
Tensor TileMover::combine(const Tensor& in, TileShape tile, const Placement& from, const PlacementStep& step) const {
  const std::int64_t n = size(step.axis);
  Communicator& group = mesh_.group(step.axis);
  if (step.to.kind == Kind::replicate) {
    const Tensor out = make(tile);
    group.all_reduce_ranks(out, in, from.op, how());
    return out;
  }
  const bool columns = step.to.is_shard(1);
  const Tensor out = make({columns ? tile.rows : tile.rows / n, columns ? tile.cols / n : tile.cols});
  group.reduce_scatter(out, columns ? split_columns(in, tile, n) : in, from.op, how());
  return out;
}

Tensor TileMover::to_partial(const Tensor& in, TileShape tile, const PlacementStep& step) const {
  return step.to.op != "sum" || mesh_.coordinate(step.axis) == 0 ? in : make(tile, true);
}

Tensor TileMover::change(const Tensor& in, TileShape tile, const Placement& from, const PlacementStep& step) const {
  if (size(step.axis) == 1) return in;
  switch (from.kind) {
    case Kind::partial:
      return combine(in, tile, from, step);
    case Kind::shard:
      return step.to.kind == Kind::shard ? exchange(in, tile, step.axis, step.to.dim)
                                         : gather(in, tile, step.axis, from.dim);
    case Kind::replicate:
      break;
  }
  return step.to.kind == Kind::shard ? slice(in, tile, step.axis, step.to.dim) : to_partial(in, tile, step);
}

Tensor TileMover::spread(const Tensor& in, TileShape tile, const PlacementStep& step) const {
  const std::int64_t n = size(step.axis);
  if (n == 1) return in;
  Communicator& group = mesh_.group(step.axis);
  const bool first = mesh_.coordinate(step.axis) == 0;
  if (step.to.kind == Kind::replicate) {
    const Tensor out = first ? in : make(tile);
    group.broadcast(out, 0, how());
    return out;
  }
  const bool columns = step.to.dim == 1;
  const Tensor out = make({columns ? tile.rows : tile.rows / n, columns ? tile.cols / n : tile.cols});
  group.scatter(out, !first ? Tensor() : columns ? split_columns(in, tile, n) : in, 0, how());
  return out;
}

}  // namespace kb::sw
