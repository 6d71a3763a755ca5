#include "sw/workloads/linear.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "sw/parallel/initial_values.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/deployed.h"
#include "sw/workloads/epilogue_reference.h"
#include "sw/workloads/linear_reference.h"
#include "sw/workloads/ranks.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

// Y (m, n) = X (m, k) x W (k, n), with a bias (1, n) if there is an epilogue.
struct Layer {
  std::int64_t m = 0, k = 0, n = 0;
  Dtype dtype = Dtype::f16;
  Contents contents = Contents::integers;
  std::string epilogue;
  DPPolicy x, w, y;  // the bias has the placement of W
  LaunchOptions launch;
};

struct LayerResult {
  Deployed x, w, bias;
  HostArray y;
  LaunchMetrics metrics;
};

LayerResult run_linear_layer(Runtime& rt, const Layer& layer, std::uint64_t x_seed, std::uint64_t w_seed) {
  LayerResult out;
  const ProductContents operands(layer.contents, layer.k, layer.dtype, layer.dtype);
  out.x = deploy(rt, {layer.m, layer.k}, layer.dtype, layer.x, "X", [&] { return operands.left(layer.m, x_seed); });
  out.w = deploy(rt, {layer.k, layer.n}, layer.dtype, layer.w, "W", [&] { return operands.right(layer.n, w_seed); });
  const Tensor y = rt.empty({layer.m, layer.n}, layer.dtype, layer.y, "Y");
  Args arguments{{"x", out.x.tensor}, {"w", out.w.tensor}, {"y", y}};
  if (!layer.epilogue.empty()) {
    out.bias = deploy(rt, {1, layer.n}, layer.dtype, layer.w, "bias",
                      [&] { return bias_contents(layer.contents, layer.n, layer.dtype, w_seed + 1); });
    arguments.emplace_back("epilogue", layer.epilogue);
    arguments.emplace_back("bias", out.bias.tensor);
  }
  out.metrics = rt.wait(rt.launch("linear", arguments, layer.launch));
  out.y = y.to_host();
  return out;
}

void verify_layer(Runtime& rt, WorkloadResult& result, const std::string& name, const LayerResult& run) {
  if (!can_verify(rt, result)) return;
  const HostArray* const bias = run.bias.tensor.valid() ? &run.bias.values : nullptr;
  LinearVerdict verdict = linear_verdict(name, {&run.x.values, &run.w.values, bias}, run.y);
  for (data::VerificationRow& row : verdict.rows) result.verification.push_back(std::move(row));
  if (!verdict.note.empty()) result.notes.push_back(std::move(verdict.note));
}

double layer_products(const Layer& layer) {
  return static_cast<double>(layer.m) * static_cast<double>(layer.k) * static_cast<double>(layer.n);
}

void add_achieved(WorkloadResult& result, double products, Dtype dtype, TimeFs time) {
  add_rate(result, "achieved", 2.0 * products, time, is_float(dtype) ? "GFLOP/s" : "GOP/s",
           "2 operations per product over the critical path");
}

// Adds the figures of one launch.
void add_figures(WorkloadResult& result, double products, Dtype dtype, const LaunchMetrics& metrics) {
  add_launch_figures(result, metrics);
  add_achieved(result, products, dtype, metrics.exec_max);
  add_pe_count(result, metrics.pes);
}

// Adds the figures of concurrent launches on several SIPs.
void add_figures(WorkloadResult& result, double products, Dtype dtype, const std::vector<LaunchMetrics>& launches) {
  TimeFs slowest = 0_fs;
  std::size_t pes = 0;
  for (const LaunchMetrics& metrics : launches) {
    slowest = std::max(slowest, metrics.exec_max);
    pes += metrics.pes;
  }
  result.figures.push_back(
      {"critical path", fs_to_ns(slowest), "ns", "the longest time of a PE in the kernel, over all SIPs"});
  add_achieved(result, products, dtype, slowest);
  add_pe_count(result, pes);
}

DPPolicy split_over_pes(Split split) {
  DPPolicy policy;
  policy.cube = policy.pe = split;
  return policy;
}

WorkloadResult run_here(Runtime& rt, const Layer& layer) {
  const LayerResult run = run_linear_layer(rt, layer, rt.seed(), rt.seed() + 1);
  WorkloadResult result;
  add_figures(result, layer_products(layer), layer.dtype, run.metrics);
  verify_layer(rt, result, "Y", run);
  return result;
}

