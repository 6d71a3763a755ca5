// `kernbench run --record`: what was recorded is what the statistics say, launch by launch.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <utility>

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
  Json result(const std::string& name) const { return detailed(name); }
  void expect_links_as_in_the_statistics() const;
  void expect_resources_as_in_the_statistics() const;
  void expect_shares_to_sum_up() const;
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
      "JOIN component ON component.id = component_id WHERE kind = 'wire' GROUP BY series_id");
  EXPECT_EQ(links.size(), used);
  for (const std::vector<std::string>& link : links) {
    const Json& statistics = blocks[link[0]];
    EXPECT_EQ(std::to_string(femtoseconds(statistics[link[1] + ".busy"]["value"])), link[2]) << link[0] << link[1];
    EXPECT_EQ(statistics[link[1] + ".bytes"]["value"].dump(), link[3]) << link[0] << link[1];
  }
}

// Statistics of pseudo-channels and serial decoders, and the use of resources in launches.
void RecordTest::expect_resources_as_in_the_statistics() const {
  const Json all = result("rec");
  const SqlRows sums = query(
      "SELECT component.name, series.name, sum(busy_fs), sum(wait_fs) FROM activity JOIN series ON series.id = "
      "series_id JOIN component ON component.id = component_id WHERE kind IN ('memory', 'decoder') GROUP BY "
      "series_id");
  EXPECT_GE(sums.size(), 8u);
  for (const std::vector<std::string>& sum : sums) {
    const Json& statistics = all["blocks"][sum[0]];
    EXPECT_EQ(std::to_string(femtoseconds(statistics[sum[1] + ".busy"]["value"])), sum[2]) << sum[0] << sum[1];
    EXPECT_EQ(std::to_string(femtoseconds(statistics[sum[1] + ".wait"]["value"])), sum[3]) << sum[0] << sum[1];
  }
  std::size_t uses = 0;
  for (const Json& launch : all["launches"]) {
    const SqlRows of_launch = query(
        "SELECT component.name, series.name, sum(busy_fs), sum(wait_fs), sum(bytes), kind FROM activity JOIN epoch "
        "ON epoch.id = epoch_id JOIN series ON series.id = series_id JOIN component ON component.id = component_id "
        "WHERE "
        "kind <> 'state' AND launch_id = " +
        launch["id"].dump() + " GROUP BY series_id");
    // A launch that writes to another SIP has uses there, where no epoch is its own.
    std::size_t in_result = 0;
    for (const SqlRows::value_type& block :
         query("SELECT name FROM component WHERE sip IS NULL OR sip = " + launch["sip"].dump())) {
      if (launch["blocks"].contains(block[0])) in_result += launch["blocks"][block[0]].size();
    }
    EXPECT_EQ(in_result, of_launch.size());
    for (const std::vector<std::string>& row : of_launch) {
      const Json& use = launch["blocks"][row[0]][row[1]];
      EXPECT_EQ(std::to_string(femtoseconds(use["busy_ns"])), row[2]) << row[0] << row[1];
      if (row[5] == "dma") continue;  // the activity of channels is their busy time alone
      EXPECT_EQ(std::to_string(femtoseconds(use["wait_ns"])), row[3]) << row[0] << row[1];
      EXPECT_EQ(use["bytes"].dump(), row[4]) << row[0] << row[1];
    }
    uses += in_result;
  }
  EXPECT_GT(uses, 10u);
}

// For every PE in every launch, the parts of its time add up to the duration of its kernel.
void RecordTest::expect_shares_to_sum_up() const {
  std::map<std::pair<std::string, std::string>, std::string> sums;  // by launch and block
  for (const std::vector<std::string>& row : query(
           "SELECT launch_id, component.name, sum(busy_fs) FROM activity JOIN epoch ON epoch.id = epoch_id JOIN series "
           "ON series.id = series_id JOIN component ON component.id = component_id WHERE kind = 'state' AND launch_id "
           "NOT NULL GROUP BY launch_id, component.id")) {
    sums[{row[0], row[1]}] = row[2];
  }
  std::size_t pes = 0;
  const Json all = result("rec");
  for (const Json& launch : all["launches"]) {
    for (const Json& pe : launch["per_pe"]) {
      const std::string name = "sip" + launch["sip"].dump() + ".cube" + pe["cube"].dump() + ".pe" + pe["pe"].dump();
      const auto sum = sums.find({launch["id"].dump(), name + ".pe_cpu"});
      EXPECT_EQ(sum == sums.end() ? "0" : sum->second, std::to_string(femtoseconds(pe["exec_ns"])))
          << name << " of launch " << launch["id"];
      ++pes;
    }
  }
  EXPECT_GT(pes, 0u);
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
    expect_resources_as_in_the_statistics();
    expect_shares_to_sum_up();
  }
}

