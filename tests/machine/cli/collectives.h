// Runs of collectives on whole machines.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/machine/cli/command_line.h"

namespace kb::test {

class CollectivesTest : public CommandLineTest {
 protected:
  nlohmann::json all_reduce(const std::string& options, const std::string& mode = "--verify-data") {
    const Outcome outcome =
        kernbench("run --quiet --topology '" + machine_ + "' --bench ccl-allreduce --out out " + options + " " + mode);
    EXPECT_EQ(outcome.code, 0) << options << "\n" << outcome.err;
    const nlohmann::json result = nlohmann::json::parse(read("out/result.json"), nullptr, false);
    EXPECT_EQ(result.value("ok", false), true) << options;
    return result;
  }
  // A collective between ranks on a small machine; every rank's result equals the host's.
  nlohmann::json between_ranks(const std::string& workload, const std::string& options,
                               const std::string& mode = "--verify-data") {
    const Outcome outcome = kernbench("run --quiet --topology '" + machine_ + "' --bench ccl-" + workload +
                                      " --out out " + options + " " + mode);
    EXPECT_EQ(outcome.code, 0) << workload << options << "\n" << outcome.err;
    const nlohmann::json result = nlohmann::json::parse(read("out/result.json"), nullptr, false);
    EXPECT_EQ(result.value("ok", false), true) << workload << options;
    for (const nlohmann::json& row : result["verification"]) EXPECT_EQ(row["max_abs"], 0) << workload << options;
    return result;
  }
  void use_small_machine() {  // SIPs of two cubes of two PEs
    machine_ = folder() + "/" +
               write("machine.yaml",
                     "system: { sips: { count: 2 } }\nsip: { cube_mesh: { w: 2, h: 1 } }\n"
                     "cube: { pe_layout: { corners: [NW], pe_per_corner: 2 } }\n");
  }
  static const std::vector<std::string>& rank_workloads() {
    static const std::vector<std::string> names{"broadcast",      "reduce",     "allreduce-ranks",
                                                "send-recv",      "all-gather", "gather",
                                                "reduce-scatter", "scatter",    "all-to-all"};
    return names;
  }
  static double slowest(const nlohmann::json& result) {
    double time = 0;
    for (const nlohmann::json& launch : result["launches"])
      time = std::max(time, launch["pe_exec_ns"]["max"].get<double>());
    return time;
  }
  static std::string sips(int count, const std::string& topology = "ring_1d", int w = 0, int h = 0) {
    std::string out = " --set system.sips.count=" + std::to_string(count) + " --set system.sips.topology=" + topology;
    if (w > 0) out += " --set system.sips.w=" + std::to_string(w) + " --set system.sips.h=" + std::to_string(h);
    return out + " ";
  }
  std::string machine_ = config("reference");
};

}  // namespace kb::test
