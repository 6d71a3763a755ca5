// kernbench model step: a composed step beside a run of all its launches.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class ModelStepTest : public CommandLineTest {
 protected:
  // A model of width 1024 whose layers have all that times could depend on: grouped heads, uneven widths.
  void write_model(int layers, const std::string& more = "") const {
    write("m.json",
          R"({"model_type": "llama", "hidden_size": 1024, "intermediate_size": 2816, "num_attention_heads": 16,
 "num_key_value_heads": 4, "num_hidden_layers": )" +
              std::to_string(layers) + R"(, "vocab_size": 4096, "rms_norm_eps": 1e-5,
 "torch_dtype": "bfloat16", "max_position_embeddings": 8192)" +
              more + "}");
  }
  nlohmann::json step(const std::string& options) const {
    const Outcome outcome =
        kernbench("model step m.json --json --set sip.cube_mesh.w=2 --set sip.cube_mesh.h=2 " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
  void expect_equal(const std::string& options) const {
    const nlohmann::json composed = step(options + " --sums 0"), whole = step(options + " --memo off");
    EXPECT_TRUE(composed["exact"]) << composed["approximations"];
    EXPECT_EQ(composed["device_ns"], whole["device_ns"]);
    ASSERT_EQ(composed["by_op"].size(), whole["by_op"].size());
    for (std::size_t i = 0; i < composed["by_op"].size(); ++i) {
      EXPECT_EQ(composed["by_op"][i]["each_fs"], whole["by_op"][i]["each_fs"]) << composed["by_op"][i]["op"];
    }
  }
};

struct Case {
  const char* name;
  const char* options;
  bool is_long = false;
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

class ModelStepExactTest : public ModelStepTest, public testing::WithParamInterface<Case> {};

// M-90: every launch of every layer on every SIP takes the same time to the femtosecond.
TEST_P(ModelStepExactTest, IsEqualToARunOfAllItsLaunches) {
  if (GetParam().is_long) {
    KB_SKIP_UNDER_SANITIZERS();
  }
  write_model(4);
  expect_equal(GetParam().options);
}

INSTANTIATE_TEST_SUITE_P(
    Machines, ModelStepExactTest,
    testing::Values(Case{"Decode", "--tp 2"}, Case{"Alone", ""}, Case{"Hashed", "--tp 2 --topology hbm3"},
                    Case{"Prefill", "--tp 2 --phase prefill --tokens 64", true},
                    Case{"HashedPrefill", "--tp 2 --topology hbm3 --phase prefill --tokens 64", true},
                    Case{"ManySips", "--tp 8", true}, Case{"Batch", "--tp 2 --batch 3x300,2x65"},
                    Case{"Chunks", "--phase prefill --batch 1x40,2x1 --context 100"},
                    Case{"PhysicalAddresses", "--tp 2 --set cube.memory_map.address_model=pa"},
                    Case{"Translation",
                         "--tp 2 --set "
                         "cube.pe_template.components.pe_mmu.attrs.tlb_overhead_ns=3",
                         true}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_F(ModelStepTest, WindowsAndNormsOfHeadsAreExact_M90) {
  write("m.json", R"({"model_type": "qwen3", "hidden_size": 512, "intermediate_size": 1024, "num_attention_heads": 8,
 "num_key_value_heads": 2, "head_dim": 64, "num_hidden_layers": 4, "vocab_size": 2048, "rms_norm_eps": 1e-6,
 "torch_dtype": "bfloat16", "tie_word_embeddings": true, "use_sliding_window": true, "sliding_window": 32,
 "max_window_layers": 2, "max_position_embeddings": 8192})");
  expect_equal("--tp 2 --context 100");
}

// M-93
TEST_F(ModelStepTest, FromTheSecondLayerOnTimesAreKnown) {
  write_model(20);
  const nlohmann::json result = step("--tp 2");
  const double simulated = result["memo"]["simulated"], known = result["memo"]["known"];
  EXPECT_GT(known / (known + simulated), 0.9);
}

// M-95: hits are simulated again.
TEST_F(ModelStepTest, HitsTakeTheTimeThatIsKnown) {
  write_model(8);
  for (const char* const machine : {"reference", "hbm3"}) {
    EXPECT_EQ(step(std::string("--tp 2 --memo check=75 --set energy.defaults=hbm2_7nm --topology ") +
                   machine)["memo"]["checked"],
              75)
        << machine;
  }
}

// M-96
TEST_F(ModelStepTest, TimesAreKeptInAFolder) {
  write_model(2);
  const nlohmann::json first = step("--tp 2 --store times"), second = step("--tp 2 --store times");
  EXPECT_GT(first["memo"]["simulated"], 0);
  EXPECT_EQ(second["memo"]["simulated"], 0);
  EXPECT_EQ(first["by_op"], second["by_op"]);
  EXPECT_EQ(first["tpot_ns"], second["tpot_ns"]);
  const nlohmann::json other = step("--tp 2 --store times --set cube.links.ucie_link_bw_gbs=256");
  EXPECT_GT(other["memo"]["simulated"], 0) << "another machine";
}

// M-101: events of launches that are known are those of a run of all launches, on every SIP, to the femtojoule.
TEST_F(ModelStepTest, EnergyIsThatOfARunOfAllItsLaunches_M101) {
  KB_SKIP_UNDER_SANITIZERS();
  write_model(3);
  for (const std::string options : {"--tp 2", "--tp 2 --phase prefill --tokens 64"}) {
    const std::string priced = options +
                               " --set energy.defaults=hbm2_7nm --set energy.hbm.static.w=3 "
                               "--set energy.hbm.static.source=test";
    const nlohmann::json composed = step(priced + " --sums 0"), whole = step(priced + " --memo off");
    EXPECT_EQ(composed["energy"], whole["energy"]) << options;
    std::uint64_t launches = composed["energy"]["nobodys"]["fj"], parts = 0;
    for (std::size_t i = 0; i < composed["by_op"].size(); ++i) {
      EXPECT_EQ(composed["by_op"][i]["energy"], whole["by_op"][i]["energy"]) << composed["by_op"][i]["op"];
      launches += composed["by_op"][i]["energy"]["fj"].get<std::uint64_t>();
    }
    for (const nlohmann::json& part : composed["energy"]["parts"]) parts += part["fj"].get<std::uint64_t>();
    EXPECT_EQ(composed["energy"]["fj"], launches);
    EXPECT_EQ(composed["energy"]["fj"], parts);
    const double step_ns = composed["device_ns"].get<double>() + composed["host_ns"].get<double>();
    EXPECT_NEAR(composed["energy"]["nobodys"]["fj"].get<double>(), 3 * step_ns * 1e6, 1);
    EXPECT_EQ(step(options + " --sums 0")["device_ns"], composed["device_ns"]) << "counting changed a time";
  }
}

// M-101
TEST_F(ModelStepTest, AnotherCoefficientSimulatesNothing_M101) {
  write_model(2);
  const auto kept = [&](const std::string& options) { return step("--tp 2 --store times " + options); };
  EXPECT_FALSE(kept("").contains("energy"));
  const nlohmann::json first = kept("--set energy.defaults=hbm2_7nm");
  EXPECT_GT(first["memo"]["simulated"], 0) << "their events were not counted before";
  const nlohmann::json dearer = kept(
      "--set energy.defaults=hbm3_7nm --set energy.hbm.bit.pj=100 "
      "--set energy.hbm.bit.source=test");
  EXPECT_EQ(dearer["memo"]["simulated"], 0);
  EXPECT_GT(dearer["energy"]["fj"], first["energy"]["fj"]);
  EXPECT_EQ(dearer["tpot_ns"], first["tpot_ns"]);
}

// M-101: what belongs to no launch is known of a run.
TEST_F(ModelStepTest, RefreshCountsWithTheTimeThatPasses_M101) {
  write_model(2);
  const nlohmann::json sampled = step("--topology modern --set energy.defaults=hbm3_7nm");
  EXPECT_GT(sampled["energy"]["nobodys"]["fj"], 0);
  const nlohmann::json composed = step("--topology modern --set energy.defaults=hbm3_7nm --memo on");
  EXPECT_EQ(composed["energy"]["nobodys"]["fj"], 0);
  EXPECT_THAT(composed["energy"]["not_counted"].dump(), HasSubstr("refresh of banks"));
}

TEST_F(ModelStepTest, AFullDiskKeepsWhatWasSimulated_M96) {
  write_model(2);
  const std::string command = "model step m.json --tp 8 --topology one_cube --store times";
  const Outcome full = kernbench(command, "ulimit -f 1;");
  EXPECT_EQ(full.code, 2);
  EXPECT_THAT(full.err, HasSubstr("launches that have been simulated are kept"));
  EXPECT_EQ(full.out, "");
  const Outcome again = kernbench(command);
  EXPECT_EQ(again.code, 0) << again.err;
}

TEST_F(ModelStepTest, AnInterruptKeepsWhatWasSimulated_M96) {
  write_model(8);
  const std::string command = "model step m.json --tp 8 --topology one_cube --jobs 1 --store times --out s.json";
  const Outcome ended = kernbench(command, signalled_when("INT", "times/*.journal"));
  EXPECT_EQ(ended.code, 130);
  EXPECT_THAT(ended.err, HasSubstr("interrupted, and --store keeps the launches that were simulated"));
  const std::vector<std::string> left = files();
  EXPECT_EQ(std::count(left.begin(), left.end(), "s.json"), 0);
  const Outcome again = kernbench(command);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out,
              HasSubstr("Step in s.json: 'kernbench web s.json' shows it, 'kernbench compare s.json OTHER'"));
}

TEST_F(ModelStepTest, WithoutFilesNoMessageSpeaksOfThem) {
  write_model(1);
  const Outcome full = kernbench("model step m.json --topology one_cube > /dev/full");
  EXPECT_EQ(full.code, 2);
  EXPECT_THAT(full.err, HasSubstr("standard output: No space left on device\n"));
}

TEST_F(ModelStepTest, AStoreThatCannotBeMadeIsRefusedAtOnce_M96) {
  write_model(1);
  write("taken", "");
  const Outcome outcome = kernbench("model step m.json --topology one_cube --store taken/times");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("choose a writable one with --store"));
}

// M-95: banks, refreshes and what a block from outside has are a history. No time is used twice then.
TEST_F(ModelStepTest, AHistoryTurnsTheMemoOff) {
  write_model(4);
  const nlohmann::json result = step("--topology modern"), known = step("--topology modern --memo on");
  EXPECT_FALSE(result["exact"]);
  EXPECT_THAT(result["approximations"][0], HasSubstr("open rows and refreshes"));
  EXPECT_EQ(result["memo"]["known"], 0);
  EXPECT_EQ(result["sample"]["layers"], 3);
  EXPECT_FALSE(known["exact"]);
  EXPECT_GT(known["memo"]["known"], 0);
}

// M-95: planted ones. They do change times, and no time is used twice.
TEST_F(ModelStepTest, APlantedHistoryTurnsTheMemoOff) {
  write_model(2);
  for (const char* const router : {"turning", "clocked"}) {
    const std::string options = fmt::format(
        "--plugin {} --topology one_cube --set cube.components.noc_router.impl=custom.{}", KB_HISTORY_BLOCKS, router);
    const nlohmann::json off = step(options);
    EXPECT_TRUE(off["exact"]) << "both layers are simulated in one run";
    EXPECT_EQ(off["memo"]["known"], 0) << router;
    // The stamp of a launch is the built-in routers' time, so that these come late.
    const Outcome on = kernbench("model step m.json --memo on " + options);
    EXPECT_EQ(on.code, 3);
    EXPECT_THAT(on.err, HasSubstr("(--memo off, --sample)"));
  }
}

// M-99: layers that are not simulated take the mean; where layers are equal, that is their time.
TEST_F(ModelStepTest, SampledLayersStandForTheOthers) {
  KB_SKIP_UNDER_SANITIZERS();
  write_model(6);
  const nlohmann::json exact = step(""), sample = step("--sample 3");
  EXPECT_FALSE(sample["exact"]);
  EXPECT_EQ(sample["device_ns"], exact["device_ns"]);
  EXPECT_EQ(sample["tpot_ns"], exact["tpot_ns"]);
  EXPECT_EQ(sample["by_op"].size(), exact["by_op"].size());
  EXPECT_EQ(sample["sample"]["layer_least_ns"], sample["sample"]["layer_most_ns"]);
  EXPECT_TRUE(step("--sample 6")["exact"]);
  const nlohmann::json two = step("--tp 2 --sample 2"), all = step("--tp 2 --sums 0");
  EXPECT_NEAR(two["device_ns"].get<double>() / all["device_ns"].get<double>(), 1, 0.005);
}

// M-97
TEST_F(ModelStepTest, FewSumsAreSimulatedOnRequest) {
  write_model(6);
  const nlohmann::json all = step("--tp 4 --sums 0"), one = step("--tp 4 --sums 1");
  EXPECT_FALSE(one["exact"]);
  EXPECT_THAT(one["approximations"][0], HasSubstr("(--sums 0 simulates all)"));
  EXPECT_NEAR(one["device_ns"].get<double>() / all["device_ns"].get<double>(), 1, 0.005);
}

TEST_F(ModelStepTest, TheTableHasEveryLaunchAndTheLeastTime_M98) {
  write_model(2);
  const Outcome shown = kernbench("model step m.json --topology one_cube --out step.json");
  EXPECT_EQ(shown.code, 0) << shown.err;
  for (const char* const text :
       {"gate_up", "norm_linear", "(gaps)", "(host)", "Time per token", "Exact sum of 15 launches"}) {
    EXPECT_THAT(shown.out, HasSubstr(text));
  }
  const nlohmann::json result = nlohmann::json::parse(read("step.json"));
  EXPECT_GT(result["tpot_ns"], result["roofline_ns"]);
  EXPECT_LT(read("step.json").size(), 20'000U);
}

TEST_F(ModelStepTest, LaunchesCanBePrinted_M98) {
  write_model(1);
  const Outcome shown = kernbench("model step m.json --topology one_cube --launches");
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("0.gate_up                norm_linear"));
  EXPECT_THAT(shown.out, HasSubstr("layers.0.up.weight bf16 (2816, 1024)"));
}

// M-100: the differences of the launches are the difference of the steps.
TEST_F(ModelStepTest, TwoStepsAreCompared) {
  write_model(2);
  step("--out a.json --set energy.defaults=hbm2_7nm");
  step("--out b.json --set energy.defaults=hbm2_7nm --set cube.memory_map.hbm_channel_bw_gbs=16");
  const Outcome shown = kernbench("compare a.json b.json"), outcome = kernbench("compare a.json b.json --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(shown.out, HasSubstr("B takes 1."));
  EXPECT_THAT(shown.out, HasSubstr("cube.memory_map.hbm_channel_bw_gbs"));
  const nlohmann::json compared = nlohmann::json::parse(outcome.out);
  double sum = 0;
  for (const nlohmann::json& launch : compared["launches"]) sum += launch["difference_ns"].get<double>();
  const double before = compared["before"]["step_ns"], after = compared["after"]["step_ns"];
  EXPECT_NEAR(sum, after - before, 1e-3);
  const nlohmann::json& launches = compared["launches"];
  EXPECT_GE(std::abs(launches[0]["difference_ns"].get<double>()), std::abs(launches[1]["difference_ns"].get<double>()));
  EXPECT_EQ(compared["before"]["energy_fj"], compared["after"]["energy_fj"]) << "the same bytes";
  EXPECT_GT(launches[0]["before_energy_fj"], 0);
  EXPECT_THAT(shown.out, HasSubstr("1.0000 times as much"));
  write("cut.json", read("a.json").substr(0, 100));
  EXPECT_THAT(kernbench("compare a.json cut.json").err, HasSubstr("cut.json:6:10: is not JSON"));
  EXPECT_THAT(kernbench("compare nothing.json a.json").err,
              HasSubstr("nothing.json: cannot be read: No such file or directory (check the path)"));
  write("other.json", "{}");
  EXPECT_THAT(kernbench("compare a.json other.json").err, HasSubstr("give two steps, or two runs"));
  write("less.json", R"({"by_op": [], "roofline_ns": 1})");
  EXPECT_THAT(kernbench("compare a.json less.json").err, HasSubstr("less.json: 'model' is missing"));
}

struct Refusal {
  const char* options;
  const char* message;
};
void PrintTo(const Refusal& refusal, std::ostream* out) {
  *out << refusal.options;
}

class ModelStepRefusalTest : public ModelStepTest, public testing::WithParamInterface<Refusal> {};

// M-94
TEST_P(ModelStepRefusalTest, IsOneMessage) {
  const Outcome outcome = kernbench(std::string("model step ") + GetParam().options);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
  EXPECT_THAT(files(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Refusals, ModelStepRefusalTest,
                         testing::Values(Refusal{"mixtral-8x7b --tp 8", "a model with experts cannot be simulated yet"},
                                         Refusal{"llama-3.1-8b --pp 2", "--pp: a pipeline cannot be simulated yet"},
                                         Refusal{"llama-3.1-8b --memo sometimes", "write on, off, or check=N"},
                                         Refusal{"llama-3.1-8b --memo on --sample 3", "--memo excludes --sample"},
                                         Refusal{"llama-3.1-70b --topology one_cube",
                                                 "the smallest that fits is --tp 4"},
                                         Refusal{"llama-3.1-8b --topology six_sips_torus --tp 4", "use --tp 6"},
                                         Refusal{"llama-3.1-8b --tp 3", "--tp"}));

}  // namespace
}  // namespace kb::test
