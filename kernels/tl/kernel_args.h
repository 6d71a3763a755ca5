// The untyped arguments of a launch as the parameters of a kernel function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/tl/ptr.h"
#include "platform/contract/i_pe.h"

namespace kb::tl {

enum class ParameterKind { tensor, integer, real, text };

struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::tensor;
  bool optional = false;
  int bits = 64;  // of an integer

  std::string text() const;  // "a: tensor", "tile: int (optional)"
};

// Name and parameters of a kernel; converts arguments. Mistakes are program Errors SCHEMA_ERROR that name kernel,
// position, parameter, and what was given.
class Signature {
 public:
  Signature(std::string kernel, std::vector<Parameter> parameters);

  const std::string& kernel() const { return kernel_; }
  std::vector<std::string> texts() const;
  void check_count(std::size_t given) const;

  Ptr tensor(const std::vector<contract::KernelArg>& args, std::size_t i) const;
  std::int64_t integer(const std::vector<contract::KernelArg>& args, std::size_t i) const;
  double real(const std::vector<contract::KernelArg>& args, std::size_t i) const;  // also takes a whole number
  const std::string& text(const std::vector<contract::KernelArg>& args, std::size_t i) const;

 private:
  [[noreturn]] void mismatch(const std::vector<contract::KernelArg>& args, std::size_t i) const;

  std::string kernel_;
  std::vector<Parameter> parameters_;
  std::size_t required_ = 0;
};

}  // namespace kb::tl
