#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sw/distributed/dtensor.h"
#include "sw/workloads/ccl_support.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/ranks.h"
#include "sw/workloads/redistribute.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

constexpr Dtype kExactDtype = Dtype::f32;  // in which all sums of integers below are exact

HostArray transposed_array(const HostArray& a) {
  std::vector<double> values;
  for (std::int64_t col = 0; col < a.shape()[1]; ++col) {
    for (std::int64_t row = 0; row < a.shape()[0]; ++row) values.push_back(a.at(row, col));
  }
  return HostArray::from_doubles({a.shape()[1], a.shape()[0]}, kExactDtype, values);
}

// The product that every rank computes without communication.
Tensor local_product(Runtime& rt, const Tensor& a, const Tensor& b) {
  const Tensor c = rt.empty({a.shape()[0], b.shape()[1]}, kExactDtype, one_pe_placement());
  rt.wait(rt.launch("gemm_single",
                    {{"a", a}, {"b", b}, {"c", c}, {"m", a.shape()[0]}, {"k", a.shape()[1]}, {"n", b.shape()[1]}},
                    on_one_pe()));
  return c;
}

// The grid of the SIPs if there is one, otherwise two rows if possible.
int default_rows(const contract::MachineInfo& machine) {
  if (machine.sip_h > 0) return machine.sip_h;
  return machine.sips % 2 == 0 ? 2 : 1;
}

struct GridResult {
  HostArray y, gradient;
  TimeFs activations = 0_fs, gradients = 0_fs;
};

WorkloadResult run_grid_linear(Runtime& rt, const Params& params) {
  ProcessGroup world(rt, ccl_options(params));
  const int dp = params.integer("dp") > 0 ? static_cast<int>(params.integer("dp")) : default_rows(rt.spec());
  DeviceMesh mesh(world, {{"dp", dp}, {"tp", std::max(1, world.world_size() / dp)}});
  const std::int64_t m = params.integer("m"), k = params.integer("k"), n = params.integer("n");
  const Contents contents = contents_of(params);
  const HostArray x = plain_contents(contents, {m, k}, kExactDtype, rt.seed());
  const HostArray w = plain_contents(contents, {k, n}, kExactDtype, rt.seed() + 1), x_t = transposed_array(x);
  const Placement all = Placement::replicate(), rows = Placement::shard(0), cols = Placement::shard(1);
  const Placement sum = Placement::partial("sum");

  const auto ranks = on_every_sip(rt, "grid-linear", [&](int, int) {
    GridResult result;
    // guide: begin
    const DTensor dx = distribute_tensor(mesh, x, {rows, cols}), dw = distribute_tensor(mesh, w, {all, rows});
    const DTensor dx_t = distribute_tensor(mesh, x_t, {cols, rows});
    // Forward: Y = X W, each rank over its part of k; the sum along "tp" follows.
    const DTensor parts = from_local(mesh, local_product(rt, dx.local(), dw.local()), {rows, sum}, "Y");
    const TimeFs multiplied = rt.now();
    const DTensor y = parts.redistribute({rows, all});
    result.activations = rt.now() - multiplied;
    // The gradient of |Y|^2 / 2: X^T Y, each rank over its part of the batch; the sum along "dp" follows.
    const DTensor of_batch = from_local(mesh, local_product(rt, dx_t.local(), y.local()), {sum, rows}, "dW");
    const TimeFs derived = rt.now();
    const DTensor gradient = of_batch.redistribute({all, rows});
    result.gradients = rt.now() - derived;
    // guide: end
    result.y = y.full_tensor();
    result.gradient = gradient.full_tensor();
    return result;
  });

  WorkloadResult result;
  TimeFs activations = 0_fs, gradients = 0_fs;
  for (const GridResult& rank : ranks) {
    activations = std::max(activations, rank.activations);
    gradients = std::max(gradients, rank.gradients);
  }
  result.figures.push_back({"activations", fs_to_ns(activations), "ns", "sum of Y along the tensor parallel axis"});
  result.figures.push_back({"gradients", fs_to_ns(gradients), "ns", "sum of dW along the data parallel axis"});
  if (!can_verify(rt, result)) return result;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (data::VerificationRow& row : grid_rows(x, w, ranks.size(), ranks[rank].y, ranks[rank].gradient)) {
      row.tensor += fmt::format(" rank{}", rank);
      result.verification.push_back(std::move(row));
    }
  }
  return result;
}

}  // namespace

std::vector<data::VerificationRow> grid_rows(const HostArray& x, const HostArray& w, std::size_t ranks,
                                             const HostArray& y, const HostArray& gradient) {
  const auto parts = static_cast<double>(ranks);  // parts of a sum
  data::BoundedMatrix product = data::product(exact_values(x), exact_values(w), parts);
  data::BoundedMatrix derived = data::product(exact_values(transposed_array(x)), product, parts);
  const auto m = static_cast<double>(x.shape()[0]), k = static_cast<double>(x.shape()[1]);
  return {bounded_row("Y", y, std::move(product), {product_rounding("sums of k products", k + parts)}),
          bounded_row("dW", gradient, std::move(derived), {product_rounding("Y, and sums of m products", m + parts)})};
}

Workload grid_linear_workload() {
  std::vector<Parameter> parameters{
      Parameter::integer("m", 24, "rows of X, the batch; a multiple of dp"),
      Parameter::integer("k", 48, "columns of X; a multiple of the SIPs along the tensor parallel axis"),
      Parameter::integer("n", 32, "columns of W"),
      Parameter::integer("dp", 0, "SIPs along the data parallel axis; 0: the rows of the SIP grid, else 2 or 1", 0)
          .at_most(Parameter::kMaxUnits),
  };
  parameters.push_back(data_parameter());
  for (Parameter& parameter : ccl_parameters()) parameters.push_back(std::move(parameter));
  return {"grid-linear", "Y = X W and its gradient on a grid of SIPs, tensor and data parallel, verified",
          std::move(parameters), run_grid_linear};
}

}  // namespace kb::sw
