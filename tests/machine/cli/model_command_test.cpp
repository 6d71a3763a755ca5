// kernbench model: what a user sees.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ModelCommandTest : public CommandLineTest {};

// M-27, M-50
TEST_F(ModelCommandTest, ShowsAShippedModelByItsName) {
  const Outcome shown = kernbench("model show llama-3.1-70b --tp 8 --set system.sips.count=8");
  EXPECT_EQ(shown.code, 0);
  EXPECT_EQ(shown.err, "");
  EXPECT_THAT(shown.out, HasSubstr("Parameters  70.55 G; 131.42 GiB in bf16"));
  EXPECT_THAT(shown.out, HasSubstr("Cache       320 KiB per token"));
  EXPECT_THAT(shown.out, HasSubstr("Least time  554.1"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(ModelCommandTest, AFolderOfTheUserIsAModel_M50) {
  const std::string model =
      R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
 "num_attention_heads": 8, "vocab_size": 128, "torch_dtype": "bfloat16", "strange_key": 1})";
  kernbench("--version", "mkdir mine;");
  write("mine/config.json", model);
  const Outcome shown = kernbench("model show mine --topology one_pe --phase prefill --batch 2x100 --json");
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.err, HasSubstr("config.json:2:"));
  EXPECT_THAT(shown.err, HasSubstr("strange_key: is not known and has no effect"));
  const nlohmann::json report = nlohmann::json::parse(shown.out);
  EXPECT_EQ(report["model"]["name"], "mine");
  EXPECT_EQ(report["batch"]["tokens"], 200);
}

// M-35: what fits is printed, and the exit code is that of a wrong configuration.
TEST_F(ModelCommandTest, AModelThatDoesNotFitIsShownAndRefused) {
  const Outcome shown = kernbench("model show llama-3.1-70b --topology one_cube");
  EXPECT_EQ(shown.code, 2);
  EXPECT_THAT(shown.out, HasSubstr("no: 84.67 GiB too much"));
  EXPECT_THAT(shown.err, HasSubstr("the smallest that fits is --tp 4"));
}

struct Refusal {
  const char* arguments;
  const char* message;
};
void PrintTo(const Refusal& refusal, std::ostream* out) {
  *out << refusal.arguments;
}

class ModelRefusalTest : public CommandLineTest, public testing::WithParamInterface<Refusal> {};

// M-51
TEST_P(ModelRefusalTest, IsOneMessage) {
  const Outcome outcome = kernbench(std::string("model ") + GetParam().arguments);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
  EXPECT_THAT(outcome.err, Not(HasSubstr("no results were written")));  // show writes none
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ModelRefusalTest,
    testing::Values(Refusal{"", "kernbench model: error: needs one of its commands"},
                    Refusal{"shw llama-3.1-8b", "unknown command shw; did you mean 'show'?"},
                    Refusal{"show", "CONFIG is required"},
                    Refusal{"show lama-3.1-8b", "there is no file 'lama-3.1-8b' (did you mean 'llama-3.1-8b'?"},
                    Refusal{"show llama-3.1-8b --tp 3", "--tp 3 does not divide 32 attention heads (use --tp 2)"},
                    Refusal{"show llama-3.1-8b --tp 0", "--tp needs a whole number from 1 to 16, not '0'"},
                    Refusal{"show llama-3.1-8b --phase decod", "--phase 'decod': did you mean 'decode'?"},
                    Refusal{"show llama-3.1-8b --dtype e4m3", "--dtype 'e4m3': known: bf16, f16, f32"},
                    Refusal{"show llama-3.1-8b --batch 4y3", "--batch: '4y3' in '4y3' is not a whole number"},
                    Refusal{"show llama-3.1-8b --tokens 4", "--tokens is for --phase prefill"},
                    Refusal{"show llama-3.1-8b --context 0", "--context counts the new token"},
                    Refusal{"show llama-3.1-8b --weights none.safetensors", "none.safetensors: does not exist"},
                    Refusal{"show llama-3.1-8b --topolgy x", "did you mean '--topology'?"}));

// M-52
TEST_F(ModelCommandTest, ListsTheShippedModels) {
  const nlohmann::json list = json("list models --json");
  ASSERT_GE(list["models"].size(), 11u);
  EXPECT_EQ(list["models"][0]["name"], "deepseek-v3");
  EXPECT_EQ(list["models"][0]["parameters"], 671026419200);
  EXPECT_THAT(kernbench("list models").out, HasSubstr("llama-3.1-70b"));
  EXPECT_EQ(kernbench("list models --plugin x").code, 2);
}

// A copy of the program alone.
TEST_F(ModelCommandTest, SaysWhereShippedFilesWereLookedFor) {
  namespace fs = std::filesystem;
  fs::create_directories(folder() + "/x/y");
  fs::copy_file(KB_PROGRAM_FOLDER "/kernbench", folder() + "/x/y/kernbench");
  const auto copy = [&](const std::string& command) {
    return kernbench("--version", "x/y/kernbench " + command + "; exit $?;");
  };
  for (const char* command :
       {"list models", "list models --json", "model show llama-3.1-8b", "model step llama-3.1-8b"}) {
    const Outcome outcome = copy(command);
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_EQ(outcome.out, "") << command;
    EXPECT_THAT(outcome.err, HasSubstr("the models that come with kernbench were looked for in ")) << command;
    EXPECT_THAT(outcome.err, HasSubstr("/x/share/kernbench/models and ")) << command;
  }
  EXPECT_THAT(copy("check one_pe").err, HasSubstr("/x/share/kernbench/configs and "));
}

TEST_F(ModelCommandTest, HelpTeaches_M50) {
  const Outcome model = kernbench("model --help"), show = kernbench("model show --help");
  EXPECT_THAT(model.out, HasSubstr("Usage: kernbench model"));
  EXPECT_THAT(model.out, HasSubstr("show"));
  EXPECT_THAT(show.out, HasSubstr("Usage: kernbench model show [OPTIONS] CONFIG"));
  EXPECT_THAT(show.out, HasSubstr("Examples:\n  kernbench model show"));
}

}  // namespace
}  // namespace kb::test
