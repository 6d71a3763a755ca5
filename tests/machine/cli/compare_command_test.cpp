// `kernbench compare`: what it says of two runs is what their results say.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class CompareCommandTest : public CommandLineTest {
 protected:
  void run(const std::string& folder_name, const std::string& options) {
    const Outcome outcome =
        kernbench("run --topology '" + config("one_pe") + "' --quiet --out " + folder_name + " " + options);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  Json result(const std::string& folder_name) const { return Json::parse(read(folder_name + "/result.json")); }
};

double sum_of_differences(const Json& changes) {
  double sum = 0;
  for (const Json& change : changes) sum += change["after"].get<double>() - change["before"].get<double>();
  return sum;
}

double time_of(const Json& result) {
  double sum = 0;
  for (const Json& launch : result["launches"]) {
    sum += launch["completed_ns"].get<double>() - launch["submit_ns"].get<double>();
  }
  return sum;
}

TEST_F(CompareCommandTest, PartsAddUpToTheDifference) {
  const std::string gemm = "--bench matmul-composite --set m=128 --set k=128 --set n=128";
  run("a", gemm);
  run("b", gemm + " --set cube.pe_template.components.pe_gemm.attrs.mac_per_ns=512");
  const Json comparison = json("compare a b --json");
  const double difference = time_of(result("b")) - time_of(result("a"));
  EXPECT_GT(difference, 0);
  EXPECT_NEAR(sum_of_differences(comparison["parts"]), difference, 1e-6);
  EXPECT_NEAR(sum_of_differences(Json::array({comparison["total"]})), difference, 1e-6);
  double by_line = 0;
  for (const Json& line : comparison["lines"]) {
    by_line += line["after"]["ns"].get<double>() - line["before"]["ns"].get<double>();
  }
  const auto kernel_time = [&](const char* run) {
    return result(run)["launches"][0]["pe_exec_ns"]["max"].get<double>();
  };
  EXPECT_NEAR(by_line, kernel_time("b") - kernel_time("a"), 1e-3) << "the lines add up to the kernel";
  ASSERT_EQ(comparison["settings"].size(), 1u);
  EXPECT_EQ(comparison["settings"][0]["name"], "cube.pe_template.components.pe_gemm.attrs.mac_per_ns");
  EXPECT_EQ(comparison["settings"][0]["before"], "4096");
  EXPECT_EQ(comparison["settings"][0]["after"], "512");
  double last = INFINITY;  // the blocks come by the size of their change
  for (const Json& change : comparison["blocks"]) {
    const double size = std::abs(change["after"].get<double>() - change["before"].get<double>());
    EXPECT_LE(size, last);
    EXPECT_GT(size, 0);
    last = size;
  }
  const std::string text = kernbench("compare a b/result.json").out;
  EXPECT_THAT(text, HasSubstr("mac_per_ns  4096  512"));
  EXPECT_THAT(text, HasSubstr("more than A"));
}

// The same changes as the blocks, with the block that has the largest value.
TEST_F(CompareCommandTest, BlocksOfOneKindAreOneCause) {
  const std::string options = "--bench matmul-composite --set m=128 --set k=128 --set n=128";
  run("a", options);
  run("b", options + " --set cube.memory_map.hbm_channel_bw_gbs=8");
  const Json comparison = json("compare a b --json");
  const Json& causes = comparison["causes"];
  ASSERT_FALSE(causes.empty());
  bool found = false;
  for (const Json& cause : causes) {
    const std::string kind = cause["kind"], statistic = cause["statistic"];
    const Json kinds = result("b")["block_kinds"];
    ASSERT_TRUE(kinds.contains(kind)) << kind;
    EXPECT_EQ(cause["count"], kinds[kind]["count"]);
    for (const Json& change : comparison["blocks"]) {
      if (change["name"] != kind + " " + statistic || statistic.find("max") != statistic.npos) continue;
      EXPECT_EQ(cause["before"], change["before"]);
      EXPECT_EQ(cause["after"], change["after"]);
      found = found || kind == "hbm_ctrl";
    }
  }
  EXPECT_TRUE(found);
  const std::string first = causes[0]["kind"].get<std::string>() + ": " + causes[0]["statistic"].get<std::string>();
  const std::string text = kernbench("compare a b --rows 1").out;
  EXPECT_THAT(text, HasSubstr(first));
  EXPECT_THAT(text, HasSubstr(causes[0]["most"]["name"].get<std::string>()));
  EXPECT_THAT(text, HasSubstr("  and " + std::to_string(causes.size() - 1) + " that changed less (--rows " +
                              std::to_string(causes.size()) + " shows all)"));
}

