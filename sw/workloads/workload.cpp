#include "sw/workloads/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/nearest.h"

namespace kb::sw {
namespace {

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// True for words of lower-case letters and digits that are joined by `joint` and begin with a letter.
bool is_name(const std::string& name, char joint) {
  if (name.empty() || !is_lower(name.front()) || name.back() == joint) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool double_joint = name[i] == joint && name[i - 1] == joint;
    if (double_joint || !(is_lower(name[i]) || is_digit(name[i]) || name[i] == joint)) return false;
  }
  return true;
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

[[noreturn]] void refuse(const std::string& workload, const std::string& what) {
  throw Error::program("SCHEMA_ERROR", fmt::format("workload '{}': {}", workload, what));
}

std::vector<std::string> declaration_problems(const std::vector<Parameter>& parameters) {
  std::vector<std::string> problems;
  std::vector<std::string> seen;
  for (const Parameter& p : parameters) {
    if (!is_name(p.name, '_')) {
      problems.push_back(fmt::format("'{}' is not a parameter name; use lower-case words joined by '_'", p.name));
    }
    if (std::find(seen.begin(), seen.end(), p.name) != seen.end()) {
      problems.push_back(fmt::format("parameter '{}' is declared twice", p.name));
    }
    if (is_blank(p.help)) problems.push_back(fmt::format("parameter '{}' has no help text", p.name));
    seen.push_back(p.name);
  }
  return problems;
}

// Reports all problems at once.
void check_parameters(const Workload& workload) {
  std::vector<std::string> problems = declaration_problems(workload.parameters);
  const auto no_environment = [](const std::string&) { return std::optional<std::string>(); };
  try {
    if (problems.empty()) static_cast<void>(resolve_params(workload.name, workload.parameters, {}, no_environment));
  } catch (const Error& error) {
    for (const Diagnostic& one : error.diagnostics()) {
      problems.push_back(fmt::format("the default of a parameter is wrong: {}", one.text()));
    }
    if (problems.empty()) throw;
  }
  std::string all;
  for (const std::string& one : problems) all += (all.empty() ? "" : "; ") + one;
  if (!all.empty()) refuse(workload.name, all);
}

}  // namespace

void WorkloadRegistry::add(Workload workload, const std::string& group) {
  if (!is_name(workload.name, '-')) {
    refuse(workload.name,
           "the name must be lower-case letters and digits in words joined by '-', starting with a letter");
  }
  if (is_blank(workload.description)) refuse(workload.name, "the description is empty");
  if (!workload.run) refuse(workload.name, "it has no entry function");
  check_parameters(workload);
  const std::string name = workload.name;
  if (!workloads_.emplace(name, std::move(workload)).second) refuse(name, "the name is taken; choose another one");
  groups_.add(name, group);
}

std::vector<std::string> WorkloadRegistry::names() const {
  std::vector<std::string> out;
  for (const auto& [name, workload] : workloads_) out.push_back(name);
  return out;
}

const Workload* WorkloadRegistry::find(const std::string& name) const {
  const auto found = workloads_.find(name);
  return found == workloads_.end() ? nullptr : &found->second;
}

const Workload& WorkloadRegistry::resolve(const std::string& identifier) const {
  if (is_blank(identifier)) throw Error::configuration("no workload was named; `kernbench list` shows them");
  if (std::all_of(identifier.begin(), identifier.end(), is_digit)) {
    std::size_t index = 0;
    std::from_chars(identifier.data(), identifier.data() + identifier.size(), index);
    if (index < 1 || index > workloads_.size()) {
      throw Error::configuration(
          fmt::format("there is no workload {}; they are numbered 1 to {}", identifier, workloads_.size()));
    }
    return std::next(workloads_.begin(), static_cast<std::ptrdiff_t>(index - 1))->second;
  }
  if (const Workload* const workload = find(identifier)) return *workload;
  const char* const more = nearest_name(identifier, names()).empty() ? "; one of a plug-in needs --plugin FILE" : "";
  throw Error::configuration(
      fmt::format("unknown workload '{}' ({}{})", identifier, suggest(identifier, names()), more));
}

WorkloadRegistry builtin_registry() {
  WorkloadRegistry registry;
  for (WorkloadGroup& group : builtin_workloads()) {
    for (Workload& workload : group.workloads) registry.add(std::move(workload), group.name);
  }
  return registry;
}

WorkloadResult run_workload(Runtime& runtime, const Workload& workload, const Params& params) {
  WorkloadResult result;
  const std::uint64_t before = runtime.requests_submitted();
  try {
    result = workload.run(runtime, params);
    runtime.wait_all();
    runtime.ranges().require_closed();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw error_of_program(error, fmt::format("workload '{}': ", workload.name));
  }
  if (runtime.requests_submitted() == before) {
    throw Error::program("NO_REQUESTS",
                         fmt::format("workload '{}' ended without having submitted a request to the machine; "
                                     "write a tensor or launch a kernel",
                                     workload.name));
  }
  return result;
}

}  // namespace kb::sw
