// Maps C++ types to kernel parameters, and the arguments to a struct.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/tl/ptr.h"
#include "platform/contract/kernel_arguments.h"

namespace kb::tl {

// Declaration of a C++ type as a parameter, and conversion from a bound argument.
template <typename T>
struct ArgType {
  static_assert(!sizeof(T),
                "a kernel parameter is a tl::Ptr, std::int64_t, int, double, std::string or a std::optional of one");
};
template <>
struct ArgType<Ptr> {
  static contract::KernelParameter parameter(std::string name) {
    return {std::move(name), contract::ParameterKind::tensor};
  }
  static Ptr get(const contract::KernelArg& value) {
    return Ptr(*std::get<std::shared_ptr<const contract::TensorLayout>>(value));
  }
};
template <>
struct ArgType<std::int64_t> {
  static contract::KernelParameter parameter(std::string name) {
    return {std::move(name), contract::ParameterKind::integer};
  }
  static std::int64_t get(const contract::KernelArg& value) { return std::get<std::int64_t>(value); }
};
template <>
struct ArgType<int> {
  static contract::KernelParameter parameter(std::string name) {
    return {std::move(name), contract::ParameterKind::integer, false, 32};
  }
  static int get(const contract::KernelArg& value) { return static_cast<int>(std::get<std::int64_t>(value)); }
};
template <>
struct ArgType<double> {
  static contract::KernelParameter parameter(std::string name) {
    return {std::move(name), contract::ParameterKind::real};
  }
  static double get(const contract::KernelArg& value) { return std::get<double>(value); }
};
template <>
struct ArgType<std::string> {
  static contract::KernelParameter parameter(std::string name) {
    return {std::move(name), contract::ParameterKind::text};
  }
  static std::string get(const contract::KernelArg& value) { return std::get<std::string>(value); }
};
template <typename T>
struct ArgType<std::optional<T>> {
  static contract::KernelParameter parameter(std::string name) {
    contract::KernelParameter p = ArgType<T>::parameter(std::move(name));
    p.optional = true;
    return p;
  }
  static std::optional<T> get(const contract::KernelArg& value) {
    if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
    return ArgType<T>::get(value);
  }
};

// A parameter that is stored in a member of `Args` or of one of its bases.
template <typename Args>
class Parameter {
 public:
  template <typename T, typename Class>
  Parameter(std::string name, T Class::*member)
      : declared_(ArgType<T>::parameter(std::move(name))),
        read_([member](Args& args, const contract::KernelArg& value) { args.*member = ArgType<T>::get(value); }) {}

  const contract::KernelParameter& declared() const { return declared_; }
  void read(Args& args, const contract::KernelArg& value) const { read_(args, value); }

 private:
  contract::KernelParameter declared_;
  std::function<void(Args&, const contract::KernelArg&)> read_;
};

// Parameters of a kernel void(tl::Context&, const Args&): {{"src", &Args::src}, {"first", &Args::first}}.
template <typename Args>
using Parameters = std::vector<Parameter<Args>>;

}  // namespace kb::tl
