// --why of a command that runs a workload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/result/inputs.h"
#include "sim/study/sweep/point_runner.h"
#include "sim/study/why/explain.h"

namespace CLI {
class App;
}

namespace kb::cli {

class WhyChoice {
 public:
  void add_options(CLI::App& app);
  // Adds --top, --jobs and --budget, which `kernbench why` has, too.
  void add_ladder_options(CLI::App& app, const std::string& prefix);
  // Usage Error for options of the ladder without --why, and for a run without a folder.
  void check(const std::string& folder) const;

  bool wanted() const { return why_; }
  why::ExplainOptions options(bool quiet) const;

  // Measures the run before it is made, in forked processes. A run that fails has no ladder.
  void measure(const result::Inputs& inputs, const std::string& folder, const sweep::Catalogs& catalogs, bool quiet);
  // Compares the run that was made with its repetition, and writes why.json. Configuration Error when they differ.
  void write(const result::Result& result) const;
  std::string text(bool quiet) const;  // empty without a ladder

 private:
  bool why_ = false;
  std::uint64_t top_ = 0, jobs_ = 0, budget_ = 0;  // 0: not given
  std::optional<why::Repeat> repeat_;
  std::optional<why::Explanation> explanation_;
};

}  // namespace kb::cli
