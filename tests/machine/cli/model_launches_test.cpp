// `kernbench model requests --topology` and `kernbench model profile`: a small model on a machine of one cube.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "tests/machine/cli/launched_model.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ModelLaunchesTest : public LaunchedModelTest {
 protected:
  std::string profile(const std::string& more) const {
    return "model profile m.json --out p --store times --max-tokens 96 --max-seqs 4 --max-context 256" +
           (kMachine + (" " + more));
  }
};

TEST_F(ModelLaunchesTest, AStepOnTheGridIsThatOfModelStep_M131) {
  ASSERT_EQ(kernbench("model requests grid.jsonl --model m.json --out r" + std::string(kMachine)).code, 0);
  const std::string rows = read("r/requests.csv");
  const auto prefill = std::llround(step_ns("--phase prefill --tokens 64", "ttft_ns"));
  const auto decode = std::llround(step_ns("--context 128", "tpot_ns"));
  EXPECT_THAT(rows, HasSubstr(",64,1,0," + std::to_string(prefill) + ","));
  EXPECT_THAT(rows, HasSubstr("[" + std::to_string(decode) + "]"));
}

TEST_F(ModelLaunchesTest, StepsAreSimulatedExactlyBesideTheTables_M136) {
  write("trace.jsonl", read("grid.jsonl"));
  const Json check = served("--check 9")["launches"]["check"];
  ASSERT_EQ(check["steps"].size(), 3u);  // all that there are
  EXPECT_EQ(check["steps"][0]["tokens"], 64);
  EXPECT_EQ(check["steps"][0]["exact_ns"], std::llround(step_ns("--phase prefill --tokens 64", "ttft_ns")));
  EXPECT_EQ(check["steps"][1]["exact_ns"], std::llround(step_ns("--phase prefill --tokens 127", "ttft_ns")));
  EXPECT_EQ(check["steps"][0]["error"], 0.0);
  EXPECT_EQ(check["steps"][2]["error"], 0.0);
  const double table = check["steps"][1]["ns"], exact = check["steps"][1]["exact_ns"];
  EXPECT_NE(table, exact) << "between the points of the grid";
  EXPECT_NEAR(check["steps"][1]["error"].get<double>(), table / exact - 1, 1e-9);
}

TEST_F(ModelLaunchesTest, AMixedStepIsNearTheExactOne_M131) {
  KB_SKIP_UNDER_SANITIZERS();
  const Json check = served("--check 1000")["launches"]["check"];
  bool mixed = false;
  for (const Json& step : check["steps"]) {
    EXPECT_LT(std::abs(step["error"].get<double>()), 0.15) << step;
    mixed = mixed || (step["sequences"] > 1 && step["tokens"] > step["sequences"]);
  }
  EXPECT_TRUE(mixed);
  EXPECT_LT(std::abs(check["mean_error"].get<double>()), 0.05);
}

TEST_F(ModelLaunchesTest, TheStoreAnswersTheSecondRun_M134) {
  KB_SKIP_UNDER_SANITIZERS();
  const Json first = served("--store times --out a"), second = served("--store times --out b");
  EXPECT_GT(first["launches"]["cells_simulated"], 0);
  EXPECT_EQ(second["launches"]["cells_simulated"], 0);
  EXPECT_EQ(second["launches"]["cells_known"], first["launches"]["cells_simulated"]);
  EXPECT_EQ(read("a/requests.csv"), read("b/requests.csv"));
  const Json other = served("--store times --set cube.links.ucie_link_bw_gbs=256");
  EXPECT_GT(other["launches"]["cells_simulated"], 0) << "another machine";
}

TEST_F(ModelLaunchesTest, ARunThatWasEndedGoesOn_M134) {
  const Outcome full = serve("--store times --jobs 1 --out a", "ulimit -f 4;");
  EXPECT_EQ(full.code, 2);
  EXPECT_THAT(full.err, HasSubstr("launches that have been simulated are kept"));
  EXPECT_EQ(full.out, "");
  EXPECT_FALSE(std::filesystem::exists(folder() + "/a/requests.csv"));
  const Json second = served("--store times --out b"), fresh = served("--out c");
  EXPECT_GT(second["launches"]["cells_known"], 0);
  EXPECT_LT(second["launches"]["cells_simulated"], fresh["launches"]["cells_simulated"]);
  EXPECT_EQ(read("b/requests.csv"), read("c/requests.csv"));
}

