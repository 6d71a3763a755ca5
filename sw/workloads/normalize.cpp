#include "sw/workloads/normalize.h"

#include <functional>

#include "sw/workloads/contents.h"
#include "sw/workloads/deployed.h"
#include "sw/workloads/normalize_reference.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

DPPolicy by_rows() {
  DPPolicy policy;
  policy.cube = policy.pe = Split::row_wise;
  return policy;
}

struct Input {
  Shape shape;
  Dtype dtype = Dtype::f16;
  Deployed x;
  Tensor out;
};

using Make = HostArray (*)(Contents, const Shape&, Dtype, std::uint64_t);

Input make_input(Runtime& rt, const Params& params, Make make = plain_contents) {
  Input in;
  in.shape = {params.integer("rows"), params.integer("columns")};
  in.dtype = params.dtype("dtype");
  in.x = deploy(rt, in.shape, in.dtype, by_rows(), "X",
                [&] { return make(contents_of(params), in.shape, in.dtype, rt.seed()); });
  in.out = rt.empty(in.shape, in.dtype, by_rows(), "Y");
  return in;
}

WorkloadResult figures_of(const Input& in, const LaunchMetrics& metrics, double tensors) {
  WorkloadResult result;
  add_launch_figures(result, metrics);
  const double bytes =
      tensors * static_cast<double>(element_count(in.shape)) * static_cast<double>(item_size(in.dtype));
  add_rate(result, "memory traffic", bytes, metrics.exec_max, "GB/s", "bytes read and written over the critical path");
  add_pe_count(result, metrics.pes);
  return result;
}

// Adds the row of verdict(Y) when the run computes data, otherwise a note.
void verify_output(Runtime& rt, WorkloadResult& result, const Input& in,
                   const std::function<data::VerificationRow(const HostArray&)>& verdict) {
  const HostArray y = in.out.to_host();
  if (can_verify(rt, result)) result.verification.push_back(verdict(y));
}

WorkloadResult run_elementwise(Runtime& rt, const Params& params) {
  const std::string& op = params.text("op");
  const bool two = has_two_inputs(op);
  const Input in = make_input(rt, params, !two && takes_positive(op) ? positive_contents : plain_contents);
  Args arguments{{"op", op}, {"x", in.x.tensor}, {"out", in.out}};
  Deployed other;
  if (two) {
    other = deploy(rt, in.shape, in.dtype, by_rows(), "Z", [&] {
      const Make make = takes_positive(op) ? positive_contents : plain_contents;
      return make(contents_of(params), in.shape, in.dtype, rt.seed() + 1);
    });
    arguments.emplace_back("y", other.tensor);
  }
  const LaunchMetrics metrics = rt.wait(rt.launch("elementwise", arguments));
  WorkloadResult result = figures_of(in, metrics, two ? 3 : 2);
  verify_output(rt, result, in, [&](const HostArray& y) { return elementwise_row(op, in.x.values, other.values, y); });
  return result;
}

WorkloadResult run_softmax(Runtime& rt, const Params& params) {
  const Input in = make_input(rt, params, softmax_contents);
  const LaunchMetrics metrics = rt.wait(rt.launch("softmax", {{"x", in.x.tensor}, {"out", in.out}}));
  WorkloadResult result = figures_of(in, metrics, 2);
  verify_output(rt, result, in, [&](const HostArray& y) { return softmax_row(in.x.values, y); });
  return result;
}

WorkloadResult run_layernorm(Runtime& rt, const Params& params) {
  const double eps = params.real("eps");
  const Input in = make_input(rt, params);
  const Shape row_shape{1, in.shape[1]};
  const auto row = [&](const char* name, std::uint64_t seed) {
    return deploy(rt, row_shape, in.dtype, {}, name,
                  [&] { return plain_contents(contents_of(params), row_shape, in.dtype, seed); });
  };
  const Deployed gamma = row("gamma", rt.seed() + 1), beta = row("beta", rt.seed() + 2);
  const LaunchMetrics metrics = rt.wait(
      rt.launch("layernorm",
                {{"x", in.x.tensor}, {"gamma", gamma.tensor}, {"beta", beta.tensor}, {"out", in.out}, {"eps", eps}}));
  // All PEs also read gamma and beta.
  const double parameters = 2.0 * static_cast<double>(metrics.pes) / static_cast<double>(in.shape[0]);
  WorkloadResult result = figures_of(in, metrics, 2 + parameters);
  verify_output(rt, result, in,
                [&](const HostArray& y) { return layernorm_row(in.x.values, gamma.values, beta.values, eps, y); });
  return result;
}

std::vector<Parameter> parameters() {
  return {Parameter::integer("rows", 1024, "rows, split over the PEs of a SIP", 1, "elements"),
          Parameter::integer("columns", 256, "columns", 1, "elements"),
          Parameter::choice("dtype", "f16", {"f16", "bf16", "f32"}, "element type of all tensors"), data_parameter()};
}

}  // namespace

Workload elementwise_workload() {
  std::vector<Parameter> all = parameters();
  all.push_back(
      Parameter::choice("op", "exp", elementwise_names(), "Y = op(X), or op(X, Z) for those with two inputs"));
  return {"elementwise", "an element-wise operation on rows split over the PEs of a SIP, verified", std::move(all),
          run_elementwise};
}

Workload softmax_workload() {
  return {"softmax", "softmax of each row, rows split over the PEs of a SIP, verified", parameters(), run_softmax};
}

Workload layernorm_workload() {
  std::vector<Parameter> all = parameters();
  all.push_back(Parameter::real("eps", 1e-5, "added to the variance"));
  return {"layernorm", "layer normalisation of each row, rows split over the PEs of a SIP, verified", std::move(all),
          run_layernorm};
}

}  // namespace kb::sw
