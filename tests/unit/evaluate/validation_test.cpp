// Bands of the validation: what is outside one is reported with figure, value and band; data files that come along.
#include <gmock/gmock.h>

#include "platform/base/error.h"
#include "sim/evaluate/validation/outside_figures.h"
#include "sim/evaluate/validation/section.h"
#include "sim/evaluate/validation/traffic.h"
#include "sim/evaluate/validation/validation_evaluation.h"

namespace kb::evaluate {
namespace {

using testing::HasSubstr;

Json data_with(double value) {
  const Measured one{
      "mesh", "mesh4x4 uniform 256 B", "load", 0.95, "accepted", value, "flits/ns/node", "BookSim2", 0.74, 0.65, 1.0};
  return {{"measured", {measured_json(one)}}};
}

TEST(Bands, BothEndsAreInside) {
  for (const double value : {0.65, 0.8, 1.0}) EXPECT_TRUE(check_bands(data_with(value)).empty()) << value;
}

TEST(Bands, AViolationNamesFigureValueAndBand) {
  for (const double value : {0.649, 1.001}) {
    const std::vector<Violation> violations = check_bands(data_with(value));
    ASSERT_EQ(violations.size(), 1u);
    EXPECT_EQ(violations[0].rule, "band");
    EXPECT_EQ(violations[0].text, "mesh4x4 uniform 256 B, load 0.95, accepted: " + std::to_string(value).substr(0, 5) +
                                      " flits/ns/node is outside 0.65 .. 1");
  }
}

TEST(Bands, TheTableQuotesWhatHasCommas) {
  Json data = data_with(0.7);
  data["measured"][0]["source"] = "a, \"b\"";
  EXPECT_THAT(measured_csv(data), HasSubstr(",flits/ns/node,\"a, \"\"b\"\"\",0.74,0.65,1.0\n"));
}

TEST(OutsideFigures, OursAreComparedInTheirBand) {
  const std::vector<OutsideFigure> figures = parse_outside_figures(
      "# a comment\nsource,scenario,parameter,parameter_value,figure,value,unit,lowest,highest\n"
      "X 1.0,case,bytes,256,latency,50,ns,0.9,1.2\nX 1.0,case,bytes,1,latency,7,ns,,\n");
  ASSERT_EQ(figures.size(), 1u);  // what has no band is not compared
  const Measured measured = beside(figures[0], "memory", 61);
  EXPECT_DOUBLE_EQ(measured.low, 45);
  EXPECT_DOUBLE_EQ(measured.high, 60);
  EXPECT_EQ(check_bands({{"measured", {measured_json(measured)}}}).size(), 1u);
}

TEST(OutsideFigures, ADamagedTableIsADefect) {
  const std::string header = "source,scenario,parameter,parameter_value,figure,value,unit,lowest,highest\n";
  EXPECT_THROW(parse_outside_figures("source,scenario\n"), Error);
  EXPECT_THROW(parse_outside_figures(header + "X,case,bytes,256\n"), Error);
  EXPECT_THROW(parse_outside_figures(header + "X,case,bytes,256,latency,fast,ns,1,1\n"), Error);
}

// The bar of the mesh is in the table: 256 B packets saturate at 0.65 flits/ns/node or more.
TEST(OutsideFigures, TheMeshHasToAccept065) {
  int found = 0;
  for (const OutsideFigure& figure : outside_figures("mesh4x4")) {
    if (figure.quantity != "accepted") continue;
    ++found;
    EXPECT_GE(figure.value * figure.lowest, 0.65) << figure.scenario;
  }
  EXPECT_EQ(found, 2);
}

TEST(Sections, DrawsAreTheSameEverywhere) {
  Draws draws(1);  // of std::mt19937_64
  EXPECT_EQ(draws.below(1000000), 2469588189546311528u % 1000000);
  const auto one = monotony_section(9)->points({}), other = monotony_section(9)->points({});
  ASSERT_EQ(one.size(), 12u);  // three runs, three faster machines each
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].trace, other[i].trace);
    EXPECT_EQ(one[i].machine_sets, other[i].machine_sets);
    EXPECT_EQ(one[i].machine_sets.empty(), i % 4 == 0);
  }
}

TEST(Sections, AnUnknownOneIsAUsageError) {
  EvaluationOptions options;
  options.sections = "mesh,memroy";
  try {
    validation_evaluation(options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "USAGE_ERROR");
    EXPECT_THAT(error.what(), HasSubstr("memory"));
  }
}

}  // namespace
}  // namespace kb::evaluate