TEST_F(CompareCommandTest, JoulesAreThoseOfBothResults) {
  const std::string gemm =
      "--bench matmul-composite --set m=128 --set k=128 --set n=128 --set energy.defaults=hbm2_7nm ";
  run("a", gemm);
  run("b", gemm + "--set reuse_a=off --set tile_m=32 --set tile_k=32 --set tile_n=32");
  run("other", gemm + "--set energy.hbm.bit.pj=2.5 --set energy.hbm.bit.source=measured");
  run("without", "--bench matmul-composite");
  const Json energy = json("compare a b --json")["energy"];
  for (const auto& pair : {std::pair("before", "a"), std::pair("after", "b")}) {
    const char* const side = pair.first;
    const Json known = result(pair.second)["energy"];
    for (const char* const end : {"fj", "low_fj", "high_fj"}) EXPECT_EQ(energy["total"][side][end], known[end]);
    std::uint64_t parts = 0;
    for (const Json& part : energy["parts"]) parts += part[side]["fj"].get<std::uint64_t>();
    EXPECT_EQ(parts, known["fj"].get<std::uint64_t>());
    for (const Json& line : energy["lines"]) {
      const auto same = [&](const Json& one) {
        return one["at"]["line"] == line[side]["line"] && one["at"]["tensor"] == line["tensor"] &&
               one["at"]["call"] == line["call"] && one["fj"] == line[side]["fj"];
      };
      EXPECT_TRUE(std::any_of(known["lines"].begin(), known["lines"].end(), same)) << line;
    }
  }
  EXPECT_FALSE(energy["lines"].empty());
  EXPECT_TRUE(energy["notes"].empty());
  EXPECT_THAT(kernbench("compare a b").out, HasSubstr("Energy (coefficients: hbm2_7nm;"));
  EXPECT_THAT(kernbench("compare a other").out, HasSubstr("hbm.bit, pJ per bit: 3.9 (3 to 7) in A, 2.5 in B"));
  EXPECT_THAT(kernbench("compare without a").out, HasSubstr("Only B has joules"));
  EXPECT_TRUE(json("compare without without --json")["energy"].is_null());
}

TEST_F(CompareCommandTest, EqualRunsDoNotDiffer) {
  run("a", "--bench copy");
  run("b", "--bench copy");
  const Json comparison = json("compare a b --json");
  EXPECT_TRUE(comparison["settings"].empty());
  EXPECT_TRUE(comparison["blocks"].empty());
  EXPECT_TRUE(comparison["causes"].empty());
  EXPECT_EQ(comparison["total"]["before"], comparison["total"]["after"]);
  EXPECT_THAT(kernbench("compare a b").out, HasSubstr("B takes as long as A"));
}

TEST_F(CompareCommandTest, LaunchesWithoutAPartnerAreNamed) {
  run("a", "--bench noop --set launches=3");
  run("b", "--bench noop --set launches=1");
  const Json comparison = json("compare a b --json");
  EXPECT_EQ(comparison["launches"].size(), 1u);
  EXPECT_EQ(comparison["without_partner"].size(), 2u);
  EXPECT_THAT(kernbench("compare a b").out, HasSubstr("only in a/result.json"));
}

TEST_F(CompareCommandTest, AFailedRunIsSaidToBeOne) {
  run("a", "--bench noop");
  const Outcome failed =
      kernbench("run --topology '" + config("one_pe") + "' --bench matmul-composite --quiet --out b " +
                "--set tile_m=32 --set tile_k=64 --set tile_n=256");
  ASSERT_EQ(failed.code, 1);
  const Outcome outcome = kernbench("compare a b");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("b/result.json failed, so its times are not those of the whole work: launch #"));
}

TEST_F(CompareCommandTest, WhatIsNoResultIsRefused) {
  run("a", "--bench noop");
  write("text.json", "hello");
  write("other.json", "{\"rows\": []}");
  write("future.json", "{\"schema\": 99, \"launches\": []}");
  write("broken.json", "{\"schema\": 3, \"launches\": [1]}");
  const std::pair<const char*, const char*> cases[] = {
      {"nothing", "nothing: cannot be read: No such file or directory"},
      {"text.json",
       "text.json:1:1: is not JSON: invalid literal; give the folder or the result.json of `kernbench run`"},
      {"other.json", "other.json: is not the result of a run; give the folder or the result.json"},
      {"future.json", "future.json: was written with schema 99, and this program reads 3; run it again"},
      {"broken.json", "is not a whole result: "}};
  for (const auto& [file, message] : cases) {
    for (const std::string& arguments : {std::string("a ") + file, std::string(file) + " a"}) {
      const Outcome outcome = kernbench("compare " + arguments);
      EXPECT_EQ(outcome.code, 2) << arguments;
      EXPECT_THAT(outcome.err, HasSubstr(message)) << arguments;
      EXPECT_EQ(outcome.out, "") << arguments;
    }
  }
}

}  // namespace
}  // namespace kb::test