// A launch depends on what was before: a refresh lasts 0.3 us of a decode of 8.
TEST_F(ModelLaunchesTest, BanksHaveAHistory_M139) {
  KB_SKIP_UNDER_SANITIZERS();
  write("grid.jsonl", "{\"input_toks\":64,\"output_toks\":2,\"arrival_time_ns\":0}\n");
  const Json result = json("model requests grid.jsonl --model m.json --json --check 2 --topology modern");
  EXPECT_THAT(result["abstractions"].dump(), HasSubstr("banks have open rows"));
  for (const Json& step : result["launches"]["check"]["steps"]) {
    EXPECT_LT(std::abs(step["error"].get<double>()), 0.1) << step;
  }
  EXPECT_NE(result["launches"]["check"]["mean_error"], 0.0);
}

TEST_F(ModelLaunchesTest, SeveralSipsSumTheirParts_M133) {
  KB_SKIP_UNDER_SANITIZERS();
  const Json check = served("--tp 2 --check 1000")["launches"]["check"];
  for (const Json& step : check["steps"]) EXPECT_LT(std::abs(step["error"].get<double>()), 0.15) << step;
  EXPECT_LT(std::abs(check["mean_error"].get<double>()), 0.05);
}

TEST_F(ModelLaunchesTest, RatesAndTheirKnee_M130) {
  KB_SKIP_UNDER_SANITIZERS();
  const Json result = served("--sweep-rate 1000:1000000:4 --out s --plot --max-seqs 4");
  ASSERT_EQ(result["rates"].size(), 4u);
  EXPECT_GE(result["rates"][3]["latency_mean_ns"], result["rates"][0]["latency_mean_ns"]);
  EXPECT_GT(result["launches"]["cells_simulated"], 0);
  EXPECT_THAT(read("s/knee.svg"), HasSubstr("</svg>"));
}

TEST_F(ModelLaunchesTest, WhatIsNotCountedIsSaid_M137) {
  KB_SKIP_UNDER_SANITIZERS();
  const Outcome outcome = serve("");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("simulated, tp 1"));
  EXPECT_THAT(outcome.out, HasSubstr("energy is not counted: the machine has no coefficients"));
}

