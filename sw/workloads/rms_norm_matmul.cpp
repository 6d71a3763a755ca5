#include "sw/workloads/rms_norm_matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/data/element.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/deployed.h"
#include "sw/workloads/linear_reference.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

using data::Bounded;
using data::BoundedMatrix;

constexpr std::int64_t kNormVerifiedColumns = 64;  // verified columns of large results

Bounded reciprocal_root(Bounded x) {
  const auto f = [](double value) { return 1 / std::sqrt(value); };
  return data::function(f, x, 0.5 * std::pow(x.value - x.error, -1.5));
}

}  // namespace

// Integers: rows are two or four times 1 and -1, so that a row without its normalisation is wrong.
HostArray RmsNormMatmul::x(std::int64_t m, std::uint64_t seed) const {
  if (contents == Contents::real) return HostArray::random({m, k}, dtype, seed);
  std::vector<double> values = balanced_signs({m, k}, dtype, seed).to_doubles();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] *= data::random_bits(seed, i / static_cast<std::size_t>(k)) % 2 == 0 ? 2 : 4;
  }
  return HostArray::from_doubles({m, k}, dtype, values);
}

HostArray RmsNormMatmul::g(std::uint64_t seed) const {
  return contents == Contents::real ? positive_contents(contents, {1, k}, dtype, seed)
                                    : powers_of_two({1, k}, dtype, seed);
}

HostArray RmsNormMatmul::w(std::int64_t n, std::uint64_t seed) const {
  return ProductContents(contents, k, dtype, dtype, 2).right(n, seed);
}

data::VerificationRow rms_norm_matmul_row(const HostArray& x, const HostArray& g, double eps, const HostArray& w,
                                          const HostArray& y) {
  const BoundedMatrix values = exact_values(x);
  std::vector<double> gain = g.to_doubles();
  // The kernel divides g by a power of two, so that x g fits the dtype, and multiplies the norms by it.
  double unit = 1;
  for (const double value : gain) {
    while (unit < std::fabs(value) && std::isfinite(value)) unit *= 2;
  }
  for (double& value : gain) value /= unit;
  const std::size_t k = values.cols;
  const Bounded per_element{data::nearest(Dtype::f32, 1.0 / static_cast<double>(k)), 0};
  const Bounded epsilon{data::nearest(Dtype::f32, eps), 0};
  BoundedMatrix weighed = values;
  std::vector<Bounded> scale;
  for (std::size_t row = 0; row < values.rows; ++row) {
    BoundedMatrix own = data::exact_matrix(1, k, {}), turned = data::exact_matrix(k, 1, {});
    const auto begin = values.values.begin() + static_cast<std::ptrdiff_t>(row * k);
    own.values.assign(begin, begin + static_cast<std::ptrdiff_t>(k));
    turned.values = own.values;
    own.errors.assign(k, 0);
    turned.errors.assign(k, 0);
    scale.push_back(reciprocal_root(data::multiply_add(data::product(own, turned).at(0), per_element, epsilon)));
    for (std::size_t i = row * k; i < (row + 1) * k; ++i) {
      weighed.set(i, data::rounded(x.dtype(), data::multiply(values.at(i), {gain[i % k], 0})));
    }
  }
  BoundedMatrix expected = data::product(weighed, exact_values(w));
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    expected.set(i, data::multiply(expected.at(i), data::multiply(scale[i / expected.cols], {unit, 0})));
  }
  data::round_to(y.dtype(), expected);
  return bounded_row("Y", y, std::move(expected),
                     {"x g in the dtype, sums of squares and products in f32, the root and the scaling (Higham 3.1)"});
}

