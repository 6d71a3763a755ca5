// `kernbench model requests` and `lookups` on a small profile, with times by hand.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/machine/cli/command_line.h"
#include "tests/support/source_file.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ModelRequestsTest : public CommandLineTest {
 protected:
  using Json = nlohmann::json;

  // A model of two layers in which a step of n requests and t tokens takes 2 x (1 us x t + 10 us) + 5 us x n.
  void SetUp() override {
    CommandLineTest::SetUp();
    write("config.json",
          R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
              "vocab_size": 1000, "intermediate_size": 128, "max_position_embeddings": 400})");
    std::filesystem::create_directories(folder() + "/p/tp1");
    write("p/meta.yaml", "hardware: CARD\nmodel: a/tiny\nengine_effective:\n  max_num_batched_tokens: 64\n");
    write("p/tp1/dense.csv", "layer,tokens,time_us\nqkv_proj,1,1\nqkv_proj,2,2\n");
    write("p/tp1/per_sequence.csv", "layer,sequences,time_us\nlm_head,1,5\nlm_head,2,10\n");
    write("p/tp1/attention.csv", "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us\n0,0,1,16,10\n");
    write("trace.jsonl",
          "{\"input_toks\":4,\"output_toks\":3,\"arrival_time_ns\":1000}\n"
          "{\"input_toks\":2,\"output_toks\":1,\"arrival_time_ns\":2000}\n");
  }

  static constexpr const char* kSetup = " --profile p --model config.json --blocks 100 ";
  Outcome serve(const std::string& options) const {
    return kernbench("model requests trace.jsonl" + (kSetup + options));
  }
};

TEST_F(ModelRequestsTest, RowsByHand) {  // M-75
  const Outcome outcome = serve("--out r");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  // Step 1 at 1000: 4 tokens, 2 x (4 + 10) + 5 = 33 us. Step 2 at 34000: 3 tokens of 2 requests, 36 us. Step 3: 27 us.
  EXPECT_EQ(read("r/requests.csv"),
            "instance id,request id,model,input,output,arrival,end_time,latency,queuing_delay,TTFT,TPOT,ITL\n"
            "0,1,a/tiny,2,1,2000,70000,68000,32000,68000,0,[]\n"
            "0,0,a/tiny,4,3,1000,97000,96000,0,33000,31500,\"[36000, 27000]\"\n");
  EXPECT_EQ(read("r/timeline.csv"),
            "t,prompt_throughput,gen_throughput,running,waiting,kv_cache_pct\n1,6,4,0,0,0.00\n");
  EXPECT_THAT(outcome.out, HasSubstr("a/tiny on CARD"));
  EXPECT_THAT(outcome.out, HasSubstr("abstractions:"));
}

TEST_F(ModelRequestsTest, SummaryAsJson) {  // M-74, M-80
  const Json result = json("model requests trace.jsonl" + (kSetup + std::string("--json --out r")));
  EXPECT_EQ(result, Json::parse(read("r/summary.json")));
  EXPECT_EQ(result["steps"], 3);
  EXPECT_EQ(result["ttft_ns"]["mean"], 50500);
  EXPECT_EQ(result["latency_ns"]["most"], 96000);
  EXPECT_EQ(result["queuing_ns"]["p50"], 16000);
  EXPECT_EQ(result["itl_ns"]["p50"], 31500);
  EXPECT_EQ(result["output_tokens"], 4);
  EXPECT_NEAR(result["output_tokens_per_s"].get<double>(), 4 / 96e-6, 1e-3);
  EXPECT_EQ(result["policy"]["blocks"], 100);
  EXPECT_EQ(result["blocks_used"]["most"], 2);
  EXPECT_THAT(result["abstractions"].dump(), HasSubstr("no embedding, final_layernorm, layernorm"));
}

TEST_F(ModelRequestsTest, EqualRunsGiveEqualBytes) {  // M-71
  ASSERT_EQ(serve("--out a --rate 9 --arrivals poisson").code, 0);
  ASSERT_EQ(serve("--out b --rate 9 --arrivals poisson").code, 0);
  for (const char* name : {"/requests.csv", "/summary.json", "/timeline.csv"}) {
    EXPECT_EQ(read(std::string("a") + name), read(std::string("b") + name)) << name;
  }
}