TEST_F(RecordTest, AgreesWithTheStatisticsAcrossSips) {
  ASSERT_EQ(record("rec", "--bench ccl-allreduce --set n_elem=4096").code, 0);
  expect_links_as_in_the_statistics();
  expect_states_as_in_the_breakdown();
}

TEST_F(RecordTest, SharesOfEveryPeSumToItsKernel) {
  for (const char* options : {"--bench ccl-allreduce --set n_elem=2048", "--bench attention", "--bench layernorm",
                              "--bench gemm-multi-pe", "--bench tp-mlp"}) {
    ASSERT_EQ(record("rec", options).code, 0) << options;
    expect_shares_to_sum_up();
  }
}

TEST_F(RecordTest, FetchesAndStoresMoveTheirBytes) {
  ASSERT_EQ(record("rec", "--topology '" + config("one_pe") + "' --bench matmul-composite").code, 0);
  const Json statistics = result("rec")["block_kinds"]["pe_fetch_store"]["statistics"];  // there is one of them
  const SqlRows sums = query(
      "SELECT series.name, sum(busy_fs), sum(bytes) FROM activity JOIN series ON series.id = series_id WHERE kind = "
      "'tcm' GROUP BY series_id ORDER BY series.name");
  ASSERT_EQ(sums.size(), 2u);
  for (const std::vector<std::string>& sum : sums) {
    EXPECT_EQ(std::to_string(femtoseconds(statistics[sum[0] + "_busy"]["sum"])), sum[1]) << sum[0];
    EXPECT_EQ(statistics[sum[0] + "_bytes"]["sum"].dump(), sum[2]) << sum[0];
  }
}

TEST_F(RecordTest, SerialDecodersOfHeaders) {
  ASSERT_EQ(record("rec", "--bench copy --topology " + config("seed_timing")).code, 0);
  expect_resources_as_in_the_statistics();
  const SqlRows decoders = query("SELECT count(*) FROM series WHERE kind = 'decoder' AND name = 'decode'");
  EXPECT_GT(std::stoi(decoders[0][0]), 0);
  EXPECT_EQ(record("fast", "--bench copy").code, 0);
  EXPECT_EQ(query("SELECT count(*) FROM series WHERE kind = 'decoder'", "fast"), (SqlRows{{"0"}}));
}

TEST_F(RecordTest, BurstsOfAllPseudoChannelsTakeTheirTime) {
  ASSERT_EQ(record("rec", "--bench gemm-multi-pe --topology " + config("one_cube")).code, 0);
  const Json all = result("rec");
  for (const auto& [node, statistics] : all["blocks"].items()) {
    if (node.find("hbm_ctrl") == std::string::npos || !statistics.contains("read_bytes")) continue;
    const SqlRows sums = query(
        "SELECT sum(bytes), sum(busy_fs) FROM activity JOIN series ON series.id = series_id JOIN component ON "
        "component.id = component_id WHERE kind = 'memory' AND component.name = '" +
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
        "series_id JOIN component ON component.id = component_id WHERE kind = 'wire' AND component.name LIKE "
        "'%pcie_ep' AND launch_id " +
        where);
  };
  EXPECT_EQ(bytes_of_host("IS NOT NULL"), (SqlRows{{"0"}}));
  EXPECT_NE(bytes_of_host("IS NULL"), (SqlRows{{"0"}}));
}

// What comes from the record.
void erase_channels(Json& blocks) {
  for (Json& block : blocks) {
    for (int pc = 0; pc < 8; ++pc) {
      for (const char* name : {".busy", ".wait"}) block.erase("pc" + std::to_string(pc) + name);
    }
  }
}

