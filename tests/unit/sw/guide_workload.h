// The workload that docs/guides/workloads.md teaches.
#pragma once

// guide: begin
#include <kernbench/sw/workloads/support.h>

// z = x + y on the PEs of the current SIP, with the built-in kernel vector_add.
inline kb::sw::WorkloadResult run_sum(kb::sw::Runtime& rt, const kb::sw::Params& params) {
  using namespace kb::sw;
  const kb::Shape shape{params.integer("rows"), 256};
  DPPolicy rows;
  rows.cube = rows.pe = Split::row_wise;

  const HostArray x = HostArray::random(shape, kb::Dtype::f16, rt.seed());
  const HostArray y = HostArray::random(shape, kb::Dtype::f16, rt.seed() + 1);
  Tensor dx = rt.empty(shape, kb::Dtype::f16, rows, "x");
  Tensor dy = rt.empty(shape, kb::Dtype::f16, rows, "y");
  Tensor dz = rt.empty(shape, kb::Dtype::f16, rows, "z");
  dx.copy_(x);
  dy.copy_(y);

  const LaunchHandle launch = rt.launch("vector_add", {{"a", dx}, {"b", dy}, {"c", dz}});
  const LaunchMetrics metrics = rt.wait(launch);

  WorkloadResult result;
  add_launch_figures(result, metrics);
  verify_sum(rt, result, "z", x, y, dz.to_host());
  return result;
}

inline kb::sw::Workload sum_workload() {
  return {"sum",
          "z = x + y over the PEs of one SIP",
          {kb::sw::Parameter::integer("rows", 1024, "rows of each tensor; a multiple of the number of PEs")},
          run_sum};
}
// guide: end
