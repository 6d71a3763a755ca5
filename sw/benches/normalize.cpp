#include "sw/benches/normalize.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "sw/benches/deployed.h"
#include "sw/benches/support.h"

namespace kb::sw {
namespace {

using Row = std::vector<double>;

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

using Deploy = Deployed (*)(Runtime&, const Shape&, Dtype, const DPPolicy&, const std::string&, std::uint64_t);

Input make_input(Runtime& rt, const Params& params, Deploy deploy = deploy_random) {
  Input in;
  in.shape = {params.integer("rows"), params.integer("columns")};
  in.dtype = params.dtype("dtype");
  in.x = deploy(rt, in.shape, in.dtype, by_rows(), "X", rt.seed());
  in.out = rt.empty(in.shape, in.dtype, by_rows(), "Y");
  return in;
}

BenchResult figures_of(const Input& in, const LaunchMetrics& metrics, double tensors) {
  BenchResult result;
  add_launch_figures(result, metrics);
  const double bytes =
      tensors * static_cast<double>(element_count(in.shape)) * static_cast<double>(item_size(in.dtype));
  add_rate(result, "memory traffic", bytes, metrics.exec_max, "GB/s", "bytes read and written over the critical path");
  add_pe_count(result, metrics.pes);
  return result;
}

// row -> expected row and the magnitudes that its errors scale with.
using RowFunction = std::function<void(const Row& row, Row& expected, Row& magnitudes)>;

void verify_rows(Runtime& rt, BenchResult& result, const Input& in, const HostArray& y, double acc_roundings,
                 const RowFunction& function) {
  if (!rt.computes_data()) return verify_exact(rt, result, "Y", y, y);  // leaves the note
  const Row x = in.x.values.to_doubles();
  const auto width = static_cast<std::ptrdiff_t>(in.shape[1]);
  Row expected, magnitudes, row_expected, row_magnitudes;
  for (auto at = x.begin(); at != x.end(); at += width) {
    function(Row(at, at + width), row_expected, row_magnitudes);
    expected.insert(expected.end(), row_expected.begin(), row_expected.end());
    magnitudes.insert(magnitudes.end(), row_magnitudes.begin(), row_magnitudes.end());
  }
  verify_sums(rt, result, "Y", y, expected, magnitudes, acc_roundings);
}

using Unary = double (*)(double);
using Binary = double (*)(double, double);

const std::map<std::string, Unary>& unary_operations() {
  static const std::map<std::string, Unary> table{
      {"abs", [](double x) { return std::fabs(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"exp", [](double x) { return std::exp(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"neg", [](double x) { return -x; }},
      {"relu", [](double x) { return std::max(x, 0.0); }},
      {"sin", [](double x) { return std::sin(x); }},
      {"sigmoid", [](double x) { return 1.0 / (1.0 + std::exp(-x)); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
  };
  return table;
}
const std::map<std::string, Binary>& binary_operations() {
  static const std::map<std::string, Binary> table{
      {"add", [](double x, double y) { return x + y; }},
      {"div", [](double x, double y) { return x / y; }},
      {"maximum", [](double x, double y) { return std::max(x, y); }},
      {"minimum", [](double x, double y) { return std::min(x, y); }},
      {"mul", [](double x, double y) { return x * y; }},
      {"sub", [](double x, double y) { return x - y; }},
  };
  return table;
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto& entry : unary_operations()) names.push_back(entry.first);
  for (const auto& entry : binary_operations()) names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  return names;
}

BenchResult run_elementwise(Runtime& rt, const Params& params) {
  const std::string& op = params.text("op");
  const auto binary = binary_operations().find(op);
  const bool two = binary != binary_operations().end();
  const bool positive = op == "log" || op == "sqrt";
  const Input in = make_input(rt, params, positive ? deploy_positive : deploy_random);
  std::vector<Arg> arguments{op, in.x.tensor, in.out};
  Deployed other;
  if (two) {
    const Deploy deploy = op == "div" ? deploy_positive : deploy_random;
    other = deploy(rt, in.shape, in.dtype, by_rows(), "Z", rt.seed() + 1);
    arguments.emplace_back(other.tensor);
  }
  const LaunchMetrics metrics = rt.wait(rt.launch("elementwise", arguments));
  const HostArray y = in.out.to_host();
  BenchResult result = figures_of(in, metrics, two ? 3 : 2);
  if (!rt.computes_data()) {
    verify_exact(rt, result, "Y", y, y);  // leaves the note
    return result;
  }
  Row expected = in.x.values.to_doubles();
  const Row second = two ? other.values.to_doubles() : Row();
  Row magnitudes;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double x = expected[i];
    expected[i] = two ? binary->second(x, second[i]) : unary_operations().at(op)(x);
    magnitudes.push_back(two && (op == "add" || op == "sub") ? std::fabs(x) + std::fabs(second[i]) : expected[i]);
  }
  verify_values(rt, result, "Y", y, expected, 2, magnitudes);  // to f32, then to the dtype
  return result;
}

BenchResult run_softmax(Runtime& rt, const Params& params) {
  const Input in = make_input(rt, params);
  const LaunchMetrics metrics = rt.wait(rt.launch("softmax", {in.x.tensor, in.out}));
  const HostArray y = in.out.to_host();
  BenchResult result = figures_of(in, metrics, 2);
  verify_rows(rt, result, in, y, static_cast<double>(in.shape[1]) + 8,
              [](const Row& row, Row& expected, Row& magnitudes) {
                const double peak = *std::max_element(row.begin(), row.end());
                double sum = 0;
                for (const double x : row) sum += std::exp(x - peak);
                expected.clear();
                for (const double x : row) expected.push_back(std::exp(x - peak) / sum);
                magnitudes = expected;
              });
  return result;
}

BenchResult run_layernorm(Runtime& rt, const Params& params) {
  const double eps = params.real("eps");
  const Input in = make_input(rt, params);
  const Shape row_shape{1, in.shape[1]};
  const Deployed gamma = deploy_random(rt, row_shape, in.dtype, {}, "gamma", rt.seed() + 1);
  const Deployed beta = deploy_random(rt, row_shape, in.dtype, {}, "beta", rt.seed() + 2);
  const LaunchMetrics metrics = rt.wait(rt.launch("layernorm", {in.x.tensor, gamma.tensor, beta.tensor, in.out, eps}));
  const HostArray y = in.out.to_host();
  // Every PE also reads gamma and beta.
  const double parameters = 2.0 * static_cast<double>(metrics.pes) / static_cast<double>(in.shape[0]);
  BenchResult result = figures_of(in, metrics, 2 + parameters);
  const Row scale = rt.computes_data() ? gamma.values.to_doubles() : Row();
  const Row shift = rt.computes_data() ? beta.values.to_doubles() : Row();
  // A sum of n terms is off by n roundings of its terms; three sums and a handful of further operations.
  verify_rows(
      rt, result, in, y, 3 * static_cast<double>(in.shape[1]) + 16,
      [&](const Row& row, Row& expected, Row& magnitudes) {
        const auto n = static_cast<double>(row.size());
        double mean = 0, mean_abs = 0, variance = 0;
        for (const double x : row) {
          mean += x / n;
          mean_abs += std::fabs(x) / n;
        }
        for (const double x : row) variance += (x - mean) * (x - mean) / n;
        const double deviation = std::sqrt(variance + eps);
        expected.clear();
        magnitudes.clear();
        for (std::size_t i = 0; i < row.size(); ++i) {
          expected.push_back((row[i] - mean) / deviation * scale[i] + shift[i]);
          magnitudes.push_back((std::fabs(row[i]) + mean_abs) / deviation * std::fabs(scale[i]) + std::fabs(shift[i]));
        }
      });
  return result;
}

std::vector<Parameter> parameters() {
  return {Parameter::integer("rows", 1024, "rows, split over the PEs of a SIP", 1, "elements"),
          Parameter::integer("columns", 256, "columns", 1, "elements"),
          Parameter::choice("dtype", "f16", {"f16", "bf16", "f32"}, "element type of all tensors")};
}

}  // namespace

Bench elementwise_bench() {
  std::vector<Parameter> all = parameters();
  all.push_back(Parameter::choice("op", "exp", operation_names(), "Y = op(X), or op(X, Z) for those with two inputs"));
  return {"elementwise", "an element-wise operation on rows split over the PEs of a SIP, verified", std::move(all),
          run_elementwise};
}

Bench softmax_bench() {
  return {"softmax", "softmax of each row, rows split over the PEs of a SIP, verified", parameters(), run_softmax};
}

Bench layernorm_bench() {
  std::vector<Parameter> all = parameters();
  all.push_back(Parameter::real("eps", 1e-5, "added to the variance"));
  return {"layernorm", "layer normalisation of each row, rows split over the PEs of a SIP, verified", std::move(all),
          run_layernorm};
}

}  // namespace kb::sw
