// Creates a kernel of the machine's catalog from a typed C++ function.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/tl/context.h"
#include "kernels/tl/parameters.h"
#include "platform/base/error.h"
#include "platform/contract/kernel.h"

namespace kb::tl {
namespace detail {

// With more parameters, values of one type are easily confused.
inline constexpr std::size_t kMaxFunctionParameters = 6;

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

inline void require_count(const std::string& kernel, const char* what, std::size_t given, std::size_t parameters) {
  if (given == parameters) return;
  throw Error::program("SCHEMA_ERROR", "kernel " + kernel + ": " + std::to_string(given) + " " + what + " for " +
                                           std::to_string(parameters) + " parameters; name each one");
}

template <typename Fn, typename... Args, std::size_t... I>
contract::Kernel build(std::string name, std::string description, std::vector<std::string> names, Fn fn,
                       std::tuple<Args...>*, std::index_sequence<I...>) {
  static_assert(sizeof...(Args) <= kMaxFunctionParameters,
                "a kernel of so many parameters takes them as a struct; see tl::Parameters");
  require_count(name, "parameter names", names.size(), sizeof...(Args));
  std::vector<contract::KernelParameter> parameters{ArgType<Args>::parameter(std::move(names[I]))...};
  auto body = [name, fn](contract::IPe& pe, const std::vector<contract::KernelArg>& values) {
    require_count(name, "values", values.size(), sizeof...(Args));
    std::tuple<Args...> args{ArgType<Args>::get(values[I])...};
    Context context(pe, name);
    std::apply([&](Args&... arg) { fn(context, std::move(arg)...); }, args);
    context.finish();
  };
  return {std::move(name), std::move(description), std::move(parameters), std::move(body)};
}

}  // namespace detail

// `fn` is a function or a lambda void(tl::Context&, ...) with at most six further parameters of type tl::Ptr (a tensor
// of the launch), std::int64_t, int, double, std::string or a std::optional of one of these; `names` has their names
// (P-50). The names of kernel and parameters are checked when the kernel is added to a catalog.
template <typename Fn>
contract::Kernel make_kernel(std::string name, std::string description, std::vector<std::string> names, Fn fn) {
  using Function = typename detail::KernelFunction<std::decay_t<Fn>>::Parameters;
  return detail::build(std::move(name), std::move(description), std::move(names), std::move(fn),
                       static_cast<Function*>(nullptr), std::make_index_sequence<std::tuple_size_v<Function>>{});
}

// Variant for any number of parameters, which are members of a struct: `fn` is void(tl::Context&, const Args&).
template <typename Args, typename Fn>
contract::Kernel make_kernel(std::string name, std::string description, Parameters<Args> parameters, Fn fn) {
  std::vector<contract::KernelParameter> declared;
  for (const Parameter<Args>& parameter : parameters) declared.push_back(parameter.declared());
  auto body = [name, parameters = std::move(parameters), fn](contract::IPe& pe,
                                                             const std::vector<contract::KernelArg>& values) {
    detail::require_count(name, "values", values.size(), parameters.size());
    Args args{};
    for (std::size_t i = 0; i < values.size(); ++i) parameters[i].read(args, values[i]);
    Context context(pe, name);
    fn(context, static_cast<const Args&>(args));
    context.finish();
  };
  return {std::move(name), std::move(description), std::move(declared), std::move(body)};
}

}  // namespace kb::tl
