// Sums along a chain through the two rows of PEs of every cube, 0 1 2 3 7 6 5 4: each PE adds its tile to what comes
// from the one before, and sends the sum on. No wiring has these links; ccl.yaml lists them.
#include "chain.h"

#include <kernbench/kernels/tl/tl.h>
#include <kernbench/sw/distributed/queue_installation.h>
#include <kernbench/sw/workloads/support.h>

#include <array>

namespace chain {
namespace {

namespace tl = kb::tl;
using namespace kb::sw;

constexpr std::int64_t kPes = 8;
constexpr std::array<std::int64_t, kPes> kOrder{0, 1, 2, 3, 7, 6, 5, 4};  // of the PEs of a cube

void sums(tl::Context& tl, tl::Ptr x, tl::Ptr out) {
  tl.require(tl.num_programs(0) == kPes, "the links of the chain are those of cubes with 8 PEs");
  const tl::LocalShard mine = tl.shard(x);
  const kb::Shape shape{mine.elements};
  tl::TensorHandle sum = tl.load(x + mine.first, shape);
  if (tl.program_id(0) != kOrder.front()) sum += tl.recv("before", shape, x.dtype());
  if (tl.program_id(0) != kOrder.back()) tl.send("next", sum);
  tl.store(out + mine.first, sum);
}

WorkloadResult run(Runtime& rt, const Params& params) {
  kb::topology::CclOptions options;
  options.file = params.text("ccl");
  options.algorithm = "chain";  // the entry of the file
  const QueueInstallation queues(rt, options);
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
  add_launch_figures(result, rt.wait(rt.launch("chain_sums", {{"x", x}, {"out", out}})));

  const std::vector<double> in = values.to_doubles();
  std::vector<double> expected(in.size());
  for (std::int64_t cube = 0; cube < cubes; ++cube) {
    for (std::int64_t column = 0; column < n; ++column) {
      double sum = 0.0;
      for (const std::int64_t pe : kOrder) {
        const auto at = static_cast<std::size_t>((cube * pes + pe) * n + column);
        expected[at] = sum += in[at];
      }
    }
  }
  verify_exact(rt, result, "out", out.to_host(), HostArray::from_doubles(shape, kb::Dtype::f16, expected));
  return result;
}

}  // namespace

kb::contract::Kernel kernel() {
  return tl::make_kernel("chain_sums", "out = sum of x along the chain of PEs in the cube", {"x", "out"}, sums);
}

Workload workload() {
  return {"chain-sums",
          "sums along a chain of the PEs of every cube, over the links that a ccl.yaml lists, verified",
          {Parameter::integer("elements", 64, "of a tile, f16"),
           Parameter::text("ccl", "", "collective configuration file; empty: ccl.yaml of the working directory")},
          run};
}

}  // namespace chain
