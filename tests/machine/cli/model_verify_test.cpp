// kernbench model verify: what a user sees.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const char* const kModel =
    R"({"model_type": "llama", "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1,
 "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 64, "torch_dtype": "float32"})";

class ModelVerifyTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    write("tiny.json", kModel);
  }
  Outcome verify(const std::string& options) const {
    return kernbench("model verify tiny.json --topology one_cube --prompt 5 --decode 2 " + options);
  }
};

// M-120, M-123
TEST_F(ModelVerifyTest, ARightModelPassesEveryCheck) {
  const Outcome text = verify("");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  EXPECT_THAT(text.out, HasSubstr("Run       5 prompt tokens, 2 decoded ones; 9 steps with"));
  EXPECT_THAT(text.out, HasSubstr("All 18 checks passed"));
  EXPECT_EQ(files(), std::vector<std::string>{"tiny.json"});
}

// M-120, K-208: several blocks of rows, whose norms are launches of their own, and sums over two SIPs.
TEST_F(ModelVerifyTest, ALongPromptIsRight) {
  const Outcome text = kernbench("model verify tiny.json --topology one_cube --prompt 140 --decode 2 --tp 2");
  EXPECT_EQ(text.code, 0) << text.out << text.err;
  EXPECT_THAT(text.out, HasSubstr("All 18 checks passed"));
}

// M-120, M-121
TEST_F(ModelVerifyTest, TheJsonHasEveryCheckAndDependsOnTheSeed) {
  const Outcome one = verify("--tp 2 --json"), again = verify("--tp 2 --json"),
                other = verify("--tp 2 --json --seed 2");
  EXPECT_EQ(one.out, again.out);
  EXPECT_NE(one.out, other.out);
  const nlohmann::json report = nlohmann::json::parse(one.out);
  EXPECT_EQ(report["passed"], true);
  EXPECT_EQ(report["tp"], 2);
  EXPECT_EQ(report["tokens"].size(), 3u);
  EXPECT_EQ(report["checks"].size(), 18u);
  EXPECT_EQ(report["checks"][0]["check"], "logits of the prompt");
  EXPECT_EQ(report["checks"][0]["bound"], 1e-3);
  EXPECT_LT(report["checks"][0]["found"], 1e-4);
  EXPECT_GT(report["checks"][0]["found"], 0);
}

// M-120, M-126: logits of a golden file that are all zero.
TEST_F(ModelVerifyTest, AFailedCheckIsExitCode1) {
  const std::vector<double> logits(64, 0.0);
  const auto cache = [](std::size_t tokens) {
    const nlohmann::json part = {{"l2", 1}, {"wsum", 0}, {"sum_by_pos", std::vector<double>(tokens, 0.0)}};
    return nlohmann::json::array({{{"k", part}, {"v", part}}});
  };
  const nlohmann::json choice = {{"token", 0}, {"top8", {{0, 0.0}}}};
  const nlohmann::json golden = {{"prompt", {1, 2, 3}},        {"tokens", {4}},
                                 {"decode", {choice, choice}}, {"prompt_logits_last", logits},
                                 {"logits_after_1", logits},   {"cache_after_prompt", cache(3)},
                                 {"cache_after_1", cache(4)}};
  write("golden.json", golden.dump());
  const Outcome failed = kernbench("model verify tiny.json --topology one_cube --golden golden.json");
  EXPECT_EQ(failed.code, 1) << failed.err;
  EXPECT_THAT(failed.out, HasSubstr("FAILED"));
  EXPECT_THAT(failed.out, HasSubstr("of 22 checks failed"));
}

struct VerifyRefusal {
  const char* arguments;
  const char* message;
};
void PrintTo(const VerifyRefusal& refusal, std::ostream* out) {
  *out << refusal.arguments;
}

class ModelVerifyRefusalTest : public CommandLineTest, public testing::WithParamInterface<VerifyRefusal> {};

// M-127
TEST_P(ModelVerifyRefusalTest, IsOneMessage) {
  write("tiny.json", kModel);
  const Outcome outcome = kernbench(std::string("model verify ") + GetParam().arguments);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ModelVerifyRefusalTest,
    testing::Values(VerifyRefusal{"", "CONFIG is required"},
                    VerifyRefusal{"tiny.json --prompt 1", "--prompt needs a whole number from 2 to 4096, not '1'"},
                    VerifyRefusal{"tiny.json --golden g.json --decode 3", "the tokens are those of --golden"},
                    VerifyRefusal{"tiny.json --golden none.json", "none.json: cannot be read"},
                    VerifyRefusal{"tiny.json --weights none.safetensors", "none.safetensors: does not exist"},
                    VerifyRefusal{"tiny.json --tp 3", "--tp 3 does not divide 4 attention heads"},
                    VerifyRefusal{"tiny.json --tp 2 --topology one_cube --set sip.cube_mesh.w=3",
                                  "hidden_size 32 does not divide over the 3 cubes of a SIP"},
                    VerifyRefusal{"tiny.json --dtype f64", "--dtype 'f64': known: bf16, f16, f32"},
                    VerifyRefusal{"llama-3.1-8b", "parameters are too many"},
                    VerifyRefusal{"mixtral-8x7b", "a model with experts cannot be simulated yet"}));

}  // namespace
}  // namespace kb::test
