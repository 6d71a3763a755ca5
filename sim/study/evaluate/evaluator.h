// Runs the sweeps of an evaluation, executes its queries and draws its figures.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/run/driver/progress.h"
#include "sim/study/evaluate/evaluation_file.h"
#include "sim/study/sweep/point_runner.h"

namespace kb::evaluate {

struct CheckFailure {
  std::string rule;
  std::string text;
};

struct EvaluatorOptions {
  std::string out;                                        // absolute path
  std::string topology;                                   // absolute path; "" = the built-in machine
  std::vector<std::pair<std::string, std::string>> sets;  // overrides of topology keys
  std::vector<std::string> sweeps;  // tables of the requested sweeps; empty = all except those that run on request
  int jobs = 0;                     // 0 = one per core
  bool fast = false;                // no simulation: uses the existing tables in `out`
  sim::Progress progress{};
  std::function<void(const CheckFailure&)> failed;  // called immediately for each failed check
};

struct EvaluationSummary {
  std::uint64_t points = 0, run = 0;  // over all sweeps: number of points, and of newly simulated ones
  std::vector<std::string> files;
  std::size_t failures = 0;  // number of failed checks
  std::vector<std::string> notes;
};

// Writes OUT/NAME.sqlite with the tables of all sweeps and scripts, OUT/TABLE.csv with the results, OUT/FIGURE.svg,
// .png and .gp with the figures, and OUT/sweeps/TABLE with the data of each sweep. The working directory must be that
// of the evaluation. Configuration Errors; finished points are kept. Each point is a forked process.
EvaluationSummary evaluate(const EvaluationSpec& spec, const sweep::Catalogs& catalogs,
                           const EvaluatorOptions& options);

}  // namespace kb::evaluate
