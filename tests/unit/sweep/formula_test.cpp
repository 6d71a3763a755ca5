#include "sim/study/sweep/formula.h"

#include <gmock/gmock.h>

#include "platform/base/error.h"

namespace kb::sweep {
namespace {

TEST(Formula, ComputesFromItsVariables) {
  const Formula formula("2 * m * n / time", {"m", "n", "time", "unused"});
  std::vector<double> values;
  for (const std::string& name : formula.variables()) values.push_back(name == "m" ? 3 : name == "n" ? 5 : 10);
  EXPECT_EQ(formula.evaluate(values), 3.0);
  EXPECT_EQ(Formula("max(1, 2) + (3 > 2 ? 10 : 20)", {}).evaluate({}), 12.0);
}

TEST(Formula, HasNoValueWhereThereIsNone) {
  const Formula formula("1 / t", {"t"});
  EXPECT_EQ(formula.evaluate({0.0}), std::nullopt);
  EXPECT_EQ(formula.evaluate({4.0}), 0.25);
}

TEST(Formula, NamesWhatItDoesNotKnow) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      const Formula formula(text, {"time_ns"});
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(message("time_s * 2"),
              testing::HasSubstr("'time_s' is neither an axis nor a column above this one; did you mean"));
  EXPECT_THAT(message("time_ns *"), testing::HasSubstr("the formula cannot be read"));
}

}  // namespace
}  // namespace kb::sweep
