#include "sw/workloads/params.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/base/whole_number.h"
#include "sw/tensor/join.h"

namespace kb::sw {
namespace {

std::optional<double> parse_real(const std::string& text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// `text` is the displayed form of the value.
std::string range_problem(const Parameter& p, double value, const std::string& text) {
  if (value < p.minimum) return fmt::format("must be at least {:.15g}, not {}", p.minimum, text);
  if (value > p.maximum) return fmt::format("must be at most {:.15g}, not {}", p.maximum, text);
  return "";
}

// The problem of a value, and its remedy; "" when it is valid.
std::pair<std::string, std::string> problem_with(const Parameter& p, const std::string& text) {
  switch (p.type) {
    case ParameterType::integer: {
      std::int64_t value = 0;
      const std::errc error = parse_whole(text, value);
      if (error == std::errc::result_out_of_range)
        return {fmt::format("'{}' does not fit 64 bits; give {:.15g} to {:.15g}", text, p.minimum, p.maximum), p.help};
      if (error != std::errc{})
        return {fmt::format("'{}' is not a whole number", text), "write e.g. " + p.default_value};
      return {range_problem(p, static_cast<double>(value), std::to_string(value)), p.help};
    }
    case ParameterType::real: {
      const auto value = parse_real(text);
      if (!value) return {fmt::format("'{}' is not a number", text), "write e.g. " + p.default_value};
      return {range_problem(p, *value, fmt::format("{:.15g}", *value)), p.help};
    }
    case ParameterType::choice:
      if (std::find(p.choices.begin(), p.choices.end(), text) != p.choices.end()) break;
      return {fmt::format("'{}' is not one of {}", text, join(p.choices)), suggest(text, p.choices)};
    case ParameterType::text:
      break;
  }
  return {};
}

}  // namespace

std::string_view parameter_type_name(ParameterType type) {
  switch (type) {
    case ParameterType::integer:
      return "int";
    case ParameterType::real:
      return "float";
    case ParameterType::text:
      return "string";
    case ParameterType::choice:
      return "choice";
  }
  return "?";
}

Parameter Parameter::integer(std::string name, std::int64_t default_value, std::string help, std::int64_t minimum,
                             std::string unit) {
  Parameter p;
  p.name = std::move(name);
  p.type = ParameterType::integer;
  p.unit = std::move(unit);
  p.default_value = std::to_string(default_value);
  p.help = std::move(help);
  p.minimum = static_cast<double>(minimum);
  p.maximum = static_cast<double>(kMax);
  return p;
}

Parameter Parameter::at_most(std::int64_t most) const {
  Parameter p = *this;
  p.maximum = static_cast<double>(most);
  return p;
}

Parameter Parameter::tuning(std::vector<std::string> values) const {
  Parameter p = *this;
  p.tunes = true;
  p.trials = std::move(values);
  return p;
}

Parameter Parameter::real(std::string name, double default_value, std::string help, std::string unit) {
  Parameter p;
  p.name = std::move(name);
  p.type = ParameterType::real;
  p.unit = std::move(unit);
  p.default_value = fmt::format("{}", default_value);
  p.help = std::move(help);
  return p;
}

Parameter Parameter::text(std::string name, std::string default_value, std::string help) {
  Parameter p;
  p.name = std::move(name);
  p.default_value = std::move(default_value);
  p.help = std::move(help);
  return p;
}

Parameter Parameter::choice(std::string name, std::string default_value, std::vector<std::string> choices,
                            std::string help) {
  Parameter p = text(std::move(name), std::move(default_value), std::move(help));
  p.type = ParameterType::choice;
  p.choices = std::move(choices);
  return p;
}

const ParameterValue& Params::find(const std::string& name, ParameterType type) const {
  for (const ParameterValue& value : values_) {
    if (value.declared.name != name) continue;
    const bool both_text = type == ParameterType::text && value.declared.type == ParameterType::choice;
    if (value.declared.type == type || both_text) return value;
    throw Error::program("SCHEMA_ERROR",
                         fmt::format("workload parameter '{}' is declared as {} but read as {}", name,
                                     parameter_type_name(value.declared.type), parameter_type_name(type)));
  }
  std::vector<std::string> names;
  for (const ParameterValue& value : values_) names.push_back(value.declared.name);
  throw Error::program("SCHEMA_ERROR",
                       fmt::format("workload parameter '{}' is read but not declared; {}", name, suggest(name, names)));
}

std::int64_t Params::integer(const std::string& name) const {
  std::int64_t value = 0;
  parse_whole(find(name, ParameterType::integer).value, value);  // checked when it was set
  return value;
}

double Params::real(const std::string& name) const {
  return *parse_real(find(name, ParameterType::real).value);
}

const std::string& Params::text(const std::string& name) const {
  return find(name, ParameterType::text).value;
}

Dtype Params::dtype(const std::string& name) const {
  const std::optional<Dtype> dtype = parse_dtype(text(name));
  if (!dtype) throw Error::model(fmt::format("workload parameter '{}' has a choice that is not a dtype", name));
  return *dtype;
}

std::optional<std::string> process_environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string environment_name(const std::string& workload, const std::string& parameter) {
  std::string name = workload + "_" + parameter;
  for (char& c : name) {
    if (c == '-') c = '_';
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return name;
}

std::vector<std::string> environment_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    names.emplace_back(text.substr(0, text.find('=')));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<Diagnostic> unknown_variables(const std::string& workload, const std::vector<Parameter>& declared,
                                          const std::vector<std::string>& variables, const std::string& prefix) {
  const std::string& lead = prefix.empty() ? workload : prefix;
  std::vector<std::string> known;
  for (const Parameter& p : declared) known.push_back(environment_name(lead, p.name));
  std::vector<Diagnostic> warnings;
  for (const std::string& variable : variables) {
    if (variable.rfind(environment_name(lead, ""), 0) != 0 ||
        std::find(known.begin(), known.end(), variable) != known.end())
      continue;
    Diagnostic d;
    d.key = "environment variable " + variable;
    d.message = fmt::format("workload '{}' has no such parameter, so it sets nothing", workload);
    d.remedy = known.empty() ? "it has none" : suggest(variable, known);
    warnings.push_back(std::move(d));
  }
  return warnings;
}

Params resolve_params(const std::string& workload, const std::vector<Parameter>& declared,
                      const Assignments& command_line, const Environment& environment, const std::string& prefix) {
  std::vector<Diagnostic> problems;
  std::vector<std::string> names;
  for (const Parameter& p : declared) names.push_back(p.name);
  const auto report = [&](const std::string& key, std::string message, std::string remedy) {
    Diagnostic d;
    d.key = key;
    d.message = std::move(message);
    d.remedy = std::move(remedy);
    problems.push_back(std::move(d));
  };
  for (const auto& [name, value] : command_line) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    report("--set " + name, fmt::format("workload '{}' has no such parameter", workload),
           names.empty() ? "it has none" : suggest(name, names));
  }

  std::vector<ParameterValue> values;
  for (const Parameter& p : declared) {
    ParameterValue value{p, p.default_value, "default"};
    std::string key = p.name;
    const std::string variable = environment_name(prefix.empty() ? workload : prefix, p.name);
    if (const std::optional<std::string> text = environment(variable)) {
      value.value = *text;
      key = "environment variable " + variable;
      value.origin = "environment " + variable;
    }
    for (const auto& [name, text] : command_line) {
      if (name != p.name) continue;
      value.value = text;
      key = "--set " + name;
      value.origin = "command line";
    }
    auto [message, remedy] = problem_with(p, value.value);
    if (!message.empty()) {
      report(key, std::move(message), std::move(remedy));
    } else if (p.type == ParameterType::integer) {
      std::int64_t number = 0;
      parse_whole(value.value, number);
      value.value = std::to_string(number);  // so that results show 10000 instead of 1e4
    }
    values.push_back(std::move(value));
  }
  if (!problems.empty()) throw Error(std::move(problems));
  return Params(std::move(values));
}

}  // namespace kb::sw