TEST_F(ModelRequestsTest, RatesAndTheirKnee) {  // M-77
  std::string rows;
  for (int i = 0; i < 200; ++i) {
    rows += "{\"input_toks\":20,\"output_toks\":20,\"arrival_time_ns\":" + std::to_string(i * 1000) + "}\n";
  }
  write("trace.jsonl", rows);
  const Outcome outcome = serve("--sweep-rate 100:20000:8 --out s --plot --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  ASSERT_EQ(result["rates"].size(), 8u);
  for (std::size_t i = 1; i < 8; ++i) {
    EXPECT_GE(result["rates"][i]["latency_mean_ns"], result["rates"][i - 1]["latency_mean_ns"]);
  }
  EXPECT_TRUE(result["knee_rate_per_s"].is_number());
  const std::string table = read("s/rates.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 9);
  EXPECT_THAT(read("s/knee.svg"), HasSubstr("</svg>"));
}

TEST_F(ModelRequestsTest, TheTimelineIsDrawn) {  // M-76
  ASSERT_EQ(serve("--out r --plot").code, 0);
  EXPECT_THAT(read("r/timeline.svg"), HasSubstr("</svg>"));
}

TEST_F(ModelRequestsTest, BadInputLeavesNothing) {  // M-78, M-79
  const auto refused = [&](const std::string& options) {
    const Outcome outcome = serve(options + " --out bad");
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_EQ(outcome.out, "");
    const std::vector<std::string> all = files();
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const std::string& name) { return name.rfind("bad/", 0) == 0; }),
              0);
    return outcome.err;
  };
  EXPECT_THAT(refused("--tp 2 --link-latency-ns 1 --link-gib-s 1 --memory-gb-s 1"),
              HasSubstr("p: the profile has no tp2 (it has tp1"));
  EXPECT_THAT(refused("--tp 3"), HasSubstr("--tp 3 does not divide the 4 heads"));
  EXPECT_THAT(refused("--ep 2"), HasSubstr("--ep is for a mixture of experts"));
  EXPECT_THAT(refused("--arrivals poison --rate 1"), HasSubstr("did you mean 'poisson'?"));
  EXPECT_THAT(refused("--arrivals even"), HasSubstr("--arrivals needs a rate"));
  EXPECT_THAT(refused("--sweep-rate 1,x"), HasSubstr("--sweep-rate needs rates above 0"));
  EXPECT_THAT(refused("--sweep-rate 8:1:3"), HasSubstr("LOW:HIGH:COUNT with LOW below HIGH and COUNT from 2 to 1000"));
  EXPECT_THAT(refused("--sweep-rate 1 --rate 1"), HasSubstr("--rate"));
  EXPECT_THAT(refused("--blok-size 8"), HasSubstr("did you mean '--block-size'?"));
  write("trace.jsonl", "{\"input_toks\":4,\"output_toks\":0,\"arrival_time_ns\":-1}\n");
  EXPECT_THAT(refused(""), HasSubstr("trace.jsonl:1: arrival_time_ns: is -1"));
  write("trace.jsonl",
        "{\"input_toks\":4,\"output_toks\":0,\"arrival_time_ns\":1}\n{\"input_toks\":400,\"output_toks\":1,"
        "\"arrival_time_ns\":1}\n");
  const std::string both = refused("");
  EXPECT_THAT(both, HasSubstr("trace.jsonl:1: the request has no output tokens"));
  EXPECT_THAT(both,
              HasSubstr("trace.jsonl:2: the request has 401 tokens, and max_position_embeddings of the model is 400"));
  EXPECT_THAT(both, HasSubstr("2 problems found, no results were written"));
  write("trace.csv", "num_prefill_tokens,num_decode_tokens\n3,4\n");
  EXPECT_THAT(kernbench("model requests trace.csv" + std::string(kSetup)).err,
              HasSubstr("the trace has no times; give --rate"));
}

TEST_F(ModelRequestsTest, UnusableRequestsMayBeLeftOut) {  // M-78
  write("trace.jsonl",
        "{\"input_toks\":4,\"output_toks\":0,\"arrival_time_ns\":1}\n{\"input_toks\":4,\"output_toks\":1,"
        "\"arrival_time_ns\":1}\n");
  const Json result = json("model requests trace.jsonl" + (kSetup + std::string("--skip-unusable --json")));
  EXPECT_EQ(result["requests"], 1);
  EXPECT_EQ(result["skipped"], 1);
}

TEST_F(ModelRequestsTest, OtherThanMeasuredIsNoted) {  // M-80
  const Outcome outcome = serve("");
  EXPECT_THAT(outcome.err, HasSubstr("the profile was measured for max_num_batched_tokens of 64, and the run has 400"));
  EXPECT_THAT(serve("--max-tokens 64 --prefix-cache").err, HasSubstr("the trace has no ids of tokens or blocks"));
  EXPECT_EQ(serve("--max-tokens 64").err, "");
  EXPECT_EQ(serve("--quiet").err + serve("--quiet").out, "");
}

