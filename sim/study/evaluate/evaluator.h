// Runs the sweeps of an evaluation, asks its questions and draws its figures.
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
  std::string out;                                        // absolute
  std::string topology;                                   // absolute; "" = the built-in machine
  std::vector<std::pair<std::string, std::string>> sets;  // keys of the machine
  std::vector<std::string> sweeps;                        // their tables; empty = all that run without being asked for
  int jobs = 0;                                           // 0 = one per core
  bool fast = false;                                      // no simulation: the tables that are in `out`
  sim::Progress progress{};
  std::function<void(const CheckFailure&)> failed;  // called as soon as it is known
};

struct EvaluationSummary {
  std::uint64_t points = 0, run = 0;  // of all sweeps; those that were not there before
  std::vector<std::string> files;
  std::size_t failures = 0;  // of checks
  std::vector<std::string> notes;
};

// OUT/NAME.sqlite has the tables of all sweeps and those made from them, OUT/TABLE.csv the results, OUT/FIGURE.svg,
// .png and .gp the figures, OUT/sweeps/TABLE what each sweep keeps. The working directory is that of the evaluation.
// Configuration Errors; finished points are kept. Each point is a process that is forked from this one.
EvaluationSummary evaluate(const EvaluationSpec& spec, const sweep::Catalogs& catalogs,
                           const EvaluatorOptions& options);

}  // namespace kb::evaluate
