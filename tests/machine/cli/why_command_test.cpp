// kernbench why, run --why, run --pins: whole runs. H-82p, H-82q, H-82r, H-82s.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kSlowLink =
    "--set 'replace[0].links=sip0.cube0.r4c1 -> sip0.cube0.pe5.pe_dma' --set 'replace[0].attrs.bw_gbs=16'";

class WhyTest : public CommandLineTest {
 protected:
  // From the first submission of a launch to the last completion.
  static double time_of(const nlohmann::json& result) {
    double begin = 1e18, end = 0;
    for (const nlohmann::json& launch : result["launches"]) {
      begin = std::min(begin, launch["submit_ns"].get<double>());
      end = std::max(end, launch["completed_ns"].get<double>());
    }
    return std::round((end - begin) * 1e6) / 1e6;
  }
  double time(const std::string& options) const { return time_of(json("run --json " + options)); }

  // A printed command, without the name of the program.
  double time_of_command(const std::string& command) const {
    const std::string begin = "kernbench run ";
    EXPECT_EQ(command.substr(0, begin.size()), begin);
    return time(command.substr(begin.size()));
  }
  void run(const std::string& options, const std::string& out = "r") const {
    const Outcome outcome = kernbench("run --quiet --out " + out + " " + options);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  nlohmann::json why(const std::string& options = "r") const { return json("why --json " + options); }
  void refuse(const std::string& options, const std::string& text) const {
    const Outcome outcome = kernbench("why " + options);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(text));
  }
  void change(const std::string& file, const std::string& what, const std::string& to) const {
    write(file, std::regex_replace(read(file), std::regex(what), to));
  }
};

// The gain of a step is that of its command, exactly.
TEST_F(WhyTest, EveryCommandGivesItsTimeAgain) {
  run("--topology one_cube --bench gemm-multi-pe");
  const nlohmann::json answer = why("r --top 3");
  EXPECT_EQ(time_of_command(answer["command"]), answer["time_ns"].get<double>());
  ASSERT_EQ(answer["steps"].size(), 3u);
  EXPECT_EQ(answer["schema"], "kernbench why 1");
  double before = answer["time_ns"];
  for (const nlohmann::json& step : answer["steps"]) {
    EXPECT_EQ(step["before_ns"].get<double>(), before);
    before = step["time_ns"];
    EXPECT_EQ(time_of_command(step["command"]), before) << step["command"];
    EXPECT_THAT(step["command"].get<std::string>(), HasSubstr("--pins r"));
  }
  ASSERT_FALSE(answer["remedies"].empty());
  for (const nlohmann::json& trial : answer["remedies"]) {
    EXPECT_EQ(time_of_command(trial["command"]), trial["time_ns"].get<double>()) << trial["command"];
    EXPECT_THAT(trial["command"].get<std::string>(), Not(HasSubstr("--pins")));
  }
}

// Half of the work of one of eight equal PEs is half of its bytes, and nothing of the others'.
TEST_F(WhyTest, APeDoesAShareOfItsWork) {
  const std::string run = "run --json --details --topology one_cube --bench gemm-multi-pe ";
  const nlohmann::json all = json(run), half = json(run + "--relief work=sip0.cube0.pe2:0.5"),
                       none = json(run + "--relief 'work=*:0'");
  const auto bytes = [](const nlohmann::json& result, const std::string& pe) {
    return result["blocks"]["sip0.cube0." + pe + ".pe_dma"]["read_bytes"]["value"].get<double>();
  };
  EXPECT_EQ(bytes(half, "pe2"), bytes(all, "pe2") / 2);
  EXPECT_EQ(bytes(half, "pe3"), bytes(all, "pe3"));
  EXPECT_EQ(none["launches"][0]["pe_exec_ns"]["max"].get<double>(), 0);
}

// The launches themselves stay what they were.
TEST_F(WhyTest, CopiesOfTheHostTakeNoTime) {
  const std::string run = "run --json --topology one_cube --bench gemm-multi-pe ";
  const nlohmann::json with = json(run), without = json(run + "--relief host-copies");
  EXPECT_EQ(without["launches"][0]["pe_exec_ns"], with["launches"][0]["pe_exec_ns"]);
  EXPECT_LT(without["sim_time_ns"].get<double>(), with["sim_time_ns"].get<double>() / 2);
  EXPECT_THAT(without["notes"].dump(), HasSubstr("what if"));
}

