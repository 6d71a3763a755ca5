#include "sw/workloads/params.h"

#include <gmock/gmock.h>

#include "tests/unit/sw/expect_error.h"

namespace kb::sw {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

const std::vector<Parameter> kDeclared{
    Parameter::integer("m", 512, "rows", 1, "elements"),
    Parameter::real("scale", 0.5, "a factor"),
    Parameter::text("title", "plain", "a text"),
    Parameter::choice("dtype", "f16", {"f16", "f32"}, "element type"),
};

Environment environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

TEST(Params, DefaultsAndTypes) {
  const Params p = resolve_params("my-workload", kDeclared, {}, environment({}));
  EXPECT_EQ(p.integer("m"), 512);
  EXPECT_EQ(p.real("scale"), 0.5);
  EXPECT_EQ(p.text("title"), "plain");
  EXPECT_EQ(p.text("dtype"), "f16");
  EXPECT_EQ(p.dtype("dtype"), Dtype::f16);
  for (const ParameterValue& v : p.values()) EXPECT_EQ(v.origin, "default");
  EXPECT_EQ(p.values()[0].declared.unit, "elements");
}

TEST(Params, CommandLineBeatsEnvironmentBeatsDefault) {  // H-74
  const Params p =
      resolve_params("gemm-single-pe", kDeclared, {{"m", "8"}, {"m", "16"}},
                     environment({{"GEMM_SINGLE_PE_M", "32"}, {"GEMM_SINGLE_PE_SCALE", "2"}, {"M", "64"}}));
  EXPECT_EQ(p.integer("m"), 16);
  EXPECT_EQ(p.values()[0].origin, "command line");
  EXPECT_EQ(p.real("scale"), 2.0);
  EXPECT_EQ(p.values()[1].origin, "environment GEMM_SINGLE_PE_SCALE");
}

TEST(Params, EveryProblemIsReportedAtOnce) {
  try {
    resolve_params("b", kDeclared, {{"scael", "1"}, {"m", "0"}, {"dtype", "f64"}}, environment({{"B_SCALE", "wide"}}));
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    ASSERT_EQ(error.diagnostics().size(), 4u);
    EXPECT_EQ(error.diagnostics()[0].text(), "--set scael: workload 'b' has no such parameter (did you mean 'scale'?)");
    EXPECT_EQ(error.diagnostics()[1].text(), "--set m: must be at least 1, not 0 (rows)");
    EXPECT_EQ(error.diagnostics()[2].text(), "environment variable B_SCALE: 'wide' is not a number (write e.g. 0.5)");
    EXPECT_THAT(error.diagnostics()[3].text(), HasSubstr("--set dtype: 'f64' is not one of f16, f32"));
  }
}

TEST(Params, NumbersAreReadWhole) {
  for (const char* wrong : {"", "1.5", "1e-3", "0x10", "12x", " 1", "99999999999999999999x"}) {
    EXPECT_THAT(error_of(
                    [&] {
                      resolve_params("b", kDeclared, {{"m", wrong}}, environment({}));
                    },
                    "CONFIGURATION_ERROR"),
                HasSubstr("is not a whole number"));
  }
  for (const char* wrong : {"", "nan", "inf", "1,5"}) {
    EXPECT_THAT(error_of(
                    [&] {
                      resolve_params("b", kDeclared, {{"scale", wrong}}, environment({}));
                    },
                    "CONFIGURATION_ERROR"),
                HasSubstr("is not a number"));
  }
}

TEST(Params, WholeNumbersAreDecimalAndShownSo) {
  const std::pair<const char*, const char*> cases[] = {{"1e4", "10000"}, {"010", "10"}, {"2.5e3", "2500"}};
  for (const auto& [text, shown] : cases) {
    const Params p = resolve_params("b", kDeclared, {{"m", text}}, environment({}));
    EXPECT_EQ(std::to_string(p.integer("m")), shown);
    EXPECT_EQ(p.values()[0].value, shown);
  }
}

TEST(Params, ReadingWhatWasNotDeclaredIsAMistakeOfTheWorkload) {
  const Params p = resolve_params("b", kDeclared, {}, environment({}));
  EXPECT_THAT(error_of([&] { p.integer("n"); }, "SCHEMA_ERROR"), HasSubstr("known: m, scale"));
  error_of([&] { p.integer("scale"); }, "SCHEMA_ERROR");
}

TEST(Params, AMisspeltVariableOfTheWorkloadIsNamed) {  // H-74
  const std::vector<Diagnostic> warnings = unknown_variables(
      "my-workload", kDeclared,
      {"HOME", "MY_WORKLOADES", "MY_WORKLOAD_DTYPE", "MY_WORKLOAD_M", "MY_WORKLOAD_SCALLE", "my_workload_m"});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].text(),
            "environment variable MY_WORKLOAD_SCALLE: workload 'my-workload' has no such parameter, so it sets nothing "
            "(did you "
            "mean 'MY_WORKLOAD_SCALE'?)");
  EXPECT_EQ(unknown_variables("noop", {}, {"NOOP_X"}).size(), 1u);
  EXPECT_THAT(environment_variables(), ::testing::Contains("PATH"));
}

TEST(Params, EnvironmentNames) {
  EXPECT_EQ(environment_name("gemm-single-pe", "tile_m"), "GEMM_SINGLE_PE_TILE_M");
}

TEST(Params, IntegersHaveAnUpperBoundThatDeclarationsCanMove) {
  const std::vector<Parameter> declared{Parameter::integer("m", 1, "rows"),
                                        Parameter::integer("n", 1, "columns").at_most(1000),
                                        Parameter::integer("k", 1, "depth").at_most(INT64_C(1) << 50)};
  const auto resolved = [&](const std::string& name, const std::string& value) {
    return error_of([&] { resolve_params("b", declared, {{name, value}}, environment({})); }, "CONFIGURATION_ERROR");
  };
  EXPECT_EQ(resolve_params("b", declared, {{"m", "1099511627776"}}, environment({})).integer("m"), Parameter::kMax);
  EXPECT_EQ(resolved("m", "1099511627777"), "--set m: must be at most 1099511627776, not 1099511627777 (rows)");
  EXPECT_EQ(resolved("m", "9223372036854775807"),
            "--set m: must be at most 1099511627776, not 9223372036854775807 (rows)");
  EXPECT_EQ(resolved("m", "9223372036854775808"),
            "--set m: '9223372036854775808' does not fit 64 bits; give 1 to 1099511627776 (rows)");
  EXPECT_EQ(resolved("n", "1001"), "--set n: must be at most 1000, not 1001 (columns)");
  EXPECT_EQ(resolve_params("b", declared, {{"k", "2e12"}}, environment({})).integer("k"), 2'000'000'000'000);
}

}  // namespace
}  // namespace kb::sw