TEST_F(ModelLaunchesTest, BadChoicesAreRefused_M130) {
  const auto refused = [&](const std::string& options) {
    const Outcome outcome = kernbench("model requests trace.jsonl --model m.json --out bad " + options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(std::filesystem::exists(folder() + "/bad"));
    return outcome.err;
  };
  EXPECT_THAT(refused(""), HasSubstr("Give --profile DIR, or --topology FILE"));
  EXPECT_THAT(refused("--profile p --topology one_cube"), HasSubstr("--profile belongs to a profile"));
  EXPECT_THAT(refused("--cluster c --topology one_cube"), HasSubstr("--cluster belongs to a profile"));
  EXPECT_THAT(refused("--link-gib-s 3 --topology one_cube"), HasSubstr("--link-gib-s belongs to a profile"));
  EXPECT_THAT(refused("--profile p --store s"), HasSubstr("--store needs --topology"));
  EXPECT_THAT(refused("--profile p --check 3"), HasSubstr("--check needs --topology"));
  EXPECT_THAT(refused("--topology one_cube --check 3 --sweep-rate 1,2"), HasSubstr("leave --sweep-rate out"));
  EXPECT_THAT(refused("--topology one_cube --block-size 32"), HasSubstr("blocks of 16 tokens"));
  EXPECT_THAT(refused("--topology one_cube --blocks 100000000"), HasSubstr("has room for"));
  EXPECT_THAT(refused("--topology one_cub"), HasSubstr("one_cube"));
  EXPECT_THAT(refused("--topology one_cube --store ."), HasSubstr("is not a store of launches: it has files"));
  EXPECT_THAT(kernbench("model requests trace.jsonl --model mixtral-8x7b --topology one_cube").err,
              HasSubstr("a model with experts cannot be simulated yet"));
}

TEST_F(ModelLaunchesTest, BlocksAreWhatTheMemoryHasRoomFor_M135) {
  KB_SKIP_UNDER_SANITIZERS();
  const double one = served("--blocks 100 --store times")["policy"]["blocks"];
  EXPECT_EQ(one, 100);
  const double all = served("--store times")["policy"]["blocks"];
  // Two layers of keys and values of 2 heads of 32 in bf16: 512 bytes a token, 8 KiB a block.
  const Json memory = json("model show m.json --json" + std::string(kMachine))["stages"][0];
  const double there = memory["hbm_bytes"];
  EXPECT_LT(all * 8192, there);
  EXPECT_GT(all * 8192, there * 0.99);
}

// Fewer blocks than points of the grid need, which is 512.
TEST_F(ModelLaunchesTest, CellsKeepWithinTheMemory_M135) {
  const Json result = served("--max-tokens 64 --max-seqs 12 --set cube.memory_map.hbm_total_gb_per_cube=0.0078125");
  EXPECT_GT(result["policy"]["blocks"], 256);
  EXPECT_LT(result["policy"]["blocks"], 512);
  const Outcome full = serve("--max-tokens 64 --max-seqs 12 --set cube.memory_map.hbm_total_gb_per_cube=0.00390625");
  EXPECT_EQ(full.code, 2);
  EXPECT_THAT(full.err, HasSubstr("m leaves no room for keys and values"));
}

TEST_F(ModelLaunchesTest, AProfileAddsUpToAStep_M141) {
  const Outcome made = kernbench(profile(""));
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("each cell left out"));
  EXPECT_THAT(read("p/meta.yaml"), HasSubstr("hardware: one_cube"));
  write("batches.csv", "prefills_new@past,decode_kv\n,127\n64@0,\n");
  const Outcome found = kernbench("model lookups batches.csv --profile p --model m.json");
  ASSERT_EQ(found.code, 0) << found.err;
  const auto step_of = [&](const std::string& row) {
    const std::size_t at = found.out.find(row) + 1, end = found.out.find('\n', at);
    const std::string line = found.out.substr(at, end - at);
    return std::stod(line.substr(line.rfind(',') + 1));
  };
  // Kernels of a layer are rounded to ns: 2 layers of 8. The tables have the head of decodes, which picks no rows.
  EXPECT_NEAR(step_of("\n,127,"), step_ns("--context 128", "tpot_ns"), 16);
  const double prefill = step_ns("--phase prefill --tokens 64", "ttft_ns");
  EXPECT_NEAR(step_of("\n64@0,,"), prefill, 0.01 * prefill);
  const Outcome served = kernbench("model requests trace.jsonl --profile p --model m.json --blocks 1000");
  EXPECT_EQ(served.code, 0) << served.err;
  EXPECT_THAT(served.out, Not(HasSubstr("no time is counted")));
}

TEST_F(ModelLaunchesTest, AProfileIsMeasuredOnce_M142) {
  KB_SKIP_UNDER_SANITIZERS();
  const Json first = json(profile("--json"));
  EXPECT_GT(first["cells_simulated"], 0);
  const std::string attention = read("p/tp1/attention.csv");
  EXPECT_EQ(json(profile("--json"))["cells_simulated"], 0);
  EXPECT_EQ(read("p/tp1/attention.csv"), attention);
  EXPECT_FALSE(first["leave_one_out"].empty());
  const Outcome other = kernbench(profile("--hardware another"));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("the folder has a profile of m on one_cube"));
  ASSERT_EQ(kernbench(profile("--tp 2")).code, 0);
  EXPECT_THAT(read("p/meta.yaml"), HasSubstr("tp_degrees: [1, 2]"));
}

TEST_F(ModelLaunchesTest, AProfileOfATraceHasTheCellsOfItsRun_M143) {
  KB_SKIP_UNDER_SANITIZERS();
  const Outcome made = kernbench(profile("--trace trace.jsonl"));
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(read("p/meta.yaml"), HasSubstr("decode_contexts: as those of the trace"));
  const Outcome served = kernbench("model requests trace.jsonl --profile p --model m.json --blocks 1000");
  EXPECT_EQ(served.code, 0) << served.err;
}

TEST_F(ModelLaunchesTest, AProfileNeedsLayersThatOthersKnow_M141) {
  write("m.json", R"({"model_type": "qwen2", "hidden_size": 256, "intermediate_size": 512, "num_attention_heads": 8,
 "num_key_value_heads": 2, "num_hidden_layers": 2, "vocab_size": 512, "rms_norm_eps": 1e-6,
 "torch_dtype": "bfloat16", "max_position_embeddings": 2048})");
  const Outcome outcome = kernbench(profile(""));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("LLMServingSim has no layers for model_type 'qwen2'"));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/p"));
}

}  // namespace
}  // namespace kb::test
