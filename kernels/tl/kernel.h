// Makes a kernel of the machine's catalog from a typed C++ function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/tl/context.h"
#include "kernels/tl/kernel_args.h"
#include "platform/base/error.h"
#include "platform/contract/i_pe.h"

namespace kb::tl {
namespace detail {

template <typename T>
struct ArgType {
  static_assert(!sizeof(T),
                "a kernel parameter is a tl::Ptr, std::int64_t, int, double, std::string or a std::optional of one");
};
template <>
struct ArgType<Ptr> {
  static Parameter parameter(std::string name) { return {std::move(name), ParameterKind::tensor}; }
  static Ptr get(const Signature& s, const std::vector<contract::KernelArg>& args, std::size_t i) {
    return s.tensor(args, i);
  }
};
template <>
struct ArgType<std::int64_t> {
  static Parameter parameter(std::string name) { return {std::move(name), ParameterKind::integer}; }
  static std::int64_t get(const Signature& s, const std::vector<contract::KernelArg>& args, std::size_t i) {
    return s.integer(args, i);
  }
};
template <>
struct ArgType<int> {
  static Parameter parameter(std::string name) { return {std::move(name), ParameterKind::integer, false, 32}; }
  static int get(const Signature& s, const std::vector<contract::KernelArg>& args, std::size_t i) {
    return static_cast<int>(s.integer(args, i));
  }
};
template <>
struct ArgType<double> {
  static Parameter parameter(std::string name) { return {std::move(name), ParameterKind::real}; }
  static double get(const Signature& s, const std::vector<contract::KernelArg>& args, std::size_t i) {
    return s.real(args, i);
  }
};
template <>
struct ArgType<std::string> {
  static Parameter parameter(std::string name) { return {std::move(name), ParameterKind::text}; }
  static std::string get(const Signature& s, const std::vector<contract::KernelArg>& args, std::size_t i) {
    return s.text(args, i);
  }
};
template <typename T>
struct ArgType<std::optional<T>> {
  static Parameter parameter(std::string name) {
    Parameter p = ArgType<T>::parameter(std::move(name));
    p.optional = true;
    return p;
  }
  static std::optional<T> get(const Signature& s, const std::vector<contract::KernelArg>& args, std::size_t i) {
    if (i >= args.size()) return std::nullopt;
    return ArgType<T>::get(s, args, i);
  }
};

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <typename... Args>
constexpr bool optionals_last() {
  bool seen = false;
  bool ok = true;
  ((ok = ok && (IsOptional<Args>::value || !seen), seen = seen || IsOptional<Args>::value), ...);
  return ok;
}

template <typename Fn>
struct KernelFunction : KernelFunction<decltype(&Fn::operator())> {};
template <typename... Args>
struct KernelFunction<void (*)(Context&, Args...)> {
  using Parameters = std::tuple<std::decay_t<Args>...>;
};
template <typename Class, typename... Args>
struct KernelFunction<void (Class::*)(Context&, Args...) const> {
  using Parameters = std::tuple<std::decay_t<Args>...>;
};

template <typename Fn, typename... Args, std::size_t... I>
contract::Kernel build(std::string name, std::string description, std::vector<std::string> names, Fn fn,
                       std::tuple<Args...>*, std::index_sequence<I...>) {
  static_assert(optionals_last<Args...>(), "optional kernel parameters come after the others");
  if (names.size() != sizeof...(Args)) {
    throw Error::program("SCHEMA_ERROR", "kernel " + name + ": " + std::to_string(names.size()) +
                                             " parameter names for " + std::to_string(sizeof...(Args)) +
                                             " parameters; name each one that comes after tl::Context");
  }
  std::vector<Parameter> parameters{ArgType<Args>::parameter(std::move(names[I]))...};
  auto signature = std::make_shared<const Signature>(name, std::move(parameters));
  auto body = [signature, fn](contract::IPe& pe, const std::vector<contract::KernelArg>& args) {
    signature->check_count(args.size());
    std::tuple<Args...> values{ArgType<Args>::get(*signature, args, I)...};
    Context context(pe, signature->kernel());
    std::apply([&](Args&... value) { fn(context, std::move(value)...); }, values);
  };
  return {std::move(name), std::move(description), signature->texts(), std::move(body)};
}

}  // namespace detail

// `fn` is a function or a lambda void(tl::Context&, ...) whose further parameters are tl::Ptr (a tensor of the launch),
// std::int64_t, int, double, std::string, or at the end std::optional of these; `parameters` names them in order
// (P-50). A launch with other arguments ends in a program Error SCHEMA_ERROR. The name is checked when the kernel
// enters a catalog.
template <typename Fn>
contract::Kernel make_kernel(std::string name, std::string description, std::vector<std::string> parameters, Fn fn) {
  using Parameters = typename detail::KernelFunction<std::decay_t<Fn>>::Parameters;
  return detail::build(std::move(name), std::move(description), std::move(parameters), std::move(fn),
                       static_cast<Parameters*>(nullptr), std::make_index_sequence<std::tuple_size_v<Parameters>>{});
}

}  // namespace kb::tl