// Without a database, there are bins only where findings look.
TEST_F(RecordTest, FindingsAreTheSameWithoutIt) {
  KB_SKIP_UNDER_SANITIZERS();
  const std::string sips = "--topology '" + config("six_sips_torus") + "' --bench ccl-allreduce --set n_elem=";
  for (const std::string& options :
       {std::string("--bench gemm-multi-pe"), std::string("--bench tp-mlp"), sips + "256", sips + "16384",
        sips + "2048 --set algorithm=ring_allreduce", std::string("--bench flash-attention")}) {
    ASSERT_EQ(record("rec", options).code, 0);
    ASSERT_EQ(kernbench("run --quiet --details --out plain " + options).code, 0);
    const Json with = result("rec"), without = result("plain");
    EXPECT_FALSE(with["findings"].empty()) << options;
    for (const char* part : {"findings", "operations", "launches", "blocks"}) {
      EXPECT_EQ(with[part], without[part]) << options << ": " << part;
    }
  }
}

TEST_F(RecordTest, MovesNoTime) {
  for (const char* options : {"--bench gemm-multi-pe", "--bench ccl-allreduce --set n_elem=2048"}) {
    ASSERT_EQ(record("rec", options).code, 0);
    ASSERT_EQ(kernbench(std::string("run --quiet --no-findings --details --out plain ") + options).code, 0);
    Json with = result("rec"), without = result("plain");
    EXPECT_FALSE(with["findings"].empty());
    EXPECT_TRUE(without["findings"].empty());
    for (Json* one : {&with, &without}) {
      one->erase("findings");
      for (const char* part : {"operations", "lines", "transfers", "host"}) one->erase(part);
      for (Json& launch : (*one)["launches"]) {
        launch["breakdown"].erase("limiter_text");  // names the PE it waited for
        launch.erase("blocks");
      }
      erase_channels((*one)["blocks"]);
      for (const char* name : {"pc.busy", "pc.wait"}) (*one)["block_kinds"]["hbm_ctrl"]["statistics"].erase(name);
    }
    EXPECT_EQ(with, without);
  }
}

// Busy time of each wire in [from, to), computed from the hops of --hops. Only for wires on which every transaction was
// sent without gaps, so that its whole time on the wire is that of its flits.
std::map<std::pair<std::string, std::string>, long long> busy_by_hops(const std::string& table, long long from,
                                                                      long long to) {
  struct Wire {
    double flit_fs = 0;
    bool dense = true;
    long long busy = 0;
  };
  std::map<std::pair<std::string, std::string>, Wire> wires;
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, '\t');) cells.push_back(cell);
    const double flits = std::stod(cells.at(10));
    const auto fs = [&](int cell) { return std::llround(std::stod(cells[static_cast<std::size_t>(cell)]) * 1e6); };
    const long long begin = fs(12), end = fs(13);
    if (flits == 0) continue;
    Wire& wire = wires[{cells[8], cells[9]}];
    const double flit_fs = static_cast<double>(end - begin) / flits;
    if (wire.flit_fs != 0 && wire.flit_fs != flit_fs) wire.dense = false;
    wire.flit_fs = flit_fs;
    wire.busy += std::max(0LL, std::min(end, to) - std::max(begin, from));
  }
  std::map<std::pair<std::string, std::string>, long long> busy;
  for (const auto& [name, wire] : wires) {
    if (wire.dense && wire.busy > 0) busy[name] = wire.busy;
  }
  return busy;
}

