#include "sw/workloads/model_linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "platform/base/even_parts.h"
#include "platform/contract/norm_linear.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/deployed.h"
#include "sw/workloads/linear_reference.h"
#include "sw/workloads/model_linear_reference.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

constexpr std::int64_t kVerifiedOutputs = 64;  // of large results
constexpr std::int64_t kTcmElements =
    std::int64_t{96} * 1024;             // f32 of partial sums in the TCM of a PE; more are in its HBM
constexpr std::int64_t kRowsInTcm = 64;  // at a time, of partial sums in the TCM

DPPolicy split(Split cube, Split pe) {
  DPPolicy policy;
  policy.cube = cube;
  policy.pe = pe;
  return policy;
}

// Layouts of a step of a model.
struct Layouts {
  DPPolicy weights = split(Split::row_wise, Split::column_wise);
  DPPolicy copy = split(Split::replicate, Split::column_wise);
  DPPolicy tile = split(Split::column_wise, Split::row_wise);
  DPPolicy each = split(Split::row_wise, Split::row_wise);
};

struct Operands {
  Deployed x, w;
  std::optional<Deployed> residual, gamma, bias, w2;
  std::optional<Tensor> residual_out;
};

// Rows of a matrix.
HostArray take_rows(const HostArray& array, const std::vector<std::int64_t>& rows) {
  const std::size_t bytes = static_cast<std::size_t>(array.shape()[1]) * item_size(array.dtype());
  HostArray out({static_cast<std::int64_t>(rows.size()), array.shape()[1]}, array.dtype());
  std::byte* to = out.bytes().data();
  for (const std::int64_t row : rows) {
    std::memcpy(to, array.bytes().data() + static_cast<std::size_t>(row) * bytes, bytes);
    to += bytes;
  }
  return out;
}

MemoryKind activations_of(const Params& params) {
  return params.text("activations") == "tcm" ? MemoryKind::tcm : MemoryKind::hbm;
}

Operands make_operands(Runtime& rt, const Params& params) {
  const std::int64_t m = params.integer("tokens"), k = params.integer("inputs"), n = params.integer("outputs");
  const Dtype dtype = params.dtype("dtype");
  const Contents contents = contents_of(params);
  const Layouts layouts;
  const auto plain = [&](const Shape& shape, const DPPolicy& policy, const char* name, std::uint64_t number) {
    return deploy(rt, shape, dtype, policy, name,
                  [&] { return plain_contents(contents, shape, dtype, rt.seed() + number); });
  };
  const auto weights = [&](const char* name, std::uint64_t number) {
    return deploy(rt, {n, k}, dtype, layouts.weights, name, [&] {
      return model_weights(contents, {n, k}, dtype, rt.seed() + number);
    });
  };
  Operands out{plain({m, k}, layouts.tile.in(activations_of(params)), "X", 0), weights("W", 1), {}, {}, {}, {}, {}};
  if (params.text("residual") == "yes") {
    out.residual = plain({m, k}, layouts.copy, "R", 2);
    out.residual_out = rt.empty({m, k}, dtype, layouts.copy, "S");
  }
  if (params.text("norm") == "rms") {
    out.gamma = deploy(rt, {1, k}, dtype, layouts.copy, "G", [&] {
      return positive_contents(contents, {1, k}, dtype, rt.seed() + 3);
    });
  }
  if (params.text("epilogue") == "bias") out.bias = plain({1, n}, layouts.tile, "B", 4);
  if (params.text("epilogue") == "swiglu") out.w2 = weights("W2", 5);
  return out;
}

Tensor make_partials(Runtime& rt, const Params& params) {
  contract::NormLinearShape shape;
  shape.rows = params.integer("tokens");
  shape.outputs = params.integer("outputs");
  shape.gates = params.text("epilogue") == "swiglu" ? 2 : 1;
  shape.cubes = rt.machine().cubes_per_sip;
  shape.pes = rt.machine().pes_per_cube;
  shape.norm = params.text("norm") == "rms";
  shape.stores_copy = params.text("residual") == "yes";
  shape.row_bytes = EvenParts(params.integer("inputs"), shape.pes).largest() *
                    static_cast<std::int64_t>(item_size(params.dtype("dtype")));
  const std::string memory = params.text("partials");
  const bool tcm = memory == "tcm" || (memory == "auto" && shape.partials(kRowsInTcm) <= kTcmElements);
  const std::int64_t elements = tcm ? shape.partials(kRowsInTcm) : shape.partials();
  return rt.empty({shape.cubes * shape.pes, elements}, Dtype::f32, Layouts().each, "P",
                  tcm ? MemoryKind::tcm : MemoryKind::hbm);
}

