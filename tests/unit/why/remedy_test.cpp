// Neighbours of parameters that tune. H-82s.
#include "sim/study/why/remedy.h"

#include <gmock/gmock.h>

namespace kb::why {
namespace {

using sw::Parameter;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(const std::vector<Parameter>& declared, const sw::Assignments& given = {}) {
  const auto no_environment = [](const std::string&) { return std::optional<std::string>(); };
  const sw::Params params = sw::resolve_params("w", declared, given, no_environment);
  std::vector<std::string> list;
  for (const Remedy& remedy : remedies_of(params, {})) {
    EXPECT_FALSE(remedy.point.pinned);
    list.push_back(remedy.text);
  }
  return list;
}

TEST(Remedy, HalfAndDouble) {
  EXPECT_THAT(texts({Parameter::integer("tile", 64, "t").tuning()}), ElementsAre("tile 64 -> 32", "tile 64 -> 128"));
  EXPECT_THAT(texts({Parameter::integer("tile", 1, "t").tuning()}), ElementsAre("tile 1 -> 2"));
  EXPECT_THAT(texts({Parameter::integer("tile", 64, "t").at_most(100).tuning()}), ElementsAre("tile 64 -> 32"));
}

TEST(Remedy, OtherChoices) {
  EXPECT_THAT(texts({Parameter::choice("variant", "a", {"a", "b", "c"}, "v").tuning()}, {{"variant", "b"}}),
              ElementsAre("variant b -> a", "variant b -> c"));
}

TEST(Remedy, ValuesThatAreWorthATry) {
  EXPECT_THAT(texts({Parameter::text("n_slots", "", "n").tuning({"4", "8"})}),
              ElementsAre("n_slots as configured -> 4", "n_slots as configured -> 8"));
}

TEST(Remedy, SizesAreNoChoice) {
  EXPECT_THAT(texts({Parameter::integer("m", 64, "rows")}), IsEmpty());
}

TEST(Remedy, TheHashOfTheChannels) {
  const topology::LoadedTopology machine = topology::load(std::string(KB_SOURCE_DIR) + "/configs/one_pe.yaml");
  const std::vector<Remedy> remedies = remedies_of(sw::Params(), machine);
  ASSERT_EQ(remedies.size(), 1u);
  EXPECT_EQ(remedies[0].text, "channel_hash none -> xor");
}

}  // namespace
}  // namespace kb::why
