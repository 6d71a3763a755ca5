// Launches that run on a SIP at the same time: each has its own findings, and they say what the launches take from each
// other.
#include <gmock/gmock.h>

#include <map>
#include <string>

#include "tests/machine/cli/findings.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class BesideFindingsTest : public FindingsTest {
 protected:
  Json halves(const std::string& options) const {
    return run("--plugin " KB_SLOW_PLUGIN " --bench halves --topology '" + config("one_cube") + "' " + options);
  }
  static const Json& launch(const Json& result, const std::string& label) {
    for (const Json& one : result["launches"]) {
      if (one["label"] == label) return one;
    }
    ADD_FAILURE() << "no launch " << label;
    return result;
  }
  static double time_of(const Json& launch) {
    return launch["completed_ns"].get<double>() - launch["submit_ns"].get<double>();
  }
  // The findings of a rule, by the label of their launch.
  static std::map<std::string, Json> by_launch(const Json& result, const std::string& rule) {
    std::map<std::string, Json> found;
    for (const Json& finding : result["findings"]) {
      if (finding["rule"] != rule) continue;
      for (const Json& one : result["launches"]) {
        if (one["id"] == finding["launch"]) found[one["label"]] = finding;
      }
    }
    return found;
  }
};

// Both halves read one slice: each launch would take half of the time without the other.
TEST_F(BesideFindingsTest, EachLaunchKnowsWhatTheOtherTakes) {
  const Json alone_lower = halves("--set only=lower"), alone_upper = halves("--set only=upper");
  EXPECT_FALSE(has(alone_lower, "launches_beside"));
  for (const std::string first : {"lower", "upper"}) {
    const Json both = halves("--set first=" + first);
    const std::map<std::string, Json> found = by_launch(both, "launches_beside");
    ASSERT_EQ(found.size(), 2u) << first;
    for (const std::string label : {"lower", "upper"}) {
      const Json& finding = found.at(label);
      const double together = time_of(launch(both, label)),
                   alone = time_of(launch(label == "lower" ? alone_lower : alone_upper, label));
      EXPECT_GE(finding["factor"].get<double>(), together / alone) << first << ' ' << label;
      EXPECT_LE(finding["factor"].get<double>(), 1.5 * together / alone) << first << ' ' << label;
      EXPECT_THAT(finding["evidence"][0].get<std::string>(),
                  HasSubstr(label == "lower" ? "slow (upper)), " : "slow (lower)), "));
      EXPECT_THAT(finding["evidence"][1].get<std::string>(), HasSubstr("sip0.cube0.hbm_ctrl.pe0"));
    }
  }
}

// The rules look at the whole kernel, also at its time before and after the other launch.
TEST_F(BesideFindingsTest, ADividedLaunchHasTheFindingsOfAWholeOne) {
  const Json whole = halves("--set only=lower"), divided = halves("--set upper=none");
  ASSERT_TRUE(has(whole, "hot_slice"));
  const std::map<std::string, Json> found = by_launch(divided, "hot_slice");
  ASSERT_EQ(found.count("lower"), 1u);
  EXPECT_NEAR(found.at("lower")["factor"].get<double>(), finding(whole, "hot_slice")["factor"].get<double>(), 0.2);
}

TEST_F(BesideFindingsTest, SlicesOfTheirOwnAreNoFinding) {
  const Json apart = halves("--set upper=nothing");
  EXPECT_TRUE(by_launch(apart, "launches_beside").empty());
}

TEST_F(BesideFindingsTest, TheReportNamesTheLaunch) {
  const Outcome outcome =
      kernbench("run --out out --plugin " KB_SLOW_PLUGIN " --bench halves --topology '" + config("one_cube") + "'");
  EXPECT_THAT(outcome.out, HasSubstr("x  in launch "));
  EXPECT_THAT(outcome.out, HasSubstr("% of its bytes are of launches that run at the same time"));
}

}  // namespace
}  // namespace kb::test
