// The kernel, of which each variant is a source of its own, and the workload that launches and verifies it.
#include <kernbench/platform/data/reference.h>
#include <kernbench/sw/plugin/plugin.h>
#include <kernbench/sw/workloads/support.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mlp.h"

namespace {

using kb::Dtype;
using kb::Shape;
using namespace kb::sw;

constexpr std::int64_t kTokens = 256, kWidth = 512, kInner = 2048;

void fused_mlp(kb::tl::Context& tl, kb::tl::Ptr x, kb::tl::Ptr w1, kb::tl::Ptr h, kb::tl::Ptr w2, kb::tl::Ptr y,
               const std::string& variant) {
  const std::int64_t pes = tl.num_programs(0), width = x.shape()[1];
  tl.require(pes == 8 || pes == 16, "the weights of a PE fit its scratch with 8 or 16 PEs per cube");
  const Mlp mlp{x,
                h,
                tl.shard(w1).ptr,
                tl.shard(w2).ptr,
                tl.shard(y).ptr,
                tl.program_id(0),
                pes,
                x.shape()[0],
                width,
                kInner / pes,
                width / pes};
  if (variant == "blocking") blocking(tl, mlp);
  if (variant == "ahead") ahead(tl, mlp);
  if (variant == "staged") staged(tl, mlp);
}

// Contents of -1, 0 and 1, of which every sum in f32 is exact.
HostArray small_integers(const Shape& shape, std::uint64_t seed) {
  std::vector<double> values = HostArray::random_integers(shape, Dtype::f16, seed).to_doubles();
  for (double& value : values) value = std::fmod(value, 2);
  return HostArray::from_doubles(shape, Dtype::f16, values);
}

HostArray expected(const HostArray& x, const HostArray& w1, const HostArray& w2) {
  std::vector<double> h = kb::data::reference_gemm(x.to_doubles(), w1.to_doubles(), kTokens, kWidth, kInner).values;
  for (double& value : h) value = std::max(value, 0.0);
  return HostArray::from_doubles(x.shape(), x.dtype(),
                                 kb::data::reference_gemm(h, w2.to_doubles(), kTokens, kInner, kWidth).values);
}

Tensor deployed(Runtime& rt, const HostArray& contents, const DPPolicy& placement, const char* name) {
  const Tensor tensor = rt.empty(contents.shape(), Dtype::f16, placement, name);
  tensor.copy_(contents);
  return tensor;
}

WorkloadResult run(Runtime& rt, const Params& params) {
  const std::string variant = params.text("variant");
  const bool staged = variant == "staged";
  const std::int64_t pes = rt.machine().pes_per_cube;
  const DPPolicy one = one_pe_placement();
  DPPolicy copies, rows, columns;  // in cube 0
  copies.num_cubes = rows.num_cubes = columns.num_cubes = 1;
  rows.cube = rows.pe = Split::row_wise;
  columns.cube = columns.pe = Split::column_wise;

  const HostArray x_host = small_integers({kTokens, kWidth}, rt.seed());
  const HostArray w1_host = small_integers({kWidth, kInner}, rt.seed() + 1);
  const HostArray w2_host = small_integers({kInner, kWidth}, rt.seed() + 2);
  const Tensor x = deployed(rt, x_host, staged ? copies : one, "x");
  const Tensor w1 = deployed(rt, w1_host, columns, "w1");
  const Tensor w2 = deployed(rt, w2_host, columns, "w2");
  const Tensor h = rt.empty({pes * (staged ? pes : 1), kTokens * kInner / pes}, Dtype::f16, staged ? rows : one, "h");
  const Tensor y = rt.empty({kTokens, kWidth}, Dtype::f16, columns, "y");
  const LaunchMetrics metrics =
      rt.wait(rt.launch("fused_mlp", {{"x", x}, {"w1", w1}, {"h", h}, {"w2", w2}, {"y", y}, {"variant", variant}}));

  WorkloadResult result;
  add_launch_figures(result, metrics);
  add_engine_shares(result, metrics);
  if (can_verify(rt, result)) verify_exact(rt, result, "y", y.to_host(), expected(x_host, w1_host, w2_host));
  return result;
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(kb::tl::make_kernel("fused_mlp", "y = relu(x w1) w2 on the PEs of a cube",
                                           {"x", "w1", "h", "w2", "y", "variant"}, fused_mlp));
  registrar.add_workload(
      {"fused-mlp",
       "a two-layer MLP over the PEs of a cube, verified: loads that wait, run ahead, find what they read nearby",
       {Parameter::choice("variant", "blocking", {"blocking", "ahead", "staged"}, "source that is run").tuning()},
       run});
}
