// `kernbench run --record`: what was recorded is what the statistics say, launch by launch.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "tests/machine/cli/command_line.h"
#include "tests/support/sqlite_rows.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class RecordTest : public CommandLineTest {
 protected:
  Outcome record(const std::string& name, const std::string& options) const {
    return kernbench("run --quiet --record " + name + " " + options);
  }
  SqlRows query(const std::string& sql, const std::string& name = "rec") const {
    return sql_rows(folder() + "/" + name + "/ops.sqlite", sql);
  }
  Json result(const std::string& name) const { return Json::parse(read(name + "/result.json")); }
  void expect_links_as_in_the_statistics() const;
  void expect_states_as_in_the_breakdown() const;
};

long long femtoseconds(const Json& ns) {
  return std::llround(ns.get<double>() * 1e6);
}

void RecordTest::expect_links_as_in_the_statistics() const {
  const Json blocks = result("rec")["blocks"];
  std::size_t used = 0;
  for (const auto& [node, statistics] : blocks.items()) {
    for (const auto& [name, value] : statistics.items()) {
      if (name.rfind("to_", 0) == 0 && name.find(".busy") != std::string::npos && value["value"] > 0) ++used;
    }
  }
  const SqlRows links = query(
      "SELECT component.name, series.name, sum(busy_fs), sum(bytes) FROM activity JOIN series ON series.id = series_id "
      "JOIN component ON component.id = component_id WHERE kind = 'link' GROUP BY series_id");
  EXPECT_EQ(links.size(), used);
  for (const std::vector<std::string>& link : links) {
    const Json& statistics = blocks[link[0]];
    EXPECT_EQ(std::to_string(femtoseconds(statistics[link[1] + ".busy"]["value"])), link[2]) << link[0] << link[1];
    EXPECT_EQ(statistics[link[1] + ".bytes"]["value"].dump(), link[3]) << link[0] << link[1];
  }
}

void RecordTest::expect_states_as_in_the_breakdown() const {
  const Json all = result("rec");
  for (const Json& launch : all["launches"]) {
    const Json& breakdown = launch["breakdown"];
    const std::string pe = breakdown["pe"].get<std::string>();
    for (const auto& [name, share] : breakdown.items()) {
      if (name == "pe" || name == "busy" || name == "limiter" || name == "limiter_text") continue;
      if (name == "delivery_ns" || name == "barrier_ns" || name == "completion_ns") continue;
      const SqlRows found = query(
          "SELECT coalesce(sum(busy_fs), 0) FROM activity JOIN epoch ON epoch.id = epoch_id JOIN "
          "series ON series.id = series_id JOIN component ON component.id = component_id WHERE "
          "kind = 'state' AND launch_id = " +
          launch["id"].dump() + " AND component.name = '" + pe + ".pe_cpu' AND series.name = '" +
          name.substr(0, name.size() - 3) + "'");
      EXPECT_EQ(found, (SqlRows{{std::to_string(femtoseconds(share))}})) << name << " of launch " << launch["id"];
    }
  }
}

TEST_F(RecordTest, AgreesWithTheStatistics) {
  for (const char* options :
       {"--bench gemm-multi-pe --topology ", "--bench matmul-composite --set m=128 --set n=128 --topology ",
        "--bench copy --topology "}) {
    ASSERT_EQ(record("rec", options + config("one_cube")).code, 0) << options;
    expect_links_as_in_the_statistics();
    expect_states_as_in_the_breakdown();
  }
}

TEST_F(RecordTest, AgreesWithTheStatisticsAcrossSips) {
  ASSERT_EQ(record("rec", "--bench ccl-allreduce --set n_elem=4096").code, 0);
  expect_links_as_in_the_statistics();
  expect_states_as_in_the_breakdown();
}

TEST_F(RecordTest, BurstsOfAllPseudoChannelsTakeTheirTime) {
  ASSERT_EQ(record("rec", "--bench gemm-multi-pe --topology " + config("one_cube")).code, 0);
  const Json all = result("rec");
  for (const auto& [node, statistics] : all["blocks"].items()) {
    if (node.find("hbm_ctrl") == std::string::npos || !statistics.contains("read_bytes")) continue;
    const SqlRows sums = query(
        "SELECT sum(bytes), sum(busy_fs) FROM activity JOIN series ON series.id = series_id JOIN component ON "
        "component.id = component_id WHERE kind = 'pseudo_channel' AND component.name = '" +
        node + "'");
    const long long bytes =
        statistics["read_bytes"]["value"].get<long long>() + statistics["write_bytes"]["value"].get<long long>();
    EXPECT_EQ(sums[0][0], std::to_string(bytes)) << node;                    // whole bursts only
    EXPECT_EQ(sums[0][1], std::to_string(bytes / 256 * 8'000'000)) << node;  // 256 B at 32 GB/s
  }
}

// The host copies tensors to the machine before the launch, and from it afterwards.
TEST_F(RecordTest, WhatIsBeforeALaunchIsNotCountedForIt) {
  ASSERT_EQ(record("rec", "--bench gemm-single-pe --topology " + config("one_pe")).code, 0);
  const auto bytes_of_host = [&](const std::string& where) {
    return query(
        "SELECT coalesce(sum(bytes), 0) FROM activity JOIN epoch ON epoch.id = epoch_id JOIN series ON series.id = "
        "series_id JOIN component ON component.id = component_id WHERE kind = 'link' AND component.name LIKE "
        "'%pcie_ep' AND launch_id " +
        where);
  };
  EXPECT_EQ(bytes_of_host("IS NOT NULL"), (SqlRows{{"0"}}));
  EXPECT_NE(bytes_of_host("IS NULL"), (SqlRows{{"0"}}));
}

TEST_F(RecordTest, MovesNoTime) {
  for (const char* options : {"--bench gemm-multi-pe", "--bench ccl-allreduce --set n_elem=2048"}) {
    ASSERT_EQ(record("rec", options).code, 0);
    ASSERT_EQ(kernbench(std::string("run --quiet --no-findings --out plain ") + options).code, 0);
    Json with = result("rec"), without = result("plain");
    EXPECT_FALSE(with["findings"].empty());
    EXPECT_TRUE(without["findings"].empty());
    for (Json* one : {&with, &without}) {
      one->erase("findings");
      one->erase("operations");
      one->erase("host");
      for (Json& launch : (*one)["launches"]) launch["breakdown"].erase("limiter_text");  // names the PE it waited for
    }
    EXPECT_EQ(with, without);
  }
}

TEST_F(RecordTest, RepeatsAreEqualBytes) {
  const std::string options = "--bench matmul-composite --set m=128 --set n=128 --topology " + config("one_pe");
  ASSERT_EQ(record("a", options).code, 0);
  ASSERT_EQ(record("b", options).code, 0);
  for (const char* name : {"ops.sqlite", "topology.json"}) {
    EXPECT_EQ(read(std::string("a/") + name), read(std::string("b/") + name)) << name;
  }
  EXPECT_EQ(result("a")["findings"], result("b")["findings"]);
}

TEST_F(RecordTest, HoldsTheMachine) {
  ASSERT_EQ(record("rec", "--bench noop --topology " + config("one_pe")).code, 0);
  EXPECT_EQ(read("rec/topology.json"), kernbench("topology " + config("one_pe") + " --json").out);
}

TEST_F(RecordTest, OptionsThatClashAreRefused) {
  for (const char* options : {"--out other", "--oplog ops.tsv"}) {
    const Outcome outcome = record("rec", options);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--record writes"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder() + "/rec"));
}

}  // namespace
}  // namespace kb::test
