#include <kernbench/sw/distributed/spawn.h>
#include <kernbench/sw/plugin/plugin.h>
#include <kernbench/sw/workloads/support.h>

#include "kernel.h"

namespace {

using kb::Dtype;
using kb::Shape;
using namespace kb::sw;

WorkloadResult run(Runtime& rt, const Params& params) {
  const double factor = params.real("factor");
  DPPolicy rows;  // a row per PE: the first `pes` PEs of the first `cubes` cubes
  rows.cube = rows.pe = Split::row_wise;
  rows.num_cubes = params.integer("cubes") > 0 ? static_cast<int>(params.integer("cubes")) : rt.spec().cubes_per_sip;
  rows.num_pes = params.integer("pes") > 0 ? static_cast<int>(params.integer("pes")) : rt.spec().pes_per_cube;
  const Shape shape{std::int64_t{*rows.num_cubes} * *rows.num_pes, params.integer("elements_per_pe")};
  LaunchOptions targets;  // its cubes are the owners of the tensors; its PEs would be all of each cube
  targets.pes.emplace();
  for (int pe = 0; pe < *rows.num_pes; ++pe) targets.pes->push_back(pe);

  WorkloadResult result;
  spawn(rt, static_cast<int>(rt.devices().size()), [&](int rank) {  // one rank per SIP of --device
    rt.set_device(rt.devices()[static_cast<std::size_t>(rank)]);
    const HostArray x = HostArray::random_integers(shape, Dtype::f16, rt.seed());
    const HostArray y = HostArray::random_integers(shape, Dtype::f16, rt.seed() + 1);
    const Tensor dx = rt.empty(shape, Dtype::f16, rows, "x");
    const Tensor dy = rt.empty(shape, Dtype::f16, rows, "y");
    const Tensor out = rt.empty(shape, Dtype::f16, rows, "out");
    dx.copy_(x);
    dy.copy_(y);
    const Args args{{"x", dx}, {"y", dy}, {"out", out}, {"factor", factor}};
    const LaunchMetrics metrics = rt.wait(rt.launch("scale_add", args, targets));

    std::vector<double> expected = y.to_doubles();
    const std::vector<double> values = x.to_doubles();
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += factor * values[i];
    const std::string name = "sip" + std::to_string(rt.current_device());
    verify_exact(rt, result, name + " out", out.to_host(), HostArray::from_doubles(shape, Dtype::f16, expected));
    add_launch_figures(result, metrics, name);
  });
  return result;
}

Workload scale_add_workload() {
  return {"scale-add",
          "out = factor * x + y on any number of PEs, verified",
          {
              Parameter::integer("cubes", 0, "cubes of each SIP that take part; 0 = all", 0),
              Parameter::integer("pes", 0, "PEs of each cube that take part; 0 = all", 0),
              Parameter::integer("elements_per_pe", 8192, "elements that each PE owns", 1, "elements"),
              Parameter::real("factor", 2.0, "a whole number keeps the result exact"),
          },
          run};
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(scale_add_kernel());
  registrar.add_workload(scale_add_workload());
}
