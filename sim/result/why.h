// why.json: what a run waits for, measured by running it again (`kernbench why`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/units.h"
#include "sim/result/field_table.h"
#include "sim/result/result.h"

namespace kb::result {

inline constexpr const char* kWhyFile = "why/why.json";  // in the folder of the run
inline constexpr const char* kWhySchema = "kernbench why 1";

// A run with something changed.
struct WhyTrial {
  std::string text;
  TimeFs time = 0_fs;
  bool pinned = false;
  std::string command;
};

struct WhyStep {
  std::string relief;
  std::vector<std::string> families;
  std::string text;
  TimeFs before = 0_fs, time = 0_fs;
  std::optional<TimeFs> chosen_again;
  std::string limiter;
  bool pinned = false;
  std::string command;
};

struct Why {
  std::string schema = kWhySchema;
  std::string version;
  std::string inputs_sha256;
  std::string workload;
  std::string command;
  TimeFs time = 0_fs;
  std::string limiter;
  bool cut = false, out_of_budget = false;
  std::string bound;
  TimeFs bound_time = 0_fs;
  std::uint64_t points = 0, failed_points = 0, unknown_accesses = 0;
  Members<std::string> families;
  std::vector<WhyStep> steps;
  std::vector<WhyTrial> others, remedies;
};

template <>
struct Fields<WhyTrial> {
  static constexpr auto kName = "why_trial", kMeaning = "the run with one change";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("text", self.text, "what is changed");
    visit("time_ns", self.time, "its time");
    visit("pinned", self.pinned, "with the routes and choices of the run");
    visit("command", self.command, "that gives this time");
  }
};

template <>
struct Fields<WhyStep> {
  static constexpr auto kName = "why_step", kMeaning = "a relief on top of those of the steps before";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("relief", self.relief, "a stable name");
    visit("families", self.families, "of the relief; two where two reliefs gain together only");
    visit("text", self.text, "what is taken away");
    visit("before_ns", self.before, "time of the step before");
    visit("time_ns", self.time, "its time");
    visit("chosen_again_ns", self.chosen_again,
          "time when routes and algorithms are chosen again; null: less than 1 % apart");
    visit("limiter", self.limiter, "what limits now");
    visit("pinned", self.pinned, "with the routes and choices of the run");
    visit("command", self.command, "that gives this time");
  }
};

template <>
struct Fields<Why> {
  static constexpr auto kName = "why", kMeaning = "why.json of kernbench";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit.one_of("schema", self.schema, {kWhySchema}, "of this file");
    visit("version", self.version, "of the program");
    visit.matching("inputs_sha256", self.inputs_sha256, "^[0-9a-f]{64}$", "of inputs.json of the run");
    visit("workload", self.workload, "its name");
    visit("command", self.command, "of the run");
    visit("time_ns", self.time, "from the first submission of a launch to the last completion");
    visit("limiter", self.limiter, "what limits the run");
    visit("cut", self.cut, "more steps may follow: there are as many as were asked for, or the budget is spent");
    visit("out_of_budget", self.out_of_budget, "the budget is spent; no remedies were tried");
    visit("bound", self.bound, "a bound for the time of the last step; empty: none is known");
    visit("bound_ns", self.bound_time, "its time; 0: none is known");
    visit("points", self.points, "runs that were asked for");
    visit("failed_points", self.failed_points, "of these, those that make no machine or no run");
    visit("unknown_accesses", self.unknown_accesses,
          "of the run: accesses whose times are assumed, because the data mode does not know indices or masks");
    visit("families", self.families, "of the reliefs of the steps: what each of them is");
    visit("steps", self.steps, "each on top of those before");
    visit("others", self.others, "further first steps, the largest gain first");
    visit("remedies", self.remedies, "what a user can change, the largest gain first; one value of each parameter");
  }
};

std::string render(const Why& why);

// The file of a run's folder.
std::string why_file_of(const std::string& folder);
// Reads why.json, or that of the folder of a run. Configuration Error that names the file, and the member that is
// wrong.
Why read_why(const std::string& path);

}  // namespace kb::result
