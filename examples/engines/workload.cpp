#include <kernbench/sw/plugin/plugin.h>
#include <kernbench/sw/workloads/support.h>

#include "kernel.h"

namespace {

using kb::Dtype;
using kb::Shape;
using namespace kb::sw;

// Each PE of one cube has a matrix of its own; all have one size.
WorkloadResult run(Runtime& rt, const Params& params) {
  const std::int64_t rows = params.integer("rows"), columns = params.integer("columns");
  const std::int64_t pes = rt.spec().pes_per_cube;
  const Dtype dtype = params.dtype("dtype");
  DPPolicy split;
  split.cube = Split::replicate;
  split.pe = Split::row_wise;
  split.num_cubes = 1;
  const HostArray x = HostArray::random_integers({pes * rows, columns}, dtype, rt.seed());
  const Tensor dx = rt.empty(x.shape(), dtype, split, "x");
  const Tensor out = rt.empty({pes * columns, rows}, dtype, split, "out");
  dx.copy_(x);
  const Args args{{"x", dx}, {"out", out}, {"rows", rows}, {"columns", columns}, {"block", params.integer("block")}};
  WorkloadResult result;
  const LaunchMetrics metrics = rt.wait(rt.launch("transpose", args));

  const std::vector<double> values = x.to_doubles();
  std::vector<double> expected(values.size());
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(values.size()); ++i) {
    const std::int64_t pe = i / (rows * columns), row = i / columns % rows, column = i % columns;
    expected[static_cast<std::size_t>((pe * columns + column) * rows + row)] = values[static_cast<std::size_t>(i)];
  }
  verify_exact(rt, result, "out", out.to_host(), HostArray::from_doubles({pes * columns, rows}, dtype, expected));
  add_launch_figures(result, metrics, "");
  return result;
}

Workload transpose_workload() {
  return {"transpose",
          "matrices transposed on an engine of a plug-in, verified",
          {
              Parameter::integer("rows", 256, "rows of the matrix of each PE", 1),
              Parameter::integer("columns", 192, "its columns", 1),
              Parameter::integer("block", 8, "side of the blocks that PE_TRANSPOSE works in", 1),
              Parameter::choice("dtype", "f16", {"f16", "f32", "i8", "i32"}, "of the elements"),
          },
          run};
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(transpose_kernel());
  registrar.add_workload(transpose_workload());
}
