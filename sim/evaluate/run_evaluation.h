// Runs an evaluation: points in processes, rows, data file, checks, figures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/evaluate/evaluation.h"

namespace kb::evaluate {

struct RunOptions {
  std::string folder;  // for data file and figures; created
  std::vector<std::string>
      topology;  // options of `kernbench run` that choose the machine, each with its value: {"--topology", "x.yaml"}
  int jobs = 0;  // processes at a time; 0 = one per core
  bool fast = false;  // draw from the data file that is there (E-4)
  std::function<void(std::size_t done, std::size_t points)> progress = nullptr;
  std::function<void()> measured = nullptr;  // the data file is complete, drawing begins
};

struct RunSummary {
  std::size_t points = 0;
  std::size_t resumed = 0;  // of them taken from an earlier, interrupted call
  std::vector<Violation> violations;
  std::vector<std::string> remarks;
  std::vector<std::string> files;
};

// `machine` is what `options.topology` chooses. Configuration Errors: folder not writable, data file missing, of
// another evaluation or, when `options.topology` chooses one, of another machine (fast), gnuplot missing; the Error of
// a point that fails names it. Files are whole or absent; what is staged stays when a point fails.
RunSummary run_evaluation(const IEvaluation& evaluation, const topology::LoadedTopology& machine,
                          const RunOptions& options);

}  // namespace kb::evaluate
