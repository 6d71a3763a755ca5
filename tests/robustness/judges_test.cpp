// Each judge finds what it is for, and nothing in a good run.
#include "tests/robustness/judges.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/robustness/file_text.h"

namespace kb::robustness {
namespace {

AttackCase run_case() {
  AttackCase attack;
  attack.args = {"run", "--topology", "m.yaml", "--quiet", "--out", "o"};
  attack.files["m.yaml"] = "system:\n";
  return attack;
}

Trial rejected(const std::string& message) {
  Trial trial;
  trial.end.code = 2;
  trial.err = message;
  trial.before = trial.after = {{"m.yaml", "file 8 1"}, {"user.txt", "file 5 2"}};
  return trial;
}

std::vector<std::string> found(const AttackCase& attack, const Trial& trial) {
  Setup setup;
  setup.baseline_kb = 30000;
  std::vector<std::string> names;
  for (const Verdict& verdict : judge(attack, trial, setup)) names.push_back(verdict.judge);
  return names;
}

using Names = std::vector<std::string>;

constexpr const char* kGood = "m.yaml:1:1: system: unknown key 'sip' (did you mean 'sips'?)\n";

TEST(Judges, ARejectedInputWithAMessagePasses) {
  EXPECT_EQ(found(run_case(), rejected(kGood)), Names{});
}

TEST(Judges, SignalsExitCodesTimeAndMemory) {
  Trial trial = rejected(kGood);
  trial.end.signal = 11;
  EXPECT_EQ(found(run_case(), trial), Names{"signal"});
  trial = rejected(kGood);
  trial.end.code = 3;
  EXPECT_EQ(found(run_case(), trial), Names{"exit code"});
  trial.end.code = 77;
  EXPECT_EQ(found(run_case(), trial), Names{"exit code"});
  trial = rejected(kGood);
  trial.end.cpu_s = 10.5;
  EXPECT_EQ(found(run_case(), trial), Names{"time"});
  trial = rejected(kGood);
  trial.end.peak_kb = 300000;
  EXPECT_EQ(found(run_case(), trial), Names{"memory"});
  trial.end.peak_kb = 290000;
  EXPECT_EQ(found(run_case(), trial), Names{});
}

TEST(Judges, MessagesNameAPlaceAndARemedyWithoutControlBytes) {
  for (const char* message : {"", "something is wrong, choose another\n", "m.yaml:1:1: system: wrong\n"}) {
    EXPECT_EQ(found(run_case(), rejected(message)), Names{"message"}) << message;
  }
  EXPECT_EQ(found(run_case(), rejected(std::string(kGood) + "\x1b[2J")), Names{"control"});
  EXPECT_EQ(found(run_case(), rejected(std::string(kGood) + "\xc2\x9b")), Names{"control"});
  EXPECT_EQ(found(run_case(), rejected(std::string(kGood) + "\xc3\xa9")), Names{});
}

TEST(Judges, ARuleOfAnEvaluationThatIsBrokenNeedsNoRemedy) {
  AttackCase evaluation = run_case();
  evaluation.args = {"evaluate", "e", "--topology", "m.yaml", "--out", "o"};
  Trial trial = rejected("kernbench evaluate: check R-1 failed: no time\n");
  EXPECT_EQ(found(evaluation, trial), Names{"message"});
  trial.end.code = 1;
  EXPECT_EQ(found(evaluation, trial), Names{});
  trial.err = "kernbench evaluate: check points failed: runs, point 1: it went wrong\n";
  EXPECT_EQ(found(evaluation, trial), Names{"message"}) << "no rule of a user";
}

TEST(Judges, FilesOfTheUserAndLeftovers) {
  Trial trial = rejected(kGood);
  trial.after["o/result.json.tmp17"] = "file 1 1";
  EXPECT_EQ(found(run_case(), trial), (Names{"leftover", "rejected"}));
  trial = rejected(kGood);
  trial.after["user.txt"] = "file 9 9";
  EXPECT_EQ(found(run_case(), trial), (Names{"user file", "rejected"}));
  trial = rejected(kGood);
  trial.after["o/result.json"] = "file 1 1";
  EXPECT_EQ(found(run_case(), trial), Names{"rejected"});
}

class JudgesOfResults : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "kb_judges_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Trial ended(int code, const std::string& result) const {
    Trial trial;
    trial.end.code = code;
    trial.err = code == 0 ? "" : "VERIFICATION_FAILED: tensor 'c'";
    trial.folder = folder_;
    if (!result.empty()) {
      write_text(folder_ + "/o/result.json", result);
      trial.after["o/result.json"] = "file 1 1";
    }
    return trial;
  }
  static std::string result(const std::string& ok, const std::string& error) {
    return R"({"schema":1,"version":"1","topology":{},"config":{},"bench":{},"launches":[],"host":{},"ok":)" + ok +
           R"(,"error":)" + error + "}";
  }
  std::string folder_;
};

TEST_F(JudgesOfResults, TheResultIsWholeAndAgreesWithTheExitCode) {
  EXPECT_EQ(found(run_case(), ended(0, result("true", "null"))), Names{});
  EXPECT_EQ(found(run_case(), ended(1, result("false", "{}"))), Names{});
  EXPECT_EQ(found(run_case(), ended(0, result("false", "{}"))), Names{"result"});
  EXPECT_EQ(found(run_case(), ended(1, result("false", "null"))), Names{"result"});
  EXPECT_EQ(found(run_case(), ended(0, R"({"schema":1)")), Names{"result"});
}

TEST_F(JudgesOfResults, AMissingResultIsFound) {
  EXPECT_EQ(found(run_case(), ended(0, "")), Names{"result"});
}

TEST(Judges, ReportsOfSanitizers) {
  const std::string report = std::string(kGood) + "gemm.cpp:56:13: runtime error: signed integer overflow\n";
  EXPECT_EQ(found(run_case(), rejected(report)), Names{"sanitizer"});
}

TEST(Judges, JsonAndNothingElse) {
  AttackCase attack;
  attack.args = {"list", "--json"};
  Trial trial;
  trial.out = "{}\n";
  EXPECT_EQ(found(attack, trial), Names{});
  trial.out = "warning\n{}\n";
  EXPECT_EQ(found(attack, trial), Names{"json"});
}

TEST(Judges, WhatTheCaseExpects) {
  AttackCase attack = run_case();
  attack.codes = {0, 4};
  EXPECT_EQ(found(attack, rejected(kGood)), Names{"expected"});
  attack.codes = {2};
  attack.says = {"did you mean"};
  EXPECT_EQ(found(attack, rejected(kGood)), Names{});
  attack.says = {"nothing of the kind"};
  EXPECT_EQ(found(attack, rejected(kGood)), Names{"expected"});
}

}  // namespace
}  // namespace kb::robustness
