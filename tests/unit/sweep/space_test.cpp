#include "sim/study/sweep/space.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "platform/base/error.h"

namespace kb::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Axis axis(const std::string& name, std::size_t count) {
  AxisColumn column;
  column.name = column.key = name;
  for (std::size_t i = 0; i < count; ++i) column.values.push_back(std::to_string(i));
  Axis axis;
  axis.name = name;
  axis.columns = {column};
  return axis;
}

SweepSpec spec_of(std::vector<Axis> axes) {
  SweepSpec spec;
  spec.file = "my.yaml";
  spec.axes = std::move(axes);
  return spec;
}

TEST(Space, TheLastAxisAdvancesFirst) {
  const SweepSpec spec = spec_of({axis("a", 2), axis("b", 3)});
  const Space space(spec);
  ASSERT_EQ(space.size(), 6u);
  EXPECT_THAT(space.steps(0), ElementsAre(0u, 0u));
  EXPECT_THAT(space.steps(1), ElementsAre(0u, 1u));
  EXPECT_THAT(space.steps(5), ElementsAre(1u, 2u));
  EXPECT_EQ(space.assignments(4)[1].value, "1");
}

TEST(Space, TooManyPointsAreRefusedWithTheirCount) {
  SweepSpec spec = spec_of({axis("a", 1000), axis("b", 1000), axis("c", 1000)});
  try {
    const Space space(spec);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("1000000000 points (1000 a x 1000 b x 1000 c)"));
    EXPECT_THAT(error.what(), HasSubstr("limit of 100000"));
  }
  EXPECT_EQ(Space(spec_of({axis("a", 200), axis("b", 1000)}), 300'000).size(), 200'000u);
}

TEST(Space, CountsBeyondEveryIntegerAreRefused) {
  std::vector<Axis> axes;
  for (int i = 0; i < 20; ++i) axes.push_back(axis("a" + std::to_string(i), 1000));
  SweepSpec spec = spec_of(axes);
  EXPECT_THROW(Space{spec}, Error);
  spec.sample = Sample{10, 1};
  EXPECT_EQ(Space(spec).size(), 10u);
}

TEST(Space, ASampleIsADeterministicChoiceInOrder) {
  SweepSpec spec = spec_of({axis("a", 100), axis("b", 100)});
  spec.sample = Sample{500, 7};
  const auto numbers = [&spec] {
    const Space space(spec);
    std::vector<std::size_t> list;
    for (std::uint64_t i = 0; i < space.size(); ++i) list.push_back(space.steps(i)[0] * 100 + space.steps(i)[1]);
    return list;
  };
  const std::vector<std::size_t> first = numbers();
  EXPECT_EQ(first.size(), 500u);
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  EXPECT_EQ(std::set<std::size_t>(first.begin(), first.end()).size(), 500u);
  EXPECT_EQ(numbers(), first);
  // Every part of the space has its share: 500 of 10000 numbers around 5000.
  const double mean = static_cast<double>(std::accumulate(first.begin(), first.end(), std::size_t{0})) / 500.0;
  EXPECT_NEAR(mean, 5000.0, 500.0);
  spec.sample->seed = 8;
  EXPECT_NE(numbers(), first);
}

TEST(Space, ASampleOfEverythingIsEverything) {
  SweepSpec spec = spec_of({axis("a", 3)});
  spec.sample = Sample{10, 1};
  EXPECT_EQ(Space(spec).size(), 3u);
}

}  // namespace
}  // namespace kb::sweep
