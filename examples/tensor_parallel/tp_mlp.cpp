// y = relu(x W1) W2 with both weights split over all SIPs, one rank per SIP: the forward pass of a training script.
#include <kernbench/platform/data/reference.h>
#include <kernbench/sw/parallel/parallel.h>
#include <kernbench/sw/plugin/plugin.h>
#include <kernbench/sw/workloads/support.h>
using namespace kb::sw;

static HostArray expected(const HostArray& x, const HostArray& w1, const HostArray& w2) {
  const std::size_t m = x.shape()[0], k = x.shape()[1], n = w1.shape()[1];
  std::vector<double> h = kb::data::reference_gemm(x.to_doubles(), w1.to_doubles(), m, k, n).values;
  for (double& value : h) value = std::max(value, 0.0);
  return HostArray::from_doubles(x.shape(), x.dtype(), kb::data::reference_gemm(h, w2.to_doubles(), m, n, k).values);
}

static WorkloadResult run(Runtime& rt, const Params& params) {
  const std::int64_t tokens = params.integer("tokens"), width = 512, inner = 2048;
  const HostArray x = HostArray::random_integers({tokens, width}, kb::Dtype::f32, 1);
  const HostArray w1 = HostArray::random_integers({width, inner}, kb::Dtype::f32, 2);
  const HostArray w2 = HostArray::random_integers({inner, width}, kb::Dtype::f32, 3);
  ProcessGroup group(rt);
  ModelParallel model(rt, group);
  WorkloadResult result;
  spawn(rt, model.size(), [&](int rank) {
    ahbm::set_device(rt, rank);
    LinearOptions f32;
    f32.dtype = kb::Dtype::f32;
    const ColumnParallelLinear up(model, width, inner, f32);
    const RowParallelLinear down(model, inner, width, f32);
    up.load(w1);
    down.load(w2);
    const Tensor y = down.forward(relu(model, up.forward(on_every_cube(model, x, "x"))));
    verify_exact(rt, result, "y of rank " + std::to_string(rank), y.to_host(), expected(x, w1, w2));
  });
  for (const ParallelStep& step : model.steps(0)) add_launch_figures(result, step.metrics, step.name);
  return result;
}

KERNBENCH_PLUGIN(registrar) {
  registrar.add_workload({"my-tp-mlp", "an MLP over all SIPs", {Parameter::integer("tokens", 8, "rows of x")}, run});
}
