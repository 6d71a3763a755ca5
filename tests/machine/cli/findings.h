// Runs of which the findings are looked at.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/machine/cli/command_line.h"

namespace kb::test {

class FindingsTest : public CommandLineTest {
 protected:
  nlohmann::json run(const std::string& options) const {
    const Outcome outcome = kernbench("run --quiet --out out " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(read("out/result.json"));
  }
  nlohmann::json slow(const std::string& cause, const std::string& options = "") const {
    return run("--plugin " KB_SLOW_PLUGIN " --bench slow --set cause=" + cause + " " + options);
  }

  static std::string first(const nlohmann::json& result) {
    return result["findings"].empty() ? "none" : result["findings"][0]["rule"].get<std::string>();
  }

  static bool has(const nlohmann::json& result, const std::string& rule) {
    for (const nlohmann::json& finding : result["findings"]) {
      if (finding["rule"] == rule) return true;
    }
    return false;
  }

  static double longest_launch_ns(const nlohmann::json& result) {
    double longest = 0;
    for (const nlohmann::json& launch : result["launches"]) {
      longest = std::max(longest, launch["completed_ns"].get<double>() - launch["submit_ns"].get<double>());
    }
    return longest;
  }

  static const nlohmann::json& finding(const nlohmann::json& result, const std::string& rule) {
    static const nlohmann::json none;
    for (const nlohmann::json& one : result["findings"]) {
      if (one["rule"] == rule) return one;
    }
    ADD_FAILURE() << "no finding " << rule;
    return none;
  }

  static double span_ns(const nlohmann::json& result) {
    double begin = 1e300, end = 0;
    for (const nlohmann::json& launch : result["launches"]) {
      begin = std::min(begin, launch["submit_ns"].get<double>());
      end = std::max(end, launch["completed_ns"].get<double>());
    }
    return end - begin;
  }

  // What mending brought, beside what the first finding had promised.
  static void expect_gain(const nlohmann::json& before, const nlohmann::json& after, double tolerance) {
    const double promised = before["findings"][0]["factor"].get<double>();
    const double brought = longest_launch_ns(before) / longest_launch_ns(after);
    EXPECT_NEAR(promised / brought, 1.0, tolerance) << "promised " << promised << ", brought " << brought;
  }
};

}  // namespace kb::test
