// The kernel, which is another function in each step, and the workload that launches and verifies it.
#include <kernbench/sw/plugin/plugin.h>
#include <kernbench/sw/workloads/support.h>

#include "layer.h"

namespace {

using kb::Dtype;
using kb::Shape;
using namespace kb::sw;

constexpr std::int64_t kTokens = 512, kDepth = 1024, kColumns = 512;
constexpr std::int64_t kRowsAtOnce = 64;  // of the steps that several PEs carry out
constexpr std::int64_t kLastOnOnePe = 4;  // later steps use all PEs of a cube

void layer(kb::tl::Context& tl, kb::tl::Ptr x, kb::tl::Ptr w, kb::tl::Ptr y, std::int64_t step) {
  const kb::tl::LocalShard mine = tl.shard(y);
  const std::int64_t columns = y.shape()[1];
  const Layer args{x, w, y, mine.first / columns, mine.elements / columns, x.shape()[1], columns};
  tl.require(args.rows > 0 && args.rows % kRowsAtOnce == 0,
             "a PE owns no multiple of 64 rows; use a machine with 1, 2, 4 or 8 PEs per cube");
  constexpr decltype(&small_tiles) kSteps[] = {small_tiles, larger_tiles, whole_rows,
                                               loads_ahead, loads_ahead,  own_block_first};
  kSteps[step - 1](tl, args);
}

// What verify_gemm() compares with: w as the right side of a product.
HostArray transposed(const HostArray& w) {
  std::vector<double> values;
  for (std::int64_t k = 0; k < kDepth; ++k) {
    for (std::int64_t column = 0; column < kColumns; ++column) values.push_back(w.at(column, k));
  }
  return HostArray::from_doubles({kDepth, kColumns}, w.dtype(), values);
}

WorkloadResult run(Runtime& rt, const Params& params) {
  const std::int64_t step = params.integer("step");
  DPPolicy placement = one_pe_placement();  // everything in the memory of PE 0
  LaunchOptions pes = on_one_pe();
  if (step > kLastOnOnePe) {  // the rows of each tensor are dealt out to the PEs of cube 0
    placement = DPPolicy{};
    placement.cube = placement.pe = Split::row_wise;
    placement.num_cubes = 1;
    pes = LaunchOptions{};
  }
  const Tensor x = rt.empty({kTokens, kDepth}, Dtype::f16, placement, "x");
  const Tensor w = rt.empty({kColumns, kDepth}, Dtype::f16, placement, "w");
  const Tensor y = rt.empty({kTokens, kColumns}, Dtype::f16, placement, "y");
  const HostArray x_host = HostArray::random_integers(x.shape(), Dtype::f16, rt.seed());
  const HostArray w_host = HostArray::random_integers(w.shape(), Dtype::f16, rt.seed() + 1);
  x.copy_(x_host);
  w.copy_(w_host);
  const LaunchMetrics metrics = rt.wait(rt.launch("layer", {{"x", x}, {"w", w}, {"y", y}, {"step", step}}, pes));

  WorkloadResult result;
  add_launch_figures(result, metrics);
  add_pe_count(result, metrics.pes);
  verify_gemm(rt, result, "y", x_host, transposed(w_host), y.to_host(), static_cast<double>(kDepth));
  return result;
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(kb::tl::make_kernel("layer", "y = x * transpose(w), as in a step of the tutorial",
                                           {"x", "w", "y", "step"}, layer));
  registrar.add_workload({"tutorial",
                          "a linear layer in six steps, from small tiles to all PEs of a cube, verified",
                          {Parameter::integer("step", 1, "step of the tutorial, 1 to 6").at_most(6)},
                          run});
}
