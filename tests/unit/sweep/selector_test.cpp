#include "sim/study/sweep/selector.h"

#include <gmock/gmock.h>

#include "platform/base/error.h"

namespace kb::sweep {
namespace {

using testing::HasSubstr;

const Json& result() {
  static const Json json = Json::parse(R"({
    "sim_time_ns": 12.5, "ok": true, "error": null,
    "launches": [{"id": 1, "exec": {"max": 10}}, {"id": 2, "exec": {"max": 30}}],
    "figures": [{"name": "critical path", "value": 7.25}, {"name": "a/b", "value": 1}]})");
  return json;
}

Json value(const std::string& text) {
  return Selector(text).select(result());
}

std::string problem(const std::string& text) {
  try {
    value(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Selector, IsAJsonPointer) {
  EXPECT_EQ(value("/sim_time_ns"), 12.5);
  EXPECT_EQ(value("/launches/1/exec/max"), 30);
  EXPECT_EQ(value("/ok"), true);
  EXPECT_TRUE(value("/error").is_null());
}

TEST(Selector, FindsEntriesByName) {
  EXPECT_EQ(value("/figures/critical path/value"), 7.25);
  EXPECT_EQ(value("/figures/a~1b/value"), 1);
}

TEST(Selector, MakesOneValueOfMany) {
  EXPECT_EQ(value("max /launches/*/exec/max"), 30);
  EXPECT_EQ(value("min /launches/*/exec/max"), 10);
  EXPECT_EQ(value("sum /launches/*/exec/max"), 40);
  EXPECT_EQ(value("mean /launches/*/exec/max"), 20.0);
  EXPECT_EQ(value("count /launches/*/id"), 2u);
}

TEST(Selector, SaysWhatIsThereInstead) {
  EXPECT_THAT(problem("/sim_time"), HasSubstr("the result has no 'sim_time'; did you mean 'sim_time_ns'?"));
  EXPECT_THAT(problem("/launches/2/id"), HasSubstr("/launches (2 entries) has no '2'"));
  EXPECT_THAT(problem("/figures/critical/value"), HasSubstr("critical path"));
  EXPECT_THAT(problem("/launches/0/exec"), HasSubstr("is an object, not one value"));
  EXPECT_THAT(problem("max /figures/*/name"), HasSubstr("is not a number"));
}

TEST(Selector, KnowsFormulasFromPointers) {
  EXPECT_TRUE(Selector::is_selector("/a"));
  EXPECT_TRUE(Selector::is_selector("max /a/*"));
  EXPECT_FALSE(Selector::is_selector("flops / time"));
  EXPECT_FALSE(Selector::is_selector("a /b"));
}

}  // namespace
}  // namespace kb::sweep
