// Workloads: host programs that a user runs by name (H-67 .. H-77).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platform/data/verification.h"
#include "sw/runtime/runtime.h"
#include "sw/workloads/params.h"

namespace kb::sw {

// One line of the report: a result that a reader wants first.
struct Figure {
  std::string name;  // "critical path"
  double value = 0;
  std::string unit;     // "ns", "TFLOP/s", "GB/s", "" = a count
  std::string meaning;  // for the report, in a few words: "the longest time of a PE in the kernel"
};

struct WorkloadResult {
  std::vector<data::VerificationRow> verification;  // empty when the run computes no data
  std::vector<Figure> figures;
  std::vector<std::string> notes;  // sentences for the report, e.g. why nothing was verified
};

struct Workload {
  std::string name;         // ^[a-z][a-z0-9]*(-[a-z0-9]+)*$ (H-67)
  std::string description;  // one line
  std::vector<Parameter> parameters;
  std::function<WorkloadResult(Runtime&, const Params&)> run;
  // Environment variables of the parameters begin like this instead of like the name: "matmul" -> MATMUL_M.
  std::string environment{};
  // Whether it compares its results with what they must be when the run computes data. False: it computes nothing that
  // could be wrong. A workload of the table that verifies has mutation tests.
  bool verifies = true;

  const std::string& environment_prefix() const { return environment.empty() ? name : environment; }
};

// Indices are 1-based in name order and shift when workloads are added; scripts use names (H-71).
class WorkloadRegistry {
 public:
  // Program Error SCHEMA_ERROR on a bad or taken name, an empty description, no entry function, or parameters whose
  // names, defaults or choices are wrong (H-67).
  void add(Workload workload);

  std::vector<std::string> names() const;  // sorted
  // An index, else an exact name; configuration Error with the nearest name (H-72).
  const Workload& resolve(const std::string& identifier) const;
  const Workload* find(const std::string& name) const;  // null when unknown

 private:
  std::map<std::string, Workload> workloads_;
};

// The table of workloads that come with kernbench.
std::vector<Workload> builtin_workloads();
WorkloadRegistry builtin_registry();

// Runs the workload and waits for all it submitted. Program Error NO_REQUESTS when it submitted none (H-70); what the
// workload throws, with an exception that is not an Error as BENCH_ERROR. A failed verification is in the result.
WorkloadResult run_workload(Runtime& runtime, const Workload& workload, const Params& params);

}  // namespace kb::sw
