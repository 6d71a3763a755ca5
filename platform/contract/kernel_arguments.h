// Parameters of a kernel, and the named arguments of a launch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace kb::contract {

struct TensorLayout;

// Value of an argument; std::monostate for an optional argument that is left out.
using KernelArg = std::variant<std::monostate, std::shared_ptr<const TensorLayout>, std::int64_t, double, std::string>;

// An argument as it is written in a launch.
struct NamedArg {
  std::string name;
  KernelArg value;
};

enum class ParameterKind : std::uint8_t { tensor, integer, real, text };

struct KernelParameter {
  std::string name;
  ParameterKind kind = ParameterKind::tensor;
  bool optional = false;
  int bits = 64;  // width of an integer

  std::string text() const;  // "a: tensor", "tile: int (optional)"
};

// Returns one value per parameter, in the order of the parameters; the kernel body reads these. An integer given for a
// float parameter is converted. Program Error SCHEMA_ERROR, naming the kernel, the argument and the nearest parameter,
// when an argument is unknown, missing, given twice or of the wrong kind.
std::vector<KernelArg> bind_arguments(const std::string& kernel, const std::vector<KernelParameter>& parameters,
                                      std::vector<NamedArg> args);

// Throws like bind_arguments() unless `args` is a possible result of it.
void check_bound(const std::string& kernel, const std::vector<KernelParameter>& parameters,
                 const std::vector<KernelArg>& args);

// Program Error SCHEMA_ERROR unless every parameter has a name and all names differ.
void check_parameters(const std::string& kernel, const std::vector<KernelParameter>& parameters);

}  // namespace kb::contract
