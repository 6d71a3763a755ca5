#include "sw/benches/support.h"

#include <algorithm>
#include <cmath>

#include "platform/data/element.h"
#include "platform/data/reference.h"

namespace kb::sw {
namespace {

// False, with a note, when the run computes no data.
bool can_verify(const Runtime& runtime, BenchResult& result) {
  if (runtime.computes_data()) return true;
  const std::string note = "data mode off: no data was computed, so nothing was verified";
  if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end()) result.notes.push_back(note);
  return false;
}

void compare_integers(BenchResult& result, const std::string& tensor, const HostArray& actual,
                      const std::vector<std::int64_t>& expected) {
  const Dtype dtype = actual.dtype();
  // The device keeps the low bits of a sum that does not fit.
  const std::vector<std::int64_t> stored = data::to_integers(dtype, data::from_integers(dtype, expected));
  result.verification.push_back(data::compare(tensor, dtype, actual.shape(), actual.bytes(), stored));
}

}  // namespace

std::vector<Parameter> gemm_size_parameters() {
  return {
      Parameter::integer("m", 512, "rows of A and C", 1, "elements"),
      Parameter::integer("k", 512, "columns of A, rows of B", 1, "elements"),
      Parameter::integer("n", 512, "columns of B and C", 1, "elements"),
  };
}

DPPolicy one_pe_placement() {
  DPPolicy policy;
  policy.num_cubes = policy.num_pes = 1;
  return policy;
}

LaunchOptions on_one_pe() {
  LaunchOptions launch;
  launch.cubes = {0};
  launch.pes = {0};
  return launch;
}

Parameter dtype_parameter(const std::string& default_value) {
  return Parameter::choice("dtype", default_value, dtype_names(), "element type of all tensors");
}

void add_launch_figures(BenchResult& result, const LaunchMetrics& metrics, const std::string& prefix) {
  const std::string lead = prefix.empty() ? "" : prefix + " ";
  result.figures.push_back(
      {lead + "critical path", fs_to_ns(metrics.exec_max), "ns", "the longest time of a PE in the kernel"});
  result.figures.push_back({lead + "launch to completion", fs_to_ns(metrics.total()), "ns",
                            "from the host's submission to its completion there"});
}

void add_rate(BenchResult& result, const std::string& name, double amount, TimeFs time, const std::string& unit,
              const std::string& meaning) {
  if (time > 0) result.figures.push_back({name, amount / fs_to_ns(time), unit, meaning});
}

void add_pe_count(BenchResult& result, std::size_t pes) {
  result.figures.push_back({"participating PEs", static_cast<double>(pes), "", "PEs that ran the kernel"});
}

void verify_exact(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& actual,
                  const HostArray& expected) {
  if (!can_verify(runtime, result)) return;
  if (!is_float(actual.dtype())) {
    result.verification.push_back(
        data::compare(tensor, actual.dtype(), actual.shape(), actual.bytes(), expected.to_integers()));
    return;
  }
  data::ErrorBound bound;
  bound.exact = true;
  result.verification.push_back(
      data::compare(tensor, actual.dtype(), actual.shape(), actual.bytes(), expected.to_doubles(), bound));
}

void verify_values(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& actual,
                   const std::vector<double>& expected, double roundings, const std::vector<double>& magnitudes) {
  if (!can_verify(runtime, result)) return;
  data::ErrorBound bound;
  bound.roundings = roundings;
  bound.sum_abs_terms = magnitudes.empty() ? expected : magnitudes;
  for (double& magnitude : bound.sum_abs_terms) magnitude = std::abs(magnitude);
  result.verification.push_back(data::compare(tensor, actual.dtype(), actual.shape(), actual.bytes(), expected, bound));
}

void verify_gemm(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& a,
                 const HostArray& b, const HostArray& c, double acc_roundings) {
  if (!can_verify(runtime, result)) return;
  const auto m = static_cast<std::size_t>(a.shape()[0]);
  const auto k = static_cast<std::size_t>(a.shape()[1]);
  const auto n = static_cast<std::size_t>(b.shape()[1]);
  if (!is_float(c.dtype())) {
    compare_integers(result, tensor, c, data::reference_gemm(a.to_integers(), b.to_integers(), m, k, n));
    return;
  }
  const data::ReferenceGemm reference = data::reference_gemm(a.to_doubles(), b.to_doubles(), m, k, n);
  verify_sums(runtime, result, tensor, c, reference.values, reference.sum_abs_terms, acc_roundings);
}

void verify_integers(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& actual,
                     const std::vector<std::int64_t>& expected) {
  if (can_verify(runtime, result)) compare_integers(result, tensor, actual, expected);
}

void verify_sums(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& actual,
                 const std::vector<double>& expected, const std::vector<double>& magnitudes, double acc_roundings) {
  if (!can_verify(runtime, result)) return;
  data::ErrorBound bound;
  bound.sum_abs_terms = magnitudes;
  bound.roundings = 1;
  bound.acc_roundings = acc_roundings;
  result.verification.push_back(data::compare(tensor, actual.dtype(), actual.shape(), actual.bytes(), expected, bound));
}

void verify_sum(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& a,
                const HostArray& b, const HostArray& c) {
  if (!can_verify(runtime, result)) return;
  if (!is_float(c.dtype())) {
    const std::vector<std::int64_t> x = a.to_integers();
    std::vector<std::int64_t> sum = b.to_integers();
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum[i]) + static_cast<std::uint64_t>(x[i]));
    }
    compare_integers(result, tensor, c, sum);
    return;
  }
  const std::vector<double> x = a.to_doubles();
  std::vector<double> sum = b.to_doubles();
  data::ErrorBound bound;
  bound.roundings = 1;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    bound.sum_abs_terms.push_back(std::abs(x[i]) + std::abs(sum[i]));
    sum[i] += x[i];
  }
  result.verification.push_back(data::compare(tensor, c.dtype(), c.shape(), c.bytes(), sum, bound));
}

}  // namespace kb::sw
