#include "sw/benches/ccl_support.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kb::sw {

HostArray small_integers(const Shape& shape, Dtype dtype, std::uint64_t seed) {
  HostArray array = HostArray::random_integers(shape, dtype, seed);
  if (dtype != Dtype::bf16) return array;  // has eight significant bits
  std::vector<double> values = array.to_doubles();
  for (double& value : values) value = static_cast<double>((value > 2) - (value < -2));
  return HostArray::from_doubles(shape, dtype, values);
}

double combined(const std::string& op, double a, double b) {
  if (op == "max") return std::max(a, b);
  return op == "min" ? std::min(a, b) : a + b;
}

double reduced(const std::string& op, double value, double count, Dtype dtype) {
  if (!is_float(dtype)) {
    const unsigned unused = 64 - 8 * static_cast<unsigned>(item_size(dtype));
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) << unused;
    value = static_cast<double>(static_cast<std::int64_t>(bits) >> unused);
  }
  if (op != "avg") return value;
  return is_float(dtype) ? value / count : std::trunc(value / count);
}

namespace {
constexpr const char* kQueueKeys[] = {"buffer_kind", "n_slots", "slot_size", "backpressure", "credit", "slot_access"};
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
      Parameter::text("buffer_kind", "", "tcm, sram or hbm; empty: as configured"),
      Parameter::text("n_slots", "", "messages that a ring holds; empty: as configured"),
      Parameter::text("slot_size", "", "bytes of the largest message, 0: chosen; empty: as configured"),
      Parameter::text("backpressure", "", "sleep or poll; empty: as configured"),
      Parameter::text("credit", "", "annotated or fabric; empty: as configured"),
      Parameter::text("slot_access", "", "formula or fabric; empty: as configured"),
  };
}

std::vector<Parameter> ccl_parameters() {
  std::vector<Parameter> parameters = queue_parameters();
  parameters.insert(
      parameters.begin() + 1,
      {Parameter::text("algorithm", "", "its entry to use, or auto; empty: as configured"),
       Parameter::text("tiles", "", "of auto, on PE 0 of every cube or on every PE: cubes, pes; empty: as configured"),
       Parameter::text("candidates", "",
                       "that auto chooses from, with commas: ring, reduce_scatter, pairwise, tree, hierarchical; "
                       "empty: as configured")});
  return parameters;
}

}  // namespace kb::sw