TEST_F(WhyTest, WrongReliefsAreExplained) {
  const auto refused = [&](const std::string& relief, const std::string& text) {
    const Outcome outcome = kernbench("run --topology one_pe --bench vector-add --relief " + relief);
    EXPECT_EQ(outcome.code, 2) << relief;
    EXPECT_THAT(outcome.err, HasSubstr(text));
  };
  refused("nowait=a.cpp:1", "did you mean 'no-wait'?");
  refused("copies", "write copies=NAME");
  refused("work=sip0.cube0.pe0", "write PE:SHARE");
  refused("work=sip0.cube0.pe0:2", "write PE:SHARE");
  refused("host-copies=1", "host-copies has no value");
  const Outcome outcome = kernbench("run --topology one_pe --bench vector-add --relief work=sip0.cube0.pe9:0.5");
  EXPECT_THAT(outcome.err + outcome.out, HasSubstr("no PE of that name ran a kernel"));
}

// Every value of every key is a run of its own, with the same time. What makes no machine has the message of `run`.
TEST_F(WhyTest, ATornadoIsMadeOfRuns) {
  const std::string options = "--topology one_pe --bench vector-add";
  run(options);
  const nlohmann::json answer = json("why --json --machine r");
  EXPECT_EQ(answer["time_ns"].get<double>(), time(options));
  std::size_t acting = 0, impossible = 0;
  double before = 1e18;
  for (const nlohmann::json& key : answer["keys"]) {
    EXPECT_LE(key["swing_ns"].get<double>(), before) << "the largest comes first";
    before = key["swing_ns"];
    for (const nlohmann::json& trial : key["trials"]) {
      const std::string changed =
          options + " --set '" + key["key"].get<std::string>() + "=" + trial["value"].get<std::string>() + "'";
      EXPECT_FALSE(trial["not_run"].get<bool>()) << "there is no budget";
      EXPECT_EQ(trial["time_ns"].is_null(), trial["problem"] != "");
      if (trial["problem"] != "") {
        if (++impossible > 3) continue;
        EXPECT_NE(kernbench("run " + changed).code, 0) << changed;
      } else if (before > 0) {
        ++acting;
        EXPECT_EQ(time(changed), trial["time_ns"].get<double>()) << changed;
      }
    }
  }
  EXPECT_GT(acting, 5u);
  EXPECT_GT(impossible, 0u);
  EXPECT_THAT(read("r/why/tornado.csv"), HasSubstr("\ncube.memory_map.hbm_channel_bw_gbs,32,"));
  EXPECT_THAT(read("r/why/tornado.svg"), HasSubstr("hbm_channel_bw_gbs = 32"));
}

// The steps end where neither a relief nor a pair gains 1 %.
TEST_F(WhyTest, ALadderEnds) {
  run("--topology one_pe --bench vector-add");
  const nlohmann::json answer = why("r --top 100");
  EXPECT_FALSE(answer["cut"].get<bool>());
  for (const nlohmann::json& step : answer["steps"]) {
    EXPECT_LE(step["time_ns"].get<double>(), 0.99 * step["before_ns"].get<double>());
  }
}

// The formula of a collective is that of the run's own machine; reliefs beat it.
TEST_F(WhyTest, AFormulaThatTheLastStepBeatsIsNoBound) {
  run("--topology one_cube --bench ccl-allreduce --set n_elem=4096");
  const Outcome outcome = kernbench("why r --top 30");
  const nlohmann::json answer = nlohmann::json::parse(read("r/why/why.json"));
  ASSERT_LT(answer["steps"].back()["time_ns"].get<double>(), answer["bound_ns"].get<double>());
  EXPECT_THAT(outcome.out, HasSubstr(" For comparison: the formula of "));
  EXPECT_FALSE(answer["out_of_budget"].get<bool>());
}

