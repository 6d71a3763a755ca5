// Workloads: host programs that a user runs by name (H-67 .. H-77).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platform/base/groups.h"
#include "platform/data/verification.h"
#include "sw/runtime/runtime.h"
#include "sw/workloads/params.h"

namespace kb::sw {

// One headline result of the report.
struct Figure {
  std::string name;  // "critical path"
  double value = 0;
  std::string unit;     // "ns", "TFLOP/s", "GB/s", "" = a count
  std::string meaning;  // a short explanation for the report: "the longest time of a PE in the kernel"
};

struct WorkloadResult {
  std::vector<data::VerificationRow> verification;  // empty when the run computes no data
  std::vector<Figure> figures;
  std::vector<std::string> notes;  // sentences for the report, e.g. why verification was not possible
};

struct Workload {
  std::string name;         // ^[a-z][a-z0-9]*(-[a-z0-9]+)*$ (H-67)
  std::string description;  // one line
  std::vector<Parameter> parameters;
  std::function<WorkloadResult(Runtime&, const Params&)> run;
  // Prefix of the parameters' environment variables instead of the name: "matmul" -> MATMUL_M.
  std::string environment{};
  // Whether the workload verifies its results when the run computes data; false when it has no results that could be
  // wrong. Verifying workloads of the table have mutation tests.
  bool verifies = true;

  const std::string& environment_prefix() const { return environment.empty() ? name : environment; }
};

// Indices are 1-based in name order and change when workloads are added; scripts should use names (H-71).
class WorkloadRegistry {
 public:
  // `group` is the heading in `kernbench list`. Program Error SCHEMA_ERROR for an invalid or taken name, an empty
  // description, a missing entry function, or parameters with wrong names, defaults or choices (H-67).
  void add(Workload workload, const std::string& group = groups::kOthers);

  std::vector<std::string> names() const;  // sorted
  // Finds a workload by index or exact name; configuration Error with the nearest name (H-72).
  const Workload& resolve(const std::string& identifier) const;
  const Workload* find(const std::string& name) const;  // null when unknown
  const groups::Groups& groups() const { return groups_; }

 private:
  std::map<std::string, Workload> workloads_;
  groups::Groups groups_;
};

struct WorkloadGroup {
  const char* name;  // platform/base/groups.h
  std::vector<Workload> workloads;
};
// The table of built-in workloads.
std::vector<WorkloadGroup> builtin_workloads();
WorkloadRegistry builtin_registry();

// Runs the workload and waits for all of its requests. Program Error NO_REQUESTS when it submitted none (H-70). Errors
// of the workload are passed on; an exception that is not an Error becomes BENCH_ERROR. A failed verification is part
// of the result.
WorkloadResult run_workload(Runtime& runtime, const Workload& workload, const Params& params);

}  // namespace kb::sw
