// Declared parameters of workloads and the sources of their values (H-74: command line, then environment, then
// default).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/error.h"

namespace kb::sw {

enum class ParameterType : std::uint8_t { integer, real, text, choice };
std::string_view parameter_type_name(ParameterType type);  // "int", "float", "string", "choice"

struct Parameter {
  std::string name;  // ^[a-z][a-z0-9_]*$
  ParameterType type = ParameterType::text;
  std::string unit;  // "": no unit
  std::string default_value;
  std::string help;
  std::vector<std::string> choices;                        // for choices only
  double minimum = std::numeric_limits<double>::lowest();  // for numbers only
  double maximum = std::numeric_limits<double>::max();
  bool tunes = false;               // chooses how the workload computes, and not what
  std::vector<std::string> trials;  // of a tuning parameter: values worth a try; empty: choices, or half and double

  // Default maximum of an integer parameter; more than fits any memory.
  static constexpr std::int64_t kMax = std::int64_t{1} << 40;
  // More cubes, PEs, SIPs or ranks than any machine has.
  static constexpr std::int64_t kMaxUnits = 1'000'000;

  static Parameter integer(std::string name, std::int64_t default_value, std::string help, std::int64_t minimum = 1,
                           std::string unit = "");
  static Parameter real(std::string name, double default_value, std::string help, std::string unit = "");
  static Parameter text(std::string name, std::string default_value, std::string help);
  static Parameter choice(std::string name, std::string default_value, std::vector<std::string> choices,
                          std::string help);
  // The same parameter with another maximum: Parameter::integer("launches", 1, "...").at_most(1000).
  Parameter at_most(std::int64_t most) const;
  // The same parameter as one that tunes, whose other values `kernbench why` tries.
  Parameter tuning(std::vector<std::string> values = {}) const;
};

struct ParameterValue {
  Parameter declared;
  std::string value;
  std::string origin;  // "command line", "environment GEMM_SINGLE_PE_M", "default"
};

// Values of one run of one workload. Access to an undeclared name or with a wrong type is a model Error, because the
// workload's table is wrong and not the user's input.
class Params {
 public:
  Params() = default;
  explicit Params(std::vector<ParameterValue> values) : values_(std::move(values)) {}

  std::int64_t integer(const std::string& name) const;
  double real(const std::string& name) const;
  const std::string& text(const std::string& name) const;                // for text and choice
  Dtype dtype(const std::string& name) const;                            // for a choice of dtype names
  const std::vector<ParameterValue>& values() const { return values_; }  // in declaration order

 private:
  const ParameterValue& find(const std::string& name, ParameterType type) const;
  std::vector<ParameterValue> values_;
};

using Assignments =
    std::vector<std::pair<std::string, std::string>>;  // --set name=value, in order; the last one counts
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
std::optional<std::string> process_environment(const std::string& name);
std::vector<std::string> environment_variables();  // names, sorted

// "gemm-single-pe", "tile_m" -> "GEMM_SINGLE_PE_TILE_M"
std::string environment_name(const std::string& workload, const std::string& parameter);

// In both functions below, a non-empty `prefix` replaces the workload's name in variable names.

// Warnings for variables that begin with the workload's prefix but do not name a parameter and are probably misspelt.
std::vector<Diagnostic> unknown_variables(const std::string& workload, const std::vector<Parameter>& declared,
                                          const std::vector<std::string>& variables = environment_variables(),
                                          const std::string& prefix = "");

// Configuration Error with one diagnostic per problem: an unknown parameter (with the nearest name), a value of a wrong
// type, out of range or not among the choices.
Params resolve_params(const std::string& workload, const std::vector<Parameter>& declared,
                      const Assignments& command_line, const Environment& environment = process_environment,
                      const std::string& prefix = "");

}  // namespace kb::sw
