#include "platform/contract/kernel_arguments.h"

#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <set>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/contract/tensor_layout.h"

namespace kb::contract {
namespace {

using TensorArg = std::shared_ptr<const TensorLayout>;
using Parameters = std::vector<KernelParameter>;
using Values = std::vector<KernelArg>;

const char* kind_name(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::tensor:
      return "tensor";
    case ParameterKind::integer:
      return "int";
    case ParameterKind::real:
      return "float";
    case ParameterKind::text:
      return "text";
  }
  return "?";
}

bool is_left_out(const KernelArg& value) {
  return std::holds_alternative<std::monostate>(value);
}

std::string value_text(const KernelArg& value) {
  if (const auto* tensor = std::get_if<TensorArg>(&value)) {
    return *tensor ? fmt::format("tensor '{}'", (*tensor)->name) : "a null tensor";
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("the integer {}", *whole);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("the number {}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return fmt::format("the text '{}'", *text);
  return "nothing";
}

bool fits(ParameterKind kind, const KernelArg& value) {
  switch (kind) {
    case ParameterKind::tensor: {
      const auto* const tensor = std::get_if<TensorArg>(&value);
      return tensor != nullptr && *tensor != nullptr;
    }
    case ParameterKind::integer:
      return std::holds_alternative<std::int64_t>(value);
    case ParameterKind::real:
      return std::holds_alternative<double>(value);
    case ParameterKind::text:
      return std::holds_alternative<std::string>(value);
  }
  return false;
}

[[noreturn]] void refuse(const std::string& kernel, const std::string& text) {
  throw Error::program("SCHEMA_ERROR", fmt::format("kernel {}: {}", kernel, text));
}

std::string list_of(const Parameters& parameters) {
  std::string list;
  for (const KernelParameter& parameter : parameters) list += (list.empty() ? "" : ", ") + parameter.text();
  return list.empty() ? "it takes none" : "it takes " + list;
}

void check_value(const std::string& kernel, const KernelParameter& parameter, const KernelArg& value) {
  if (!fits(parameter.kind, value)) {
    refuse(kernel, fmt::format("argument '{}' must be {} {}; {} was given", parameter.name,
                               parameter.kind == ParameterKind::integer ? "an" : "a", kind_name(parameter.kind),
                               value_text(value)));
  }
  const auto* const whole = std::get_if<std::int64_t>(&value);
  using Limits = std::numeric_limits<std::int32_t>;
  if (whole != nullptr && parameter.bits == 32 && (*whole < Limits::min() || *whole > Limits::max())) {
    refuse(kernel, fmt::format("argument '{}' = {} does not fit into 32 bits", parameter.name, *whole));
  }
}

void check_complete(const std::string& kernel, const Parameters& parameters, const Values& values) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].optional || !is_left_out(values[i])) continue;
    refuse(kernel, fmt::format("argument '{}' is missing; {}", parameters[i].name, list_of(parameters)));
  }
}

// Suggests a name for a misspelt argument, preferably a parameter that has no value yet.
[[noreturn]] void refuse_unknown(const std::string& kernel, const Parameters& parameters,
                                 const std::vector<NamedArg>& args, const std::string& name) {
  std::set<std::string> given;
  for (const NamedArg& arg : args) given.insert(arg.name);
  std::vector<std::string> open, all;
  for (const KernelParameter& parameter : parameters) {
    all.push_back(parameter.name);
    if (given.count(parameter.name) == 0) open.push_back(parameter.name);
  }
  const std::string what = fmt::format("there is no argument '{}'; ", name);
  if (all.empty()) refuse(kernel, what + list_of(parameters));
  refuse(kernel, what + suggest(name, nearest_name(name, open).empty() ? all : open));
}

[[noreturn]] void refuse_second(const std::string& kernel, const Parameters& parameters,
                                const std::vector<NamedArg>& args, const std::string& name) {
  std::set<std::string> given;
  for (const NamedArg& arg : args) given.insert(arg.name);
  std::string missing;
  for (const KernelParameter& parameter : parameters) {
    if (parameter.optional || given.count(parameter.name) != 0) continue;
    missing = fmt::format("; '{}' is missing", parameter.name);
    break;
  }
  refuse(kernel, fmt::format("argument '{}' is given twice{}", name, missing));
}

// Position of a name; the search begins at `likely`, because arguments are usually in the order of the parameters.
std::size_t position_of(const Parameters& parameters, const std::string& name, std::size_t likely) {
  const std::size_t count = parameters.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (likely + i) % count;
    if (parameters[at].name == name) return at;
  }
  return count;
}

}  // namespace

std::string KernelParameter::text() const {
  return fmt::format("{}: {}{}", name, kind_name(kind), optional ? " (optional)" : "");
}

Values bind_arguments(const std::string& kernel, const Parameters& parameters, std::vector<NamedArg> args) {
  Values values(parameters.size());
  std::size_t next = 0;
  for (NamedArg& arg : args) {
    const std::size_t at = position_of(parameters, arg.name, next);
    if (at == parameters.size()) refuse_unknown(kernel, parameters, args, arg.name);
    if (!is_left_out(values[at])) refuse_second(kernel, parameters, args, arg.name);
    const auto* const whole = std::get_if<std::int64_t>(&arg.value);
    if (parameters[at].kind == ParameterKind::real && whole != nullptr) {
      values[at] = static_cast<double>(*whole);
    } else {
      check_value(kernel, parameters[at], arg.value);
      values[at] = std::move(arg.value);
    }
    next = at + 1;
  }
  check_complete(kernel, parameters, values);
  return values;
}

void check_bound(const std::string& kernel, const Parameters& parameters, const Values& args) {
  if (args.size() != parameters.size()) {
    refuse(kernel, fmt::format("{} values for {} parameters; {}", args.size(), parameters.size(), list_of(parameters)));
  }
  check_complete(kernel, parameters, args);
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!is_left_out(args[i])) check_value(kernel, parameters[i], args[i]);
  }
}

void check_parameters(const std::string& kernel, const Parameters& parameters) {
  std::set<std::string> names;
  for (const KernelParameter& parameter : parameters) {
    if (parameter.name.empty()) refuse(kernel, "a parameter has no name");
    if (!names.insert(parameter.name).second) {
      refuse(kernel, fmt::format("two parameters are named '{}'", parameter.name));
    }
  }
}

}  // namespace kb::contract
