// Two steps of models, as `kernbench model step --out` wrote them, beside each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kb::step {

// Whether the file is one of `kernbench model step`.
bool is_step_file(const std::string& path);

struct StepFile {
  struct Row {
    std::string name, kernel;
    std::int64_t count = 0;
    double ns = 0;
    std::string limiter;
    std::uint64_t fj = 0;  // of all SIPs; 0 without coefficients of energy
  };
  std::string path, model, machine, phase, batch, dtype;
  std::int64_t tp = 1;
  double step_ns = 0, roofline_ns = 0, tokens_per_s = 0;
  bool exact = true;
  std::uint64_t fj = 0;                                     // of the step; 0 without coefficients
  std::vector<Row> rows;                                    // with "(gaps)" and "(host)"
  std::vector<std::pair<std::string, std::string>> config;  // of the machine
};
// Configuration Error that names file and member when something is missing or of another type.
StepFile read_step_file(const std::string& path);

struct StepChange {
  std::string name;
  std::int64_t before_count = 0, after_count = 0;  // 0: that step has no such launch
  double before_ns = 0, after_ns = 0;              // all of them together, on the slowest SIP
  std::string before_limiter, after_limiter;
  std::uint64_t before_fj = 0, after_fj = 0;
  double difference() const { return after_ns - before_ns; }
};
struct StepComparison {
  StepFile before, after;
  struct Setting {
    std::string name, before, after;
  };
  std::vector<Setting> settings;    // model, plan, batch, and keys of the machine that differ
  std::vector<StepChange> changes;  // the largest first; their sum is the difference of the steps
  bool has_energy() const { return before.fj > 0 && after.fj > 0; }
};
StepComparison compare_steps(StepFile before, StepFile after);

// `rows`: settings that are shown at most.
std::string render_step_comparison(const StepComparison& comparison, std::size_t rows);
std::string render_step_comparison_json(const StepComparison& comparison);

}  // namespace kb::step
