#include "sw/workloads/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/data/element.h"
#include "platform/data/reference.h"
#include "sw/tensor/join.h"

namespace kb::sw {
namespace {

Error not_of_one_problem(const std::string& tensor, const HostArray& a, const HostArray& b, const char* what) {
  return Error::program("SHAPE_ERROR", fmt::format("verification of {}: {} and {} are no operands of {}", tensor,
                                                   format_shape(a.shape()), format_shape(b.shape()), what));
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

Parameter memory_parameter(const std::vector<std::string>& tensors) {
  return Parameter::text("memory", "hbm",
                         fmt::format("what {} lie in: hbm, sram or tcm, or one for each: hbm,sram,tcm", join(tensors)));
}

std::vector<MemoryKind> memories_of(const Params& params, const std::vector<std::string>& tensors) {
  const std::vector<std::string>& known = names_of<MemoryKind>();
  std::vector<MemoryKind> kinds;
  std::stringstream list(params.text("memory"));
  for (std::string name; std::getline(list, name, ',');) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw Error::program("SCHEMA_ERROR", fmt::format("memory = {}: '{}' is not a memory ({})", params.text("memory"),
                                                       name, suggest(name, known)));
    }
    kinds.push_back(static_cast<MemoryKind>(found - known.begin()));
  }
  if (kinds.size() == 1) kinds.resize(tensors.size(), kinds.front());
  if (kinds.size() == tensors.size()) return kinds;
  throw Error::program("SCHEMA_ERROR",
                       fmt::format("memory = {}: name one memory for all tensors, or {} of them, for {}",
                                   params.text("memory"), tensors.size(), join(tensors)));
}

Parameter weights_parameter() {
  return Parameter::choice("weights", "hbm", {"hbm", "sram", "tcm"}, "the memory that weights and biases lie in");
}

MemoryKind weights_of(const Params& params) {
  const std::vector<std::string>& known = names_of<MemoryKind>();
  return static_cast<MemoryKind>(std::find(known.begin(), known.end(), params.text("weights")) - known.begin());
}

Parameter dtype_parameter(const std::string& default_value) {
  return Parameter::choice("dtype", default_value, arithmetic_dtype_names(), "element type of all tensors");
}

void add_launch_figures(WorkloadResult& result, const LaunchMetrics& metrics, const std::string& prefix) {
  const std::string lead = prefix.empty() ? "" : prefix + " ";
  result.figures.push_back(
      {lead + "critical path", fs_to_ns(metrics.exec_max), "ns", "the longest time of a PE in the kernel"});
  result.figures.push_back({lead + "launch to completion", fs_to_ns(metrics.total()), "ns",
                            "from the host's submission to its completion there"});
}

void add_rate(WorkloadResult& result, const std::string& name, double amount, TimeFs time, const std::string& unit,
              const std::string& meaning) {
  if (time > 0_fs) result.figures.push_back({name, amount / fs_to_ns(time), unit, meaning});
}

void add_engine_shares(WorkloadResult& result, const LaunchMetrics& metrics) {
  const auto share = [&](TimeFs busy) {
    return 100.0 * static_cast<double>(busy.fs()) / static_cast<double>(metrics.exec_max.fs());
  };
  result.figures.push_back({"computing", share(metrics.compute_max), "%", "of the critical path: PE_GEMM and PE_MATH"});
  result.figures.push_back(
      {"loading", share(metrics.channel_max), "%", "of the critical path: the read or the write channels of PE_DMA"});
}

void add_pe_count(WorkloadResult& result, std::size_t pes) {
  result.figures.push_back({"participating PEs", static_cast<double>(pes), "", "PEs that ran the kernel"});
}

data::VerificationRow exact_row(const std::string& tensor, const HostArray& actual, const HostArray& expected) {
  if (!is_float(actual.dtype())) {
    return data::compare(tensor, actual.dtype(), actual.shape(), actual.bytes(), expected.to_integers());
  }
  return data::compare(tensor, actual.dtype(), actual.shape(), actual.bytes(), expected.to_doubles());
}

data::VerificationRow integers_row(const std::string& tensor, const HostArray& actual,
                                   const std::vector<std::int64_t>& expected) {
  const Dtype dtype = actual.dtype();
  // The device keeps the low bits of a sum that overflows.
  const std::vector<std::int64_t> stored = data::to_integers(dtype, data::from_integers(dtype, expected));
  return data::compare(tensor, dtype, actual.shape(), actual.bytes(), stored);
}

data::VerificationRow bounded_row(const std::string& tensor, const HostArray& actual, data::BoundedMatrix expected,
                                  std::vector<std::string> roundings) {
  data::ErrorBound bound;
  bound.errors = std::move(expected.errors);
  bound.roundings = std::move(roundings);
  return data::compare(tensor, actual.dtype(), actual.shape(), actual.bytes(), expected.values, bound);
}

data::VerificationRow values_row(const std::string& tensor, const HostArray& actual,
                                 const std::vector<double>& expected, double roundings,
                                 const std::vector<double>& magnitudes) {
  const Dtype dtype = actual.dtype();
  data::ErrorBound bound;
  bound.errors = magnitudes.empty() ? expected : magnitudes;
  for (double& error : bound.errors) {
    error = roundings * (data::unit_roundoff(dtype) * std::abs(error) + data::subnormal_roundoff(dtype));
  }
  bound.roundings = {
      fmt::format("{:g} more roundings: {:g} u({}) sum|terms|", roundings, roundings, dtype_name(dtype))};
  return data::compare(tensor, dtype, actual.shape(), actual.bytes(), expected, bound);
}

data::VerificationRow gemm_row(const std::string& tensor, const HostArray& a, const HostArray& b, const HostArray& c,
                               double acc_roundings) {
  const auto m = static_cast<std::size_t>(a.shape()[0]);
  const auto k = static_cast<std::size_t>(a.shape()[1]);
  const auto n = static_cast<std::size_t>(b.shape()[1]);
  if (b.shape()[0] != a.shape()[1]) throw not_of_one_problem(tensor, a, b, "a product");
  if (!is_float(c.dtype())) {
    return integers_row(tensor, c, data::reference_gemm(a.to_integers(), b.to_integers(), m, k, n));
  }
  const double extra = std::max(0.0, acc_roundings - static_cast<double>(k));
  return bounded_row(tensor, c, data::product(exact_values(a), exact_values(b), extra),
                     {product_rounding(fmt::format("sums of {} products", k), acc_roundings)});
}

data::VerificationRow sum_row(const std::string& tensor, const HostArray& a, const HostArray& b, const HostArray& c) {
  if (a.shape() != b.shape()) throw not_of_one_problem(tensor, a, b, "a sum");
  if (!is_float(c.dtype())) {
    const std::vector<std::int64_t> x = a.to_integers();
    std::vector<std::int64_t> sum = b.to_integers();
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum[i]) + static_cast<std::uint64_t>(x[i]));
    }
    return integers_row(tensor, c, sum);
  }
  const data::BoundedMatrix x = exact_values(a);
  data::BoundedMatrix sum = exact_values(b);
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.set(i, data::add(x.at(i), sum.at(i)));
  return bounded_row(tensor, c, std::move(sum), {"the sum in f32 (Higham 3.3)"});
}