namespace {

void verify(Runtime& rt, WorkloadResult& result, const Deployed& x, const Deployed& g, double eps, const Deployed& w,
            const HostArray& y) {
  if (!can_verify(rt, result)) return;
  const std::int64_t n = y.shape()[1];
  const double products = static_cast<double>(element_count(y.shape())) * static_cast<double>(x.values.shape()[1]);
  if (products <= kMaxProducts || n <= kNormVerifiedColumns) {
    result.verification.push_back(rms_norm_matmul_row(x.values, g.values, eps, w.values, y));
    return;
  }
  const std::vector<std::int64_t> columns = lines_to_compare(y, 1, kNormVerifiedColumns);
  result.verification.push_back(
      rms_norm_matmul_row(x.values, g.values, eps, take_columns(w.values, columns), take_columns(y, columns)));
  result.notes.push_back(fmt::format("Y: {} of {} columns were verified", columns.size(), n));
}

WorkloadResult run_rms_norm_matmul(Runtime& rt, const Params& params) {
  const Dtype dtype = params.dtype("dtype");
  const std::int64_t m = params.integer("tokens"), k = params.integer("hidden"), n = params.integer("columns");
  const bool one = params.text("pes") == "one";
  DPPolicy columns, copies;
  columns.cube = columns.pe = Split::column_wise;
  if (one) columns = copies = one_pe_placement();
  const Shape x_shape{m, k}, g_shape{1, k}, y_shape{m, n};
  const RmsNormMatmul operands{contents_of(params), k, dtype};
  const Deployed x = deploy(rt, x_shape, dtype, copies, "X", [&] { return operands.x(m, rt.seed()); });
  const Deployed g = deploy(rt, g_shape, dtype, copies, "G", [&] { return operands.g(rt.seed() + 1); });
  const Deployed w = deploy(rt, {k, n}, dtype, columns, "W", [&] { return operands.w(n, rt.seed() + 2); });
  const Tensor y = rt.empty(y_shape, dtype, columns, "Y");
  const double eps = params.real("eps");
  Args arguments{{"x", x.tensor}, {"g", g.tensor}, {"w", w.tensor},
                 {"y", y},        {"eps", eps},    {"buffers", params.text("variant") == "blocking" ? 1 : 2}};
  for (const auto& [name, argument] :
       {std::pair{"rows_at_once", "rows"}, {"depth_at_once", "depth"}, {"columns_at_once", "columns"}}) {
    if (params.integer(name) > 0) arguments.emplace_back(argument, params.integer(name));
  }
  const LaunchMetrics metrics = rt.wait(rt.launch("rms_norm_matmul", arguments, one ? on_one_pe() : LaunchOptions{}));
  const HostArray y_values = y.to_host();

  WorkloadResult result;
  add_launch_figures(result, metrics);
  add_rate(result, "achieved", 2 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n),
           metrics.exec_max, "GFLOP/s", "operations of x w over the critical path");
  add_engine_shares(result, metrics);
  add_pe_count(result, metrics.pes);
  verify(rt, result, x, g, eps, w, y_values);
  return result;
}

}  // namespace

Workload rms_norm_matmul_workload() {
  return {"rms-norm-matmul",
          "Y = RMSNorm(X) W in one kernel, W loaded while the blocks before are computed with",
          {Parameter::integer("tokens", 64, "rows of X", 1, "tokens"),
           Parameter::integer("hidden", 2048, "columns of X, rows of W", 1, "elements"),
           Parameter::integer("columns", 512, "columns of W, split over the PEs", 1, "elements"),
           Parameter::real("eps", 1e-5, "added to the mean of the squares"),
           Parameter::choice("variant", "double_buffered", {"double_buffered", "blocking"},
                             "loads that run ahead of the computation, or one after the other")
               .tuning(),
           Parameter::choice("pes", "one", {"one", "all"}, "PE 0 of cube 0, or all of one SIP with a copy of X each"),
           Parameter::integer("rows_at_once", 0, "rows of X that a PE works on; 0: up to 64, as fit the scratch", 0)
               .tuning({"16", "32", "64", "128"}),
           Parameter::integer("depth_at_once", 0, "rows of a block of W; 0: 128", 0).tuning({"64", "128", "256"}),
           Parameter::integer("columns_at_once", 0, "columns of a block of W; 0: as many as fit the scratch", 0),
           Parameter::choice("dtype", "f16", {"f16", "bf16", "f32"}, "element type of all tensors"), data_parameter()},
          run_rms_norm_matmul};
}

}  // namespace kb::sw