// A gather by indices that data mode off does not know.
TEST_F(WhyTest, AssumedTimesAreNoted) {
  run("--topology one_cube --bench topk-routing");
  const nlohmann::json answer = why("r --top 1"), result = nlohmann::json::parse(read("r/result.json"));
  EXPECT_GT(answer["unknown_accesses"].get<std::uint64_t>(), 0u);
  EXPECT_EQ(answer["unknown_accesses"], result["unknown_accesses"]);
}

TEST_F(WhyTest, ARunWithDataHasNoChangesOfCodeAndSaysSo) {
  run("--topology one_pe --bench vector-add");
  EXPECT_THAT(kernbench("why r --top 1").out, Not(HasSubstr("Note: the run computed data")));
  run("--topology one_pe --bench vector-add --verify-data");
  EXPECT_THAT(kernbench("why r --top 1").out,
              HasSubstr("Note: the run computed data (--data replay), so that no change"));
}

TEST_F(WhyTest, AFolderThatCannotHaveTheAnswerIsToBeCopied) {
  run("--topology one_pe --bench vector-add");
  write("r/why", "a file");
  refuse("r",
         "cannot create the output folder 'r/why': Not a directory; choose a writable one with `cp -r r COPY && kern");
}

TEST_F(WhyTest, ASlowLinkIsNamed) {
  run(std::string("--topology one_cube --bench gemm-multi-pe ") + kSlowLink);
  const nlohmann::json step = why("r --top 1")["steps"].at(0);
  EXPECT_EQ(step["relief"], "odd sip0.cube0.r4c1 -> sip0.cube0.pe5.pe_dma bw_gbs");
  EXPECT_EQ(step["families"], nlohmann::json({"odd"}));
  EXPECT_THAT(step["text"].get<std::string>(), HasSubstr("bw_gbs 256 (16)"));
}

TEST_F(WhyTest, PinsWithoutAReliefChangeNothing) {
  for (const char* options : {"--bench gemm-multi-pe", "--topology one_cube --bench ccl-allreduce --set n_elem=4096",
                              "--topology six_sips_torus --bench ccl-allreduce --set n_elem=512",
                              "--topology one_sip --bench flash-attention"}) {
    run(options);
    EXPECT_EQ(time(std::string("--pins r ") + options), time(options)) << options;
  }
}

// UCIe overheads are weights of routes: without them other routes are shorter, and pins keep the old ones.
TEST_F(WhyTest, PinsKeepRoutes) {
  const std::string relief = "--set cube.ucie.attrs.overhead_ns=0";
  run("");
  const double pinned = time("--pins r " + relief), chosen_again = time(relief), base = time("");
  EXPECT_LT(pinned, base);
  EXPECT_NE(pinned, chosen_again);
  run("--pins r " + relief, "pinned");
  EXPECT_EQ(time("--pins pinned " + relief), pinned) << "a run with pins keeps them";
}

TEST_F(WhyTest, PinsOfAnotherMachineAreRefused) {
  run("--topology one_cube --bench softmax --set rows=64");
  const Outcome outcome = kernbench("run --pins r --topology one_pe --bench vector-add");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--pins r: these pins are of another machine: node "));
  EXPECT_THAT(kernbench("run --pins nowhere").err, HasSubstr("nowhere: cannot be read"));
}

TEST_F(WhyTest, JobsChangeNothing) {
  const std::string options = "--topology one_cube --bench softmax --set rows=256";
  run(options, "a/r");
  run(options, "b/r");
  const std::string top = " --top 2 --quiet --jobs ";
  ASSERT_EQ(kernbench("why r" + top + "1", "cd a &&").code, 0);
  ASSERT_EQ(kernbench("why r" + top + "3", "cd b &&").code, 0);
  EXPECT_EQ(read("a/r/why/why.json"), read("b/r/why/why.json"));
}

// What is known is not run again.
TEST_F(WhyTest, ALadderGoesOn) {
  run("--topology one_cube --bench softmax --set rows=256");
  const Outcome first = kernbench("why r --top 1"), again = kernbench("why r --top 1"),
                more = kernbench("why r --top 2");
  EXPECT_THAT(first.out, HasSubstr("Cut after 1 steps; --top 2 goes on from here."));
  EXPECT_THAT(first.out, Not(HasSubstr(" 0 of them run now")));
  EXPECT_THAT(again.out, HasSubstr(" 0 of them run now"));
  EXPECT_THAT(more.out, HasSubstr("\n     2  "));
}