// The sums of the window are what operations and hops of the same run say of it.
TEST_F(RecordTest, AWindowIsWhatOperationsAndHopsDidInIt) {
  const std::string options = "--bench gemm-single-pe --topology " + config("one_cube");
  ASSERT_EQ(record("whole", options).code, 0);
  const Json launch = result("whole")["launches"][0];
  const long long start = femtoseconds(launch["start_ns"]), end = femtoseconds(launch["completed_ns"]);
  const long long from = start + (end - start) / 5, to = start + (end - start) / 2;
  const auto ns = [](long long fs) {
    return std::to_string(fs / 1'000'000) + "." + std::to_string(1'000'000 + fs % 1'000'000).substr(1);
  };
  ASSERT_EQ(record("rec", options + " --hops hops.tsv --record-window " + ns(from) + ":" + ns(to)).code, 0);
  EXPECT_TRUE(result("rec")["findings"].empty());
  EXPECT_THAT(result("rec")["notes"].dump(), HasSubstr("because --record-window divides launches"));
  const std::string first = std::to_string(from), last = std::to_string(to);
  const std::string window = " WHERE t0_fs >= " + first + " AND t1_fs <= " + last;
  EXPECT_EQ(query("SELECT DISTINCT t0_fs, t1_fs, launch_id FROM epoch" + window),
            (SqlRows{{first, last, launch["id"].dump()}}));
  const std::string busy =
      "SELECT component.name, series.name, sum(busy_fs) FROM activity JOIN epoch ON epoch.id = epoch_id JOIN series ON "
      "series.id = series_id JOIN component ON component.id = component_id" +
      window;
  for (const auto& [series, operations] : {std::pair("dma' AND series.name = 'read", "operation.name = 'dma_read'"),
                                           {"dma' AND series.name = 'write", "operation.name = 'dma_write'"},
                                           {"engine", "operation.kind IN ('gemm', 'math')"}}) {
    const SqlRows counted = query("SELECT sum(max(0, min(t_end_fs, " + last + ") - max(t_start_fs, " + first +
                                  "))) FROM op JOIN operation ON operation.id = operation_id WHERE " + operations);
    const SqlRows recorded = query(busy + " AND series.kind = '" + series + "' GROUP BY series_id");
    ASSERT_EQ(recorded.size(), 1u) << series;
    EXPECT_EQ(recorded[0][2], counted[0][0]) << series;
    EXPECT_NE(recorded[0][2], "0") << series;
  }
  const auto by_hops = busy_by_hops(read("hops.tsv"), from, to);
  EXPECT_GE(by_hops.size(), 2u);
  for (const auto& [wire, busy_fs] : by_hops) {
    const SqlRows recorded = query(busy + " AND series.kind = 'wire' AND component.name = '" + wire.first +
                                   "' AND series.name = 'to_" + wire.second + "' GROUP BY series_id");
    ASSERT_EQ(recorded.size(), 1u) << wire.first << " " << wire.second;
    EXPECT_EQ(recorded[0][2], std::to_string(busy_fs)) << wire.first << " " << wire.second;
  }
}

TEST_F(RecordTest, AWindowMovesNoTimeAndMissesNothing) {
  const std::string options = "--bench ccl-allreduce --set n_elem=512";
  ASSERT_EQ(record("whole", options).code, 0);
  ASSERT_EQ(record("rec", options + " --record-window 300:900.5").code, 0);
  Json with = result("rec"), without = result("whole");
  for (Json* one : {&with, &without}) {
    for (const char* member : {"findings", "notes", "host"}) one->erase(member);
  }
  EXPECT_EQ(with, without);
  const std::string sums =
      "SELECT component.name, series.kind, series.name, sum(busy_fs), sum(wait_fs), sum(bytes) FROM activity JOIN "
      "series ON "
      "series.id = series_id JOIN component ON component.id = component_id GROUP BY series_id ORDER BY series_id";
  EXPECT_EQ(query(sums), query(sums, "whole"));
  ASSERT_EQ(record("late", options + " --record-window 1e9:2e9").code, 0);
  EXPECT_THAT(result("late")["notes"].dump(), HasSubstr("begins after the run, which ends at"));
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
  for (const char* window : {"5", "5:", ":5", "5:5", "7:5", "-1:5", "1:2:3", "a:b", "0:nan", "0:1e13"}) {
    const Outcome outcome = record("rec", std::string("--record-window ") + window);
    EXPECT_EQ(outcome.code, 2) << window;
    EXPECT_THAT(outcome.err, HasSubstr("--record-window needs two times in ns, FROM:TO")) << window;
  }
  EXPECT_THAT(kernbench("run --out rec --record-window 1:2").err, HasSubstr("add --record DIR"));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/rec"));
}

}  // namespace
}  // namespace kb::test
