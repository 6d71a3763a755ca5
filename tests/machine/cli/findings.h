// Runs of which the findings are looked at.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/machine/cli/command_line.h"

namespace kb::test {

using Json = nlohmann::json;

class FindingsTest : public CommandLineTest {
 protected:
  Json run(const std::string& options) const {
    const Outcome outcome = kernbench("run --quiet --out out " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(read("out/result.json"));
  }
  Json slow(const std::string& cause, const std::string& options = "") const {
    return run("--plugin " KB_SLOW_PLUGIN " --bench slow --set cause=" + cause + " " + options);
  }
};

inline std::string first(const Json& result) {
  return result["findings"].empty() ? "none" : result["findings"][0]["rule"].get<std::string>();
}

inline bool has(const Json& result, const std::string& rule) {
  for (const Json& finding : result["findings"]) {
    if (finding["rule"] == rule) return true;
  }
  return false;
}

inline double longest_launch_ns(const Json& result) {
  double longest = 0;
  for (const Json& launch : result["launches"]) {
    longest = std::max(longest, launch["completed_ns"].get<double>() - launch["submit_ns"].get<double>());
  }
  return longest;
}

inline const Json& finding(const Json& result, const std::string& rule) {
  static const Json none;
  for (const Json& one : result["findings"]) {
    if (one["rule"] == rule) return one;
  }
  ADD_FAILURE() << "no finding " << rule;
  return none;
}

}  // namespace kb::test
