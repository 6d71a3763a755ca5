// Requests that are served by launches of a small model on a machine of one cube.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/machine/cli/command_line.h"

namespace kb::test {

class LaunchedModelTest : public CommandLineTest {
 protected:
  using Json = nlohmann::json;

  static constexpr const char* kModel = R"({"model_type": "llama", "hidden_size": 256, "intermediate_size": 512,
 "num_attention_heads": 8, "num_key_value_heads": 2, "num_hidden_layers": 2, "vocab_size": 512, "rms_norm_eps": 1e-5,
 "torch_dtype": "bfloat16", "max_position_embeddings": 2048})";
  static constexpr const char* kMachine = " --topology one_cube";

  void SetUp() override {
    CommandLineTest::SetUp();
    write("m.json", kModel);
    // Far apart: one after the other. Prompts and contexts on the grid: 64 tokens; a context of 128 with the new token.
    write("grid.jsonl",
          "{\"input_toks\":64,\"output_toks\":1,\"arrival_time_ns\":0}\n"
          "{\"input_toks\":127,\"output_toks\":2,\"arrival_time_ns\":1000000}\n");
    // Several requests at a time, prompts beside decodes.
    std::string rows;
    for (int i = 0; i < 8; ++i) {
      rows += "{\"input_toks\":" + std::to_string(20 + 23 * i % 90) + ",\"output_toks\":" + std::to_string(3 + i % 4) +
              ",\"arrival_time_ns\":" + std::to_string(i * 30000) + "}\n";
    }
    write("trace.jsonl", rows);
  }

  Outcome serve(const std::string& options, const std::string& prefix = "") const {
    return kernbench("model requests trace.jsonl --model m.json" + (kMachine + (" " + options)), prefix);
  }
  Json served(const std::string& options) const {
    const Outcome outcome = serve(options + " --json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
  double step_ns(const std::string& options, const char* figure) const {
    return json("model step m.json --json" + (kMachine + (" " + options)))[figure].get<double>();
  }
};

}  // namespace kb::test