TEST_F(WhyTest, WithTheRun) {
  const std::string options = "--topology one_cube --bench softmax --set rows=256 --top 2 ";
  const Outcome with = kernbench("run --why --out a " + options), alias = kernbench("why run --out b " + options);
  ASSERT_EQ(with.code, 0) << with.err;
  EXPECT_THAT(with.out, HasSubstr("verdict"));
  EXPECT_THAT(with.out, HasSubstr("Why softmax takes "));
  ASSERT_EQ(alias.code, 0) << alias.err;
  EXPECT_EQ(nlohmann::json::parse(read("a/why/why.json"))["steps"][1]["time_ns"],
            nlohmann::json::parse(read("b/why/why.json"))["steps"][1]["time_ns"]);
  EXPECT_EQ(kernbench("why a --top 2").out.find(" 0 of them run now") == std::string::npos, false);
}

TEST_F(WhyTest, AFailedRunHasNoLadder) {
  const Outcome outcome = kernbench("run --why --out r --bench gemm-multi-pe --set rows_per_pe=100000000");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("ALLOCATION_ERROR"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("Why gemm")));
  refuse("r", "r: this run failed: ALLOCATION_ERROR");
}

TEST_F(WhyTest, WhatCannotBeRepeatedIsRefused) {
  refuse("nowhere", "nowhere: cannot be read");
  refuse("", "RUN_DIR is required");
  run("--topology one_pe --bench vector-add");
  const std::string inputs = read("r/inputs.json");
  change("r/inputs.json", "\"plugin_abi\": \"[^\"]*\"", "\"plugin_abi\": \"kernbench 0.1.0, plug-in ABI 1\"");
  refuse("r", "this run was made by kernbench 0.1.0, plug-in ABI 1, and this is ");
  write("r/inputs.json", inputs);
  change("r/inputs.json", "\"plugins\": \\[\\]", "\"plugins\": [{\"file\": \"gone.so\", \"sha256\": \"0\"}]");
  refuse("r", "the plug-in gone.so of this run is gone");
  write("gone.so", "changed");
  refuse("r", "the plug-in gone.so has changed since this run");
  write("r/inputs.json", inputs);
  write("ccl.yaml", "defaults: {n_slots: 8}\n");
  refuse("r", "there is a ccl.yaml here, which this run did not have");
}

// The commands of the steps would make other runs.
TEST_F(WhyTest, AnotherTopologyIsRefused) {
  const std::string machine =
      "system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: 1, h: 1 } }\n"
      "cube: { pe_layout: { corners: [NW], pe_per_corner: 1 } }\n";
  write("machine.yaml", machine);
  run("--topology machine.yaml --bench vector-add");
  write("machine.yaml", machine + "routing: { metric: distance }\n");
  refuse("r", "the topology machine.yaml has changed since this run");
  std::filesystem::remove(folder() + "/machine.yaml");
  refuse("r", "the topology machine.yaml of this run is gone");
}

TEST_F(WhyTest, AnotherTimeIsRefused) {
  run("--topology one_pe --bench vector-add");
  nlohmann::ordered_json result = nlohmann::ordered_json::parse(read("r/result.json"));
  result["launches"][0]["completed_ns"] = result["launches"][0]["completed_ns"].get<double>() + 0.001;
  write("r/result.json", result.dump());
  refuse("r", "has another time in the repetition than in result.json");
}

TEST_F(WhyTest, OptionsOfTheLadderNeedIt) {
  EXPECT_THAT(kernbench("run --top 3").err, HasSubstr("--top is of the ladder; add --why"));
  EXPECT_THAT(kernbench("run --why --json").err, HasSubstr("add --out DIR"));
}

TEST_F(WhyTest, InputsAreEqualForEqualRuns) {
  run("--topology one_pe --bench vector-add", "a");
  run("--topology one_pe --bench vector-add", "b");
  EXPECT_EQ(read("a/inputs.json"), read("b/inputs.json"));
}

}  // namespace
}  // namespace kb::test
