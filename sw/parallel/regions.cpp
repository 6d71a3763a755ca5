#include "sw/parallel/regions.h"

#include <fmt/format.h>

#include "platform/base/error.h"
#include "sw/parallel/layouts.h"

namespace kb::sw {
namespace {

// Converts a tensor that is split by columns to a tile per cube; returns it unchanged when no cube splits its tile.
Tensor cube_tiles(ModelParallel& mp, const Tensor& x, const std::string& name) {
  const ShardSpec& first = x.placement().front();
  const std::int64_t blocks = x.shape()[1] / first.cols;
  if (first.rows != x.shape()[0] || blocks != static_cast<std::int64_t>(x.placement().size())) {
    throw Error::program("LAYOUT_ERROR",
                         fmt::format("{}: tensor '{}' is split into blocks of {} of its {}; split it by rows, or by "
                                     "columns without copies (split_columns)",
                                     name, x.name(), format_shape({first.rows, first.cols}), format_shape(x.shape())));
  }
  DPPolicy policy = x.policy();
  if (policy.num_pes == 1) return x;
  policy.num_pes = 1;
  const Tensor out = mp.runtime().empty(x.shape(), x.dtype(), policy, x.name());
  mp.run(name + ": tiles", StepKind::layout, "collect_columns", {{"src", x}, {"dst", out}});
  return out;
}

// Whole rows from blocks of `width` columns of `ranks` ranks in each cube.
Tensor rows_of_blocks(ModelParallel& mp, const Tensor& x, std::int64_t width, int ranks, const std::string& name) {
  Runtime& rt = mp.runtime();
  const Tensor out = rt.empty(x.shape(), x.dtype(), copy_per_cube(rt.machine(), x.shape()[0]), x.name());
  mp.run(name, StepKind::layout, "gather_columns", {{"src", x}, {"dst", out}, {"width", width}, {"ranks", ranks}});
  return out;
}

}  // namespace

Tensor copy_to_region(ModelParallel&, const Tensor& x) {
  return x;
}

Tensor reduce_from_region(ModelParallel& mp, const Tensor& x, const std::string& name) {
  mp.require_tensor(name, x, x.deployed() ? x.dtype() : Dtype::f16);
  mp.all_reduce(name + ": all_reduce", x);
  return x;
}

Tensor scatter_to_region(ModelParallel& mp, const Tensor& x, const std::string& name) {
  mp.require_tensor(name, x, x.deployed() ? x.dtype() : Dtype::f16);
  const std::int64_t columns = mp.share(x.shape()[1], name + ": columns of '" + x.name() + "'");
  if (mp.size() == 1) return x;
  Runtime& rt = mp.runtime();
  const Tensor whole = with_whole_rows(mp, x, name);
  const Tensor out = rt.empty({x.shape()[0], columns}, x.dtype(), copy_per_cube(rt.machine(), x.shape()[0]), x.name());
  mp.run(name + ": slice", StepKind::layout, "slice_columns",
         {{"src", whole}, {"dst", out}, {"first", mp.rank() * columns}});
  return out;
}

Tensor gather_from_region(ModelParallel& mp, const Tensor& x, const std::string& name) {
  mp.require_tensor(name, x, x.deployed() ? x.dtype() : Dtype::f16);
  if (mp.size() == 1) return with_whole_rows(mp, x, name);
  const Tensor tiles = cube_tiles(mp, x, name);
  const Shape shape{x.shape()[0], x.shape()[1] * mp.size()};
  // Holds the blocks in arrival order; its own columns have no meaning.
  const Tensor parts = mp.runtime().empty(shape, x.dtype(), tiles.policy(), x.name());
  mp.all_gather(name + ": all_gather", parts, tiles);
  return rows_of_blocks(mp, parts, tiles.placement().front().cols, mp.size(), name + ": rows");
}

Tensor on_every_cube(ModelParallel& mp, const HostArray& rows, const std::string& name) {
  mp.require_device(name);
  Runtime& rt = mp.runtime();
  const Tensor out = rt.empty(rows.shape(), rows.dtype(), copy_per_cube(rt.machine(), rows.shape()[0]), name);
  out.copy_(rows);
  return out;
}

Tensor with_whole_rows(ModelParallel& mp, const Tensor& x, const std::string& name) {
  mp.require_tensor(name, x, x.deployed() ? x.dtype() : Dtype::f16);
  if (has_whole_rows(x)) return x;
  const Tensor tiles = cube_tiles(mp, x, name);
  return rows_of_blocks(mp, tiles, tiles.placement().front().cols, 1, name + ": rows");
}

}  // namespace kb::sw