Layer qkv_layer(const Params& params, std::int64_t hidden) {
  Layer layer;
  layer.m = params.integer("tokens");
  layer.k = hidden;
  layer.n = 3 * hidden;
  layer.dtype = params.dtype("dtype");
  layer.contents = contents_of(params);
  layer.epilogue = "bias";
  return layer;
}

WorkloadResult run_qkv_single(Runtime& rt, const Params& params) {
  Layer layer = qkv_layer(params, params.integer("hidden"));
  layer.x = layer.w = layer.y = one_pe_placement();
  layer.launch = on_one_pe();
  return run_here(rt, layer);
}

WorkloadResult run_qkv_multi(Runtime& rt, const Params& params) {
  Layer layer = qkv_layer(params, params.integer("hidden"));
  layer.w = layer.y = split_over_pes(Split::column_wise);
  return run_here(rt, layer);
}

// `layer` is the part of one SIP; the parts differ in W when `split_w`, otherwise in X.
WorkloadResult run_everywhere(Runtime& rt, const std::string& name, const Layer& layer, bool split_w) {
  const auto runs = on_every_sip(rt, name, [&](int rank, int) {
    const std::uint64_t own = rt.seed() + 10 * static_cast<std::uint64_t>(rank + 1);
    return run_linear_layer(rt, layer, split_w ? rt.seed() : own, split_w ? own : rt.seed());
  });
  WorkloadResult result;
  std::vector<LaunchMetrics> launches;
  for (const LayerResult& run : runs) launches.push_back(run.metrics);
  add_figures(result, layer_products(layer) * static_cast<double>(runs.size()), layer.dtype, launches);
  for (std::size_t rank = 0; rank < runs.size(); ++rank) {
    verify_layer(rt, result, fmt::format("Y of sip{}", rt.devices()[rank]), runs[rank]);
  }
  return result;
}

std::int64_t even_share(std::int64_t total, const Runtime& rt, const char* what) {
  const auto sips = static_cast<std::int64_t>(rt.devices().size());
  if (total % sips == 0) return total / sips;
  throw Error::program("SHAPE_ERROR", fmt::format("{} = {} cannot be split evenly over {} SIPs", what, total, sips));
}

struct Gpt3Model {
  const char* name;
  std::int64_t hidden;
};
constexpr Gpt3Model kGpt3Models[] = {{"small", 768}, {"medium", 1024}, {"large", 1536}, {"xl", 2048},
                                     {"2.7b", 2560}, {"6.7b", 4096},   {"13b", 5120},   {"175b", 12288}};

WorkloadResult run_gpt3(Runtime& rt, const Params& params) {
  const std::string& name = params.text("model");
  const auto* model =
      std::find_if(std::begin(kGpt3Models), std::end(kGpt3Models), [&](const Gpt3Model& m) { return m.name == name; });
  Layer layer = qkv_layer(params, model->hidden);
  layer.n = even_share(layer.n, rt, "3 hidden");
  layer.w = layer.y = split_over_pes(Split::column_wise);
  return run_everywhere(rt, "gpt3-qkv", layer, true);
}

WorkloadResult run_matmul_multi(Runtime& rt, const Params& params) {
  Layer layer;
  layer.m = even_share(params.integer("m"), rt, "m");
  layer.k = params.integer("k");
  layer.n = params.integer("n");
  layer.dtype = params.dtype("dtype");
  layer.contents = contents_of(params);
  layer.y = split_over_pes(Split::row_wise);
  return run_everywhere(rt, "matmul-composite-multi-pe", layer, false);
}

// Bits of H to reserve for sums over it; sums of integers must fit.
int spare_for_h(Dtype dtype) {
  return is_float(dtype) ? 4 : 5;
}