data::BoundedMatrix exact_values(const HostArray& array) {
  const auto count = static_cast<std::size_t>(element_count(array.shape()));
  const auto rows = array.shape().empty() ? 1 : static_cast<std::size_t>(array.shape()[0]);
  return data::exact_matrix(rows, count / rows, array.to_doubles());
}

std::string product_rounding(const std::string& what, double roundings) {
  return fmt::format("{} in f32: gamma_{:g} sum|terms| (Higham 3.1)", what, roundings);
}

bool can_verify(const Runtime& runtime, WorkloadResult& result) {
  if (runtime.computes_data()) return true;
  const std::string note = "data mode off: no data was computed, so nothing was verified";
  if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end()) result.notes.push_back(note);
  return false;
}

void verify_exact(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const HostArray& actual,
                  const HostArray& expected) {
  if (can_verify(runtime, result)) result.verification.push_back(exact_row(tensor, actual, expected));
}

void verify_values(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const HostArray& actual,
                   const std::vector<double>& expected, double roundings, const std::vector<double>& magnitudes) {
  if (can_verify(runtime, result)) {
    result.verification.push_back(values_row(tensor, actual, expected, roundings, magnitudes));
  }
}

void verify_gemm(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const HostArray& a,
                 const HostArray& b, const HostArray& c, double acc_roundings) {
  if (can_verify(runtime, result)) result.verification.push_back(gemm_row(tensor, a, b, c, acc_roundings));
}

void verify_integers(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const HostArray& actual,
                     const std::vector<std::int64_t>& expected) {
  if (can_verify(runtime, result)) result.verification.push_back(integers_row(tensor, actual, expected));
}

void verify_sum(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const HostArray& a,
                const HostArray& b, const HostArray& c) {
  if (can_verify(runtime, result)) result.verification.push_back(sum_row(tensor, a, b, c));
}

}  // namespace kb::sw
