// The parameters of a kernel and the arguments of a launch, which names them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace kb::contract {

struct TensorLayout;

// The value of an argument. std::monostate stands for an optional argument that was left out.
using KernelArg = std::variant<std::monostate, std::shared_ptr<const TensorLayout>, std::int64_t, double, std::string>;

// An argument as a launch writes it.
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

// The values in the order of the parameters, one for each: what the body of a kernel reads. A whole number given for a
// float becomes one. Program Error SCHEMA_ERROR, naming kernel, argument and nearest parameter, when an argument is
// unknown, missing, given twice or of another kind.
std::vector<KernelArg> bind_arguments(const std::string& kernel, const std::vector<KernelParameter>& parameters,
                                      std::vector<NamedArg> args);

// Throws as bind_arguments() unless `args` are what it makes.
void check_bound(const std::string& kernel, const std::vector<KernelParameter>& parameters,
                 const std::vector<KernelArg>& args);

// SCHEMA_ERROR unless the parameters have names, each another one.
void check_parameters(const std::string& kernel, const std::vector<KernelParameter>& parameters);

}  // namespace kb::contract
