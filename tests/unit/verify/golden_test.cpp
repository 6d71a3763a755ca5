#include "sim/study/verify/golden.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "platform/base/error.h"
#include "tests/unit/model/tiny_models.h"

namespace kb::verify {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

class GoldenTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove(file_); }

  static json cache(std::size_t tokens) {
    const json part = {{"l2", 2}, {"wsum", -3.0}, {"sum_by_pos", std::vector<double>(tokens, 0.5)}};
    return json::array({{{"k", part}, {"v", part}}});
  }
  static json complete() {
    const std::vector<double> logits(128, 0.25);
    const json choice = {{"token", 7}, {"top8", {{7, 1.5}, {8, 1.0}}}};
    return {{"prompt", {1, 2}},           {"tokens", {7}},
            {"decode", {choice, choice}}, {"prompt_logits_last", logits},
            {"logits_after_1", logits},   {"cache_after_prompt", cache(2)},
            {"cache_after_1", cache(3)}};
  }
  Golden read(const json& content) const {
    std::ofstream(file_) << content.dump(1);
    return read_golden(file_.string(), spec_);
  }
  std::string problem(json content, const std::string& key, const json& value) const {
    if (value.is_null()) {
      content.erase(key);
    } else {
      content[key] = value;
    }
    try {
      read(content);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  model::ModelSpec spec_ = model::tiny_model("llama", {{"num_hidden_layers", "1"}});
  fs::path file_ = fs::temp_directory_path() / ("kb_golden_" + std::to_string(::getpid()) + ".json");
};

// M-126
TEST_F(GoldenTest, IsRead) {
  const Golden golden = read(complete());
  EXPECT_THAT(golden.prompt, ElementsAre(1, 2));
  EXPECT_THAT(golden.tokens, ElementsAre(7));
  EXPECT_THAT(golden.choices, ElementsAre(7, 7));
  EXPECT_THAT(golden.top[1],
              ElementsAre(std::pair<std::int64_t, double>{7, 1.5}, std::pair<std::int64_t, double>{8, 1}));
  EXPECT_EQ(golden.last.size(), 128u);
  EXPECT_EQ(golden.after_all[0].v.tokens, 3);
  EXPECT_EQ(golden.after_prompt[0].k.wsum, -3);
}

// M-127
TEST_F(GoldenTest, WhatDoesNotFitTheModelIsRefused) {
  EXPECT_THAT(problem(complete(), "tokens", nullptr), HasSubstr("tokens: is missing"));
  EXPECT_THAT(problem(complete(), "prompt", {1, 128}), HasSubstr("prompt: has 128, but tokens are 0 to 127"));
  EXPECT_THAT(problem(complete(), "prompt", {1}), HasSubstr("needs two tokens or more"));
  EXPECT_THAT(problem(complete(), "decode", json::array({complete()["decode"][0]})),
              HasSubstr("decode: has 1 choices; 1 tokens call for 2"));
  EXPECT_THAT(problem(complete(), "logits_after_1", {1.0}), HasSubstr("has 1 numbers, not 128"));
  EXPECT_THAT(problem(complete(), "prompt_logits_last", "x"), HasSubstr("must be a list"));
  EXPECT_THAT(problem(complete(), "cache_after_prompt", json::array()), HasSubstr("has 0 layers, and the model 1"));
  EXPECT_THAT(problem(complete(), "cache_after_1", cache(2)), HasSubstr("sum_by_pos: has 2 numbers, not 3"));
}

}  // namespace
}  // namespace kb::verify