TEST_F(ModelRequestsTest, AProfileOfAnotherModelIsNoted) {  // M-80
  const std::string setup = "model requests trace.jsonl --profile p --blocks 100 --max-tokens 64 --model ";
  EXPECT_THAT(kernbench(setup + "llama-3.1-8b").err,
              HasSubstr("p/meta.yaml: model: the profile was measured for a/tiny, and --model is llama-3.1-8b"));
  const Outcome experts = kernbench(setup + "mixtral-8x7b");
  EXPECT_EQ(experts.code, 2);
  EXPECT_THAT(experts.err, HasSubstr("the model is a mixture of experts, and the profile has no moe.csv"));
  EXPECT_THAT(experts.err, Not(HasSubstr("no results were written")));  // without --out there are none
  write("p/meta.yaml", "hardware: CARD\nmodel: meta-llama/Llama-3.1-8B-Instruct\n");
  EXPECT_EQ(kernbench(setup + "llama-3.1-8b").err, "");
}

TEST_F(ModelRequestsTest, WhatWasWrittenIsNamed) {  // M-74
  EXPECT_THAT(serve("--out r").out,
              HasSubstr("\nIn r: summary.json, requests.csv, timeline.csv; 'kernbench web r' shows them\n"));
  EXPECT_THAT(serve("").out, Not(HasSubstr("kernbench web")));
}

TEST_F(ModelRequestsTest, BlocksComeFromTheClustersMemory) {  // M-69
  write("cluster.json",
        R"({"num_nodes": 1, "link_bw": 16, "link_latency": 1000, "nodes": [{"instances": [{"hardware": "X",
            "npu_mem": {"mem_size": 0.001, "mem_bw": 1008}, "num_npus": 1}]}]})");
  const Json result = json("model requests trace.jsonl --profile p --model config.json --cluster cluster.json --json");
  // 0.9 x 2^30 / 1000 B less 2 x (4 x 64 x 64 + 3 x 64 x 128 + 128) x 2 + (128000 + 64) x 2 B, blocks of 8 KiB.
  EXPECT_EQ(result["policy"]["blocks"], (966367 - 420480) / 8192);
  EXPECT_EQ(result["hardware"], "X");
  EXPECT_THAT(kernbench("model requests trace.jsonl --profile p --model config.json").err,
              HasSubstr("--blocks is required without --cluster"));
}

TEST_F(ModelRequestsTest, LookupsCompare) {  // M-70
  write("q.csv", "prefills_new@past,decode_kv,layer_ns,step_ns\n,16,11000,27000\n");
  const std::string command = "model lookups q.csv --profile p --model config.json";
  const Outcome same = kernbench(command);
  EXPECT_EQ(same.code, 0);
  EXPECT_THAT(same.out, HasSubstr(",16,11000,27000,11000,27000\n"));
  EXPECT_THAT(same.err, HasSubstr("1 rows, 0 differ"));
  write("q.csv", "prefills_new@past,decode_kv,layer_ns,step_ns\n,16,11000,27002\n");
  EXPECT_EQ(kernbench(command + " --out o.csv").code, 1);
  EXPECT_THAT(read("o.csv"), HasSubstr("27002,11000,27000"));
}

TEST_F(ModelRequestsTest, PartsAreNamed) {  // M-82
  EXPECT_THAT(kernbench("model --help").out, HasSubstr("requests"));
  EXPECT_THAT(kernbench("model requests --help").out, HasSubstr("Usage: kernbench model requests"));
  for (const char* part : {"show", "step", "verify", "requests", "profile", "memo", "lookups"}) {
    std::istringstream lines(kernbench(std::string("model ") + part + " --help").out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
  }
  EXPECT_THAT(kernbench("model request x").err, HasSubstr("unknown command request; did you mean 'requests'?"));
  EXPECT_THAT(kernbench("model").err,
              HasSubstr("needs one of its commands; known: show, step, verify, requests, profile, memo, lookups"));
  EXPECT_EQ(kernbench("model").code, 2);
  EXPECT_THAT(kernbench("model requests trace.jsonl").err, HasSubstr("Try 'kernbench model requests --help'"));
}

// The outputs in the guide are what its commands print.
TEST_F(ModelRequestsTest, TheGuideShowsItsExample) {
  const std::string page = source_file("docs/guides/serving.md");
  const std::string command =
      "model requests trace.jsonl --profile card --model config.json --max-seqs 128 --prefix-cache ";
  const auto shown = [&](const std::string& options, const std::string& from) {
    const Outcome outcome = kernbench(command + options, "cd '" KB_SOURCE_DIR "/examples/serving' &&");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const std::size_t begin = outcome.out.find(from), end = outcome.out.find("\nabstractions");
    EXPECT_LT(begin, end);
    return outcome.out.substr(begin, end - begin);
  };
  EXPECT_THAT(page, HasSubstr(shown("--blocks 1500", "160 requests")));
  EXPECT_THAT(page, HasSubstr(shown("--blocks 1500 --sweep-rate 1:16:9", "  rate/s")));
  const std::string wider = shown("--blocks 3000 --sweep-rate 1:16:9", "   5.657");
  EXPECT_THAT(page, HasSubstr(wider.substr(0, wider.find("  16.000"))));
}

}  // namespace
}  // namespace kb::test
