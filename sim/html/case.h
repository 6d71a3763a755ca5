// What the parts of a report look at: a run, and the launch of it that took longest.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/analysis/compare/comparison.h"
#include "sim/analysis/recorded/activity.h"
#include "sim/analysis/recorded/run_folder.h"

namespace kb::html {

using Json = nlohmann::ordered_json;

constexpr double kPageWidth = 1050;  // of pictures, in units of their own
constexpr double kFsInNs = 1e6;

// Members of an object that may be anything; nothing where they are not of that kind.
const Json& member(const Json& object, const char* name);
std::string text_of(const Json& object, const char* name);
double number_of(const Json& object, const char* name);
// The elements of a list.
const Json& list_of(const Json& object, const char* name);
// A value as people write it: texts without quotes.
std::string plain(const Json& value);

// A part of a launch as `breakdown` has it, and as the states of a PE are called.
struct Part {
  const char *name, *label, *colour, *meaning;
};
const std::vector<Part>& parts();

struct Window {
  std::int64_t begin_fs = 0, end_fs = 0;
  double span() const { return static_cast<double>(end_fs - begin_fs); }
  bool empty() const { return end_fs <= begin_fs; }
};

struct LaunchView {
  const Json* json = nullptr;
  std::string name;      // "#387 gemm, sip0"
  std::string under;     // "sip0"
  double total_ns = 0;   // from submission to completion
  Window whole, kernel;  // the kernel from its first start until its last end; empty when no PE ran it
};

struct Case {
  // That of the longest launch.
  analysis::Scope part() const { return run.nodes().scope(longest->under); }

  const analysis::RunFolder& run;
  Json summary;
  std::vector<LaunchView> launches;     // those that have ended, in the order of the file
  const LaunchView* longest = nullptr;  // null without launches
  std::vector<analysis::Use> uses;      // of every series while the kernel of the longest ran; empty without a record

  explicit Case(const analysis::RunFolder& folder);
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  bool has_activity() const { return !uses.empty(); }
};

// Each gives a part of the page, or nothing where the run has nothing to show.
std::string head_part(const Case& of);
std::string comparison_part(const sim::Comparison& of);
std::string findings_part(const Case& of);
std::string operations_part(const Case& of);
std::string settings_part(const Case& of);
std::string verification_part(const Case& of);
std::string launches_part(const Case& of);
std::string pes_part(const Case& of);
std::string profile_part(const Case& of);
std::string machine_part(const Case& of);
std::string resources_part(const Case& of);
std::string roofline_part(const Case& of);

}  // namespace kb::html