WorkloadResult run_mlp(Runtime& rt, const Params& params) {
  const std::int64_t m = params.integer("tokens"), k = params.integer("hidden"), wide = params.integer("inner");
  const Dtype dtype = params.dtype("dtype");
  const DPPolicy rows = split_over_pes(Split::row_wise), whole = DPPolicy().in(weights_of(params));
  const Contents contents = contents_of(params);
  const ProductContents first(contents, k, dtype, dtype, spare_for_h(dtype));
  const Deployed x = deploy(rt, {m, k}, dtype, rows, "X", [&] { return first.left(m, rt.seed()); });
  const Deployed w1 = deploy(rt, {k, wide}, dtype, whole, "W1", [&] { return first.right(wide, rt.seed() + 1); });
  const auto bias = [&](std::int64_t n, const char* name, std::uint64_t seed) {
    return deploy(rt, {1, n}, dtype, whole, name, [&] { return bias_contents(contents, n, dtype, seed); });
  };
  const Deployed b1 = bias(wide, "b1", rt.seed() + 2);
  const Deployed w2 = deploy(rt, {wide, k}, dtype, whole, "W2", [&] {
    return contents == Contents::real && is_float(dtype) ? HostArray::random({wide, k}, dtype, rt.seed() + 3)
                                                         : sparse_signs(wide, k, dtype, rt.seed() + 3);
  });
  const Deployed b2 = bias(k, "b2", rt.seed() + 4);
  const Tensor h = rt.empty({m, wide}, dtype, rows, "H"), y = rt.empty({m, k}, dtype, rows, "Y");
  const LaunchMetrics metrics = rt.wait(rt.launch("mlp", {{"x", x.tensor},
                                                          {"w1", w1.tensor},
                                                          {"b1", b1.tensor},
                                                          {"h", h},
                                                          {"w2", w2.tensor},
                                                          {"b2", b2.tensor},
                                                          {"y", y}}));
  const HostArray h_host = h.to_host(), y_host = y.to_host();

  WorkloadResult result;
  add_figures(result, 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(wide), dtype,
              metrics);
  // Verifies each half against its actual input: the second half begins with the rounded activations.
  const auto check = [&](const char* name, const HostArray& a, const Deployed& b, const Deployed& shift,
                         const HostArray& c, const char* epilogue) {
    verify_epilogues(rt, result, name,
                     EpilogueGemm{&a, &b.values, parse_epilogues(epilogue), &shift.values, nullptr, 0}, c);
  };
  check("H", x.values, w1, b1, h_host, "bias,relu");
  check("Y", h_host, w2, b2, y_host, "bias");
  return result;
}

std::vector<Parameter> qkv_parameters(std::int64_t tokens, std::int64_t hidden) {
  return {Parameter::integer("tokens", tokens, "rows of X", 1, "tokens"),
          Parameter::integer("hidden", hidden, "width of the model", 1, "elements"), dtype_parameter(),
          data_parameter()};
}

}  // namespace

Workload qkv_gemm_workload() {
  return {"qkv-gemm", "query, key and value projections of one layer as one composite with bias on one PE, verified",
          qkv_parameters(64, 256), run_qkv_single};
}

Workload qkv_gemm_multi_pe_workload() {
  return {"qkv-gemm-multi-pe",
          "query, key and value projections with W split by columns over the PEs of a SIP, verified",
          qkv_parameters(128, 1024), run_qkv_multi};
}

Workload gpt3_qkv_workload() {
  std::vector<std::string> models;
  for (const Gpt3Model& model : kGpt3Models) models.emplace_back(model.name);
  return {
      "gpt3-qkv",
      "query, key and value projections of a GPT-3 layer over every PE of the machine, verified",
      {Parameter::choice("model", "175b", models, "width of the model: 768, 1024, 1536, 2048, 2560, 4096, 5120, 12288"),
       Parameter::integer("tokens", 128, "rows of X", 1, "tokens"), dtype_parameter(), data_parameter()},
      run_gpt3};
}

Workload matmul_composite_multi_pe_workload() {
  std::vector<Parameter> parameters = gemm_size_parameters();
  parameters.push_back(dtype_parameter());
  parameters.push_back(data_parameter());
  return {"matmul-composite-multi-pe",
          "C = A x B as one composite per PE over every PE of the machine, C split by rows, verified",
          std::move(parameters), run_matmul_multi};
}

Workload mlp_workload() {
  return {"mlp",
          "Y = relu(X x W1 + b1) x W2 + b2 in one launch, rows split over the PEs of a SIP, verified",
          {Parameter::integer("tokens", 512, "rows of X", 1, "tokens"),
           Parameter::integer("hidden", 256, "columns of X and Y", 1, "elements"),
           Parameter::integer("inner", 1024, "columns of W1", 1, "elements"), dtype_parameter(), data_parameter(),
           weights_parameter()},
          run_mlp};
}

}  // namespace kb::sw
