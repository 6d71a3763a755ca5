// Workloads between SIPs of two small cubes, with random options.
#pragma once

#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

#include "tests/machine/cli/command_line.h"

namespace kb::test {

class SmallSipsTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    machine_ = folder() + "/" +
               write("machine.yaml",  // SIPs of two cubes of two PEs
                     "system: { sips: { count: 2 } }\nsip: { cube_mesh: { w: 2, h: 1 } }\n"
                     "cube: { pe_layout: { corners: [NW], pe_per_corner: 2 } }\n");
  }
  nlohmann::json good(const std::string& workload, const std::string& options,
                      const std::string& mode = "--verify-data") {
    const Outcome outcome = kernbench("run --quiet --topology '" + machine_ + "' --bench " + workload + " --out out " +
                                      options + " " + mode);
    EXPECT_EQ(outcome.code, 0) << workload << options << "\n" << outcome.err;
    const nlohmann::json result = nlohmann::json::parse(read("out/result.json"), nullptr, false);
    EXPECT_EQ(result.value("ok", false), true) << workload << options;
    for (const nlohmann::json& row : result["verification"]) EXPECT_EQ(row["max_abs"], 0) << workload << options;
    return result;
  }
  std::string refused(const std::string& workload, const std::string& options) {
    const Outcome outcome =
        kernbench("run --quiet --topology '" + machine_ + "' --bench " + workload + " --out out " + options);
    EXPECT_EQ(outcome.code, 1) << workload << options;
    return outcome.err;
  }
  static std::string sips(int count) { return " --set system.sips.count=" + std::to_string(count) + " "; }

  template <typename T>
  const T& one_of(const std::vector<T>& values) {
    return values[random_() % values.size()];
  }
  int between(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1));
  }
  // Some of the SIPs in any order; groups are disjoint or overlap.
  std::string random_groups(int count) {
    std::string text;
    for (int group = between(1, 3); group > 0; --group) {
      std::vector<int> ranks;
      for (int rank = 0; rank < count; ++rank) ranks.push_back(rank);
      for (std::size_t i = ranks.size(); i > 1; --i) std::swap(ranks[i - 1], ranks[random_() % i]);
      ranks.resize(static_cast<std::size_t>(between(1, count)));
      for (const int rank : ranks) text += (text.empty() || text.back() == '/' ? "" : ",") + std::to_string(rank);
      if (group > 1) text += "/";
    }
    return text;
  }
  std::string random_topology(int count) {
    const std::string set = " --set system.sips.topology=";
    if (count == 4 && random_() % 2 == 0) return set + one_of<std::string>({"torus_2d", "mesh_2d_no_wrap"});
    if (count == 6 && random_() % 2 == 0) {
      return set + one_of<std::string>({"torus_2d", "mesh_2d_no_wrap"}) +
             " --set system.sips.w=3 --set system.sips.h=2";
    }
    return set + "ring_1d";
  }
  std::string random_queues() {
    return " --set n_slots=" + one_of<std::string>({"1", "2", "4", "8"}) +
           " --set buffer_kind=" + one_of<std::string>({"tcm", "hbm", "sram"}) +
           " --set slot_size=" + one_of<std::string>({"64", "4096"});
  }

  std::string machine_;
  std::mt19937 random_{20};
};

}  // namespace kb::test
