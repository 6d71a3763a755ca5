// Every PE sends its tile to both neighbours in its cube and adds what comes from them. The links are those of
// ccl.yaml.
#include "neighbours.h"

#include <kernbench/kernels/tl/tl.h>
#include <kernbench/sw/distributed/queue_installation.h>
#include <kernbench/sw/workloads/support.h>

namespace neighbours {
namespace {

namespace tl = kb::tl;
using namespace kb::sw;

// What a PE sends under 'intra_E' comes out of its eastern neighbour's 'intra_W'.
void sum(tl::Context& tl, tl::Ptr x, tl::Ptr out) {
  tl.require(tl.num_programs(0) > 1, "a PE alone in its cube has no neighbours");
  const tl::LocalShard mine = tl.shard(x);
  const kb::Shape shape{mine.elements};
  const tl::TensorHandle own = tl.load(x + mine.first, shape);
  tl.send("intra_E", own);
  tl.send("intra_W", own);
  tl::TensorHandle sum = own + tl.recv("intra_W", shape, x.dtype());
  sum += tl.recv("intra_E", shape, x.dtype());
  tl.store(out + mine.first, sum);
}

WorkloadResult run(Runtime& rt, const Params& params) {
  kb::topology::CclOptions options;
  options.file = params.text("ccl");
  const QueueInstallation queues(rt, options);  // the links of the file, no all-reduce
  rt.set_device(rt.devices().front());
  DPPolicy rows;  // a row per PE
  rows.cube = rows.pe = Split::row_wise;
  const std::int64_t pes = rt.spec().pes_per_cube, cubes = rt.spec().cubes_per_sip, n = params.integer("elements");
  const kb::Shape shape{cubes * pes, n};
  const HostArray values = HostArray::random_integers(shape, kb::Dtype::f16, rt.seed());
  const Tensor x = rt.empty(shape, kb::Dtype::f16, rows, "x");
  const Tensor out = rt.empty(shape, kb::Dtype::f16, rows, "out");
  x.copy_(values);
  WorkloadResult result;
  add_launch_figures(result, rt.wait(rt.launch("neighbour_sum", {{"x", x}, {"out", out}})));

  const std::vector<double> in = values.to_doubles();
  std::vector<double> expected(in.size());
  for (std::int64_t i = 0; i < cubes * pes * n; ++i) {
    const std::int64_t row = i / n, first = row - row % pes, pe = row % pes;
    const auto input_of = [&](std::int64_t other) {
      return in[static_cast<std::size_t>((first + other % pes) * n + i % n)];
    };
    expected[static_cast<std::size_t>(i)] = input_of(pe) + input_of(pe + 1) + input_of(pe + pes - 1);
  }
  verify_exact(rt, result, "out", out.to_host(), HostArray::from_doubles(shape, kb::Dtype::f16, expected));
  return result;
}

}  // namespace

kb::contract::Kernel kernel() {
  return tl::make_kernel("neighbour_sum", "out = x of the PE and of its neighbours in the cube", {"x", "out"}, sum);
}

Workload workload() {
  return {"neighbour-sum",
          "every PE adds the tiles of its neighbours in the cube, over the links of a ccl.yaml, verified",
          {Parameter::integer("elements", 64, "of a tile, f16"),
           Parameter::text("ccl", "", "collective configuration file; empty: ccl.yaml of the working directory")},
          run};
}

}  // namespace neighbours
