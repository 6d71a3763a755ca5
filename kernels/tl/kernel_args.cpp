#include "kernels/tl/kernel_args.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "platform/base/error.h"

namespace kb::tl {
namespace {

using contract::KernelArg;
using TensorArg = std::shared_ptr<const contract::TensorLayout>;

std::string_view kind_name(ParameterKind kind) {
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

std::string format_arg(const KernelArg& arg) {
  if (const TensorArg* tensor = std::get_if<TensorArg>(&arg)) {
    return *tensor ? fmt::format("tensor '{}'", (*tensor)->name) : "a null tensor";
  }
  if (const auto* whole = std::get_if<std::int64_t>(&arg)) return fmt::format("the integer {}", *whole);
  if (const auto* text = std::get_if<std::string>(&arg)) return fmt::format("the text '{}'", *text);
  return fmt::format("the number {}", std::get<double>(arg));
}

}  // namespace

std::string Parameter::text() const {
  return fmt::format("{}: {}{}", name, kind_name(kind), optional ? " (optional)" : "");
}

Signature::Signature(std::string kernel, std::vector<Parameter> parameters)
    : kernel_(std::move(kernel)), parameters_(std::move(parameters)) {
  for (const Parameter& parameter : parameters_) required_ += parameter.optional ? 0 : 1;
}

std::vector<std::string> Signature::texts() const {
  std::vector<std::string> out;
  for (const Parameter& parameter : parameters_) out.push_back(parameter.text());
  return out;
}

void Signature::check_count(std::size_t given) const {
  if (given >= required_ && given <= parameters_.size()) return;
  const std::string expected = required_ == parameters_.size() ? std::to_string(required_)
                                                               : fmt::format("{} to {}", required_, parameters_.size());
  std::string list;
  for (const Parameter& parameter : parameters_) list += (list.empty() ? "" : ", ") + parameter.text();
  throw Error::program("SCHEMA_ERROR",
                       fmt::format("kernel {}: takes {} argument(s) ({}), {} given", kernel_, expected, list, given));
}

void Signature::mismatch(const std::vector<KernelArg>& args, std::size_t i) const {
  throw Error::program("SCHEMA_ERROR",
                       fmt::format("kernel {}: argument {} '{}' must be a {}, {} was given", kernel_, i + 1,
                                   parameters_[i].name, kind_name(parameters_[i].kind), format_arg(args[i])));
}

Ptr Signature::tensor(const std::vector<KernelArg>& args, std::size_t i) const {
  const TensorArg* value = std::get_if<TensorArg>(&args[i]);
  if (value == nullptr || *value == nullptr) mismatch(args, i);
  return Ptr(**value);
}

std::int64_t Signature::integer(const std::vector<KernelArg>& args, std::size_t i) const {
  const auto* value = std::get_if<std::int64_t>(&args[i]);
  if (value == nullptr) mismatch(args, i);
  if (parameters_[i].bits == 32 &&
      (*value < std::numeric_limits<std::int32_t>::min() || *value > std::numeric_limits<std::int32_t>::max())) {
    throw Error::program("SCHEMA_ERROR", fmt::format("kernel {}: argument {} '{}' = {} does not fit into 32 bits",
                                                     kernel_, i + 1, parameters_[i].name, *value));
  }
  return *value;
}

double Signature::real(const std::vector<KernelArg>& args, std::size_t i) const {
  if (const auto* whole = std::get_if<std::int64_t>(&args[i])) return static_cast<double>(*whole);
  const auto* value = std::get_if<double>(&args[i]);
  if (value == nullptr) mismatch(args, i);
  return *value;
}

const std::string& Signature::text(const std::vector<KernelArg>& args, std::size_t i) const {
  const auto* value = std::get_if<std::string>(&args[i]);
  if (value == nullptr) mismatch(args, i);
  return *value;
}

}  // namespace kb::tl
