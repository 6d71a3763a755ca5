// A kernel that feels the D2D links, the HBM and the tile size: each PE adds its own numbers to those of the PE that
// lies half the tensor away, tile by tile. README.md of this folder sweeps over all three.
#include <kernbench/kernels/tl/tl.h>
#include <kernbench/sw/plugin/plugin.h>
#include <kernbench/sw/workloads/support.h>

#include <algorithm>

namespace {

using kb::Dtype;
using kb::Shape;
using namespace kb::sw;

// out[i] = x[i + half] + y[i], the first half after the second.
void swap_add(kb::tl::Context& tl, kb::tl::Ptr x, kb::tl::Ptr y, kb::tl::Ptr out, std::int64_t half,
              std::int64_t tile) {
  const kb::tl::LocalShard mine = tl.shard(out);
  const std::int64_t end = mine.first + mine.elements;
  const std::int64_t away = mine.first < half ? half : -half;
  for (std::int64_t at = mine.first; at < end; at += tile) {
    const kb::tl::Scratch scope(tl);
    const Shape shape{std::min(tile, end - at)};
    const auto a = tl.load(x + (at + away), shape);
    const auto b = tl.load(y + at, shape);
    tl.store(out + at, a + b);
  }
}

WorkloadResult run(Runtime& rt, const Params& params) {
  DPPolicy rows;  // a row per PE
  rows.cube = rows.pe = Split::row_wise;
  rows.num_cubes = static_cast<int>(params.integer("cubes"));
  rows.num_pes = rt.spec().pes_per_cube;
  const std::int64_t pes = std::int64_t{*rows.num_cubes} * *rows.num_pes;
  const Shape shape{pes, params.integer("elements_per_pe")};
  const std::int64_t half = pes / 2 * params.integer("elements_per_pe");

  WorkloadResult result;
  const HostArray x = HostArray::random_integers(shape, Dtype::f16, rt.seed());
  const HostArray y = HostArray::random_integers(shape, Dtype::f16, rt.seed() + 1);
  const Tensor dx = rt.empty(shape, Dtype::f16, rows, "x");
  const Tensor dy = rt.empty(shape, Dtype::f16, rows, "y");
  const Tensor out = rt.empty(shape, Dtype::f16, rows, "out");
  dx.copy_(x);
  dy.copy_(y);
  const Args args{{"x", dx}, {"y", dy}, {"out", out}, {"half", half}, {"tile", params.integer("tile")}};
  const LaunchMetrics metrics = rt.wait(rt.launch("swap_add", args));

  std::vector<double> expected = y.to_doubles();
  const std::vector<double> values = x.to_doubles();
  const auto size = static_cast<std::int64_t>(expected.size());
  for (std::int64_t i = 0; i < size; ++i) {
    expected[static_cast<std::size_t>(i)] += values[static_cast<std::size_t>(i < half ? i + half : i - half)];
  }
  verify_exact(rt, result, "out", out.to_host(), HostArray::from_doubles(shape, Dtype::f16, expected));
  add_launch_figures(result, metrics, "swap");
  return result;
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(
      kb::tl::make_kernel("swap_add", "out = x of the other half + y", {"x", "y", "out", "half", "tile"}, swap_add));
  registrar.add_workload({"swap-add",
                          "adds the numbers of the other half of the cubes, tile by tile",
                          {
                              Parameter::integer("cubes", 2, "cubes that take part, an even number", 2),
                              Parameter::integer("elements_per_pe", 8192, "elements that each PE owns", 1, "elements"),
                              Parameter::integer("tile", 1024, "elements that are added at a time", 1, "elements"),
                          },
                          run});
}