void verify(Runtime& rt, WorkloadResult& result, const Operands& operands, const Tensor& y, double eps) {
  const HostArray y_values = y.to_host();
  HostArray sums;
  if (operands.residual_out) sums = operands.residual_out->to_host();
  if (!can_verify(rt, result)) return;
  ModelLinear problem;
  problem.x = &operands.x.values;
  if (operands.residual) problem.residual = &operands.residual->values;
  if (operands.gamma) problem.gamma = &operands.gamma->values;
  if (operands.bias) problem.bias = &operands.bias->values;
  problem.eps = eps;
  problem.pes = rt.machine().pes_per_cube;
  const data::BoundedMatrix input = model_linear_input(problem);
  if (operands.residual) {
    result.verification.push_back(bounded_row("S", sums, input, {"a sum in the dtype"}));
  }
  const std::int64_t n = y_values.shape()[1];
  const double products = static_cast<double>(input.values.size()) * static_cast<double>(n);
  const bool all = products * (operands.w2 ? 2 : 1) <= kMaxProducts || n <= kVerifiedOutputs;
  const std::vector<std::int64_t> columns = all ? spread(n, n) : lines_to_compare(y_values, 1, kVerifiedOutputs);
  const HostArray w = take_rows(operands.w.values, columns);
  const HostArray w2 = operands.w2 ? take_rows(operands.w2->values, columns) : HostArray();
  result.verification.push_back(
      model_linear_row(problem, input, w, operands.w2 ? &w2 : nullptr, columns, take_columns(y_values, columns)));
  if (!all) result.notes.push_back(fmt::format("Y: {} of {} columns were verified", columns.size(), n));
}

WorkloadResult run_model_linear(Runtime& rt, const Params& params) {
  const std::int64_t m = params.integer("tokens"), k = params.integer("inputs"), n = params.integer("outputs");
  const Operands operands = make_operands(rt, params);
  const Tensor y = rt.empty({m, n}, params.dtype("dtype"), Layouts().tile.in(activations_of(params)), "Y");
  const double eps = params.real("eps");
  Args arguments{{"w", operands.w.tensor}, {"y", y}, {"partials", make_partials(rt, params)}, {"x", operands.x.tensor}};
  if (operands.residual) {
    arguments.emplace_back("residual", operands.residual->tensor);
    arguments.emplace_back("residual_out", *operands.residual_out);
  }
  if (operands.gamma) {
    arguments.emplace_back("gamma", operands.gamma->tensor);
    arguments.emplace_back("eps", eps);
  }
  if (operands.bias) arguments.emplace_back("bias", operands.bias->tensor);
  if (operands.w2) arguments.emplace_back("w2", operands.w2->tensor);
  const LaunchMetrics metrics = rt.wait(rt.launch("norm_linear", arguments));

  WorkloadResult result;
  add_launch_figures(result, metrics);
  const double elements = static_cast<double>(n) * static_cast<double>(k) * (operands.w2 ? 2 : 1);
  add_rate(result, "weights", elements * static_cast<double>(item_size(params.dtype("dtype"))), metrics.exec_max,
           "GB/s", "bytes of the weights over the critical path");
  add_rate(result, "achieved", 2 * static_cast<double>(m) * elements, metrics.exec_max, "GFLOP/s",
           "operations of the products over the critical path");
  add_engine_shares(result, metrics);
  add_pe_count(result, metrics.pes);
  verify(rt, result, operands, y, eps);
  return result;
}

}  // namespace

Workload model_linear_workload() {
  return {"model-linear",
          "Y = f(RMSNorm(R + X) W^T), a product of a step of a language model on one SIP",
          {Parameter::integer("tokens", 1, "rows of X", 1, "tokens"),
           Parameter::integer("inputs", 8192, "columns of X and W", 1, "elements"),
           Parameter::integer("outputs", 1280, "rows of W, split over the cubes", 1, "elements"),
           Parameter::choice("residual", "yes", {"yes", "no"}, "add X to a residual stream first, and store the sum"),
           Parameter::choice("norm", "rms", {"rms", "none"}, "RMSNorm of the input"),
           Parameter::choice("epilogue", "none", {"none", "bias", "swiglu"},
                             "what is done with the product; swiglu: silu(X W^T) (X W2^T)"),
           Parameter::real("eps", 1e-5, "added to the mean of the squares"),
           Parameter::choice("activations", "hbm", {"hbm", "tcm"}, "memory of X and Y").tuning(),
           Parameter::choice("partials", "auto", {"auto", "tcm", "hbm"},
                             "memory of the partial sums; auto: the TCM where they fit")
               .tuning(),
           Parameter::choice("dtype", "bf16", {"bf16", "f16", "f32"}, "element type of all tensors"), data_parameter()},
          run_model_linear};
}

}  // namespace kb::sw
