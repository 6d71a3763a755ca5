#include "sw/workloads/ccl_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "platform/ops/op_types.h"
#include "sw/workloads/support.h"

namespace kb::sw {

HostArray tile_contents(Contents contents, const Shape& shape, Dtype dtype, const std::string& op, std::uint64_t seed) {
  if (contents == Contents::real) return HostArray::random(shape, dtype, seed);
  if (op != "sum" && op != "avg") return whole_numbers(shape, dtype, seed, 120);
  // averages drop fractions
  if (op == "avg" && !is_float(dtype)) return positive_contents(contents, shape, dtype, seed);
  return whole_numbers(shape, dtype, seed, dtype == Dtype::bf16 ? 1 : 8);  // bf16 has eight significant bits
}

Reduction::Reduction(const std::string& op, Dtype dtype)
    : op_(op == "max"   ? Op::max
          : op == "min" ? Op::min
          : op == "avg" ? Op::avg
                        : Op::sum),
      dtype_(dtype),
      unit_(data::lowest_bit(0)) {}

void Reduction::add(double value) {
  if (count_++ == 0 && (op_ == Op::max || op_ == Op::min)) {
    value_ = value;
    return;
  }
  switch (op_) {
    case Op::max:
      value_ = data::maximum({value_, 0}, {value, 0}).value;
      return;
    case Op::min:
      value_ = data::minimum({value_, 0}, {value, 0}).value;
      return;
    default:
      value_ += value;
      magnitude_ += std::fabs(value);
      unit_ = std::min(unit_, value == std::floor(value) ? 0 : data::lowest_bit(value));
  }
}

data::Bounded Reduction::result() const {
  double value = value_;
  const bool average = op_ == Op::avg;
  if (!is_float(dtype_)) {
    const Dtype combined = average ? combined_dtype(dtype_, "avg") : dtype_;
    const unsigned unused = 64 - 8 * static_cast<unsigned>(item_size(combined));
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) << unused;
    value = static_cast<double>(static_cast<std::int64_t>(bits) >> unused);
    return {average ? std::trunc(value / count_) : value, 0};
  }
  if (!std::isfinite(value)) return {value, 0};
  // Terms of both signs, some of which exceed the dtype's range together: the result depends on the order.
  if (op_ == Op::sum && magnitude_ > data::largest(dtype_) && magnitude_ > std::fabs(value) * (1 + 0x1p-40)) {
    return data::unknown(value);
  }
  // Contributions to an average are divided by a power of two before the addition.
  const int scale = average ? static_cast<int>(std::ceil(std::log2(count_))) : 0;
  const double unit = std::ldexp(1.0, scale), divisor = average ? count_ : 1;
  const bool exact = op_ == Op::max || op_ == Op::min || data::sums_exactly(dtype_, magnitude_ / unit, unit_ - scale);
  const double roundings = (average ? 2 : 1) * count_;  // for subnormal numbers, includes the division's
  const double error = exact ? 0
                             : data::sum_growth(count_, data::unit_roundoff(dtype_)) * magnitude_ +
                                   roundings * data::subnormal_roundoff(dtype_) * unit;
  return {value / divisor, error / divisor};
}

data::VerificationRow reduced_row(const std::string& tensor, const HostArray& actual,
                                  const data::BoundedMatrix& expected) {
  if (!is_float(actual.dtype())) {
    return exact_row(tensor, actual, HostArray::from_doubles(actual.shape(), actual.dtype(), expected.values));
  }
  return bounded_row(tensor, actual, expected,
                     {fmt::format("sums of n values in {}, in any order: gamma_n sum|terms| (Higham 3.1)",
                                  dtype_name(actual.dtype()))});
}

namespace {
constexpr const char* kQueueKeys[] = {"buffer_kind",  "n_slots", "slot_size",  "backpressure",
                                      "ipcq_poll_ns", "credit",  "slot_access"};
// Lists are written without brackets.
constexpr const char* kChoiceKeys[] = {"tiles", "candidates"};
}  // namespace

topology::CclOptions queue_options(const Params& params) {
  topology::CclOptions options;
  options.file = params.text("ccl");
  for (const char* key : kQueueKeys) {
    const std::string& value = params.text(key);
    if (!value.empty()) options.overrides.emplace_back(std::string("defaults.") + key, value);
  }
  return options;
}

topology::CclOptions ccl_options(const Params& params) {
  topology::CclOptions options = queue_options(params);
  options.algorithm = params.text("algorithm");
  for (const char* key : kChoiceKeys) {
    const std::string& value = params.text(key);
    const bool list = std::string(key) == "candidates";
    if (!value.empty())
      options.overrides.emplace_back(std::string("defaults.") + key, list ? "[" + value + "]" : value);
  }
  return options;
}

std::vector<Parameter> queue_parameters() {
  return {
      Parameter::text("ccl", "",
                      "collective configuration file; empty: ccl.yaml of the working directory, or defaults"),
      Parameter::text("buffer_kind", "", "tcm, sram or hbm; empty: as configured").tuning({"tcm", "sram", "hbm"}),
      Parameter::text("n_slots", "", "messages that a ring holds; empty: as configured").tuning({"2", "4", "8", "16"}),
      Parameter::text("slot_size", "", "bytes of the largest message, 0: chosen; empty: as configured")
          .tuning({"0", "1024", "4096", "16384"}),
      Parameter::text("backpressure", "", "sleep or poll; empty: as configured").tuning({"sleep"}),
      Parameter::text("ipcq_poll_ns", "", "how often poll looks for a free slot, in ns; empty: as configured")
          .tuning({"1"}),
      Parameter::text("credit", "", "annotated or fabric; empty: as configured"),
      Parameter::text("slot_access", "", "formula or fabric; empty: as configured"),
  };
}

std::vector<Parameter> ccl_parameters() {
  std::vector<Parameter> parameters = queue_parameters();
  parameters.insert(
      parameters.begin() + 1,
      {Parameter::text("algorithm", "", "its entry to use, or auto; empty: as configured").tuning({"auto"}),
       Parameter::text("tiles", "", "of auto, on PE 0 of every cube or on every PE: cubes, pes; empty: as configured")
           .tuning({"cubes", "pes"}),
       Parameter::text("candidates", "",
                       "that auto chooses from, with commas: ring, reduce_scatter, pairwise, tree, hierarchical; "
                       "empty: as configured")});
  return parameters;
}

}  // namespace kb::sw
