// Sums of a resource by place.
#include "platform/account/resource_account.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

namespace kb::account {
namespace {

TEST(PlaceTable, NumbersPlacesInTheOrderOfTheirFirstUse) {
  PlaceTable places;
  EXPECT_EQ(places[PlaceId{}].launch, 0u) << "nobody's";
  const PlaceId seventh = places.intern(Place::of_launch(7)), third = places.intern(Place::of_launch(3));
  EXPECT_EQ(seventh.value, 1u);
  EXPECT_EQ(third.value, 2u);
  EXPECT_EQ(places.intern(Place::of_launch(7)), seventh);
  EXPECT_EQ(places[third].launch, 3u);
  EXPECT_EQ(places.size(), 3u);
}

Place line_of(PlaceTable& places, std::uint64_t launch, std::uint32_t line, RangeId range = {}) {
  Place place = Place::of_launch(launch);
  place.file = places.name("gemm.cpp");
  place.line = line;
  place.call = places.name("load");
  place.range = range;
  return place;
}

TEST(PlaceTable, LaunchesShareTheirSites) {
  PlaceTable places;
  const PlaceId first = places.intern(line_of(places, 1, 41)), second = places.intern(line_of(places, 2, 41));
  const PlaceId other = places.intern(line_of(places, 2, 42));
  EXPECT_NE(first, second);
  EXPECT_EQ(places.site(first).value, places.site(second).value);
  EXPECT_NE(places.site(second).value, places.site(other).value);
  EXPECT_EQ(places.site(places.intern(Place::of_launch(1))).value, 0u) << "a launch is no site";
  EXPECT_EQ(places.sites(), 3u);
  EXPECT_EQ(places[places.site(first)].launch, 0u);
}

TEST(PlaceTable, RangesNest) {
  PlaceTable places;
  const RangeId layer = places.range({}, "layer 3"), gather = places.range(layer, "gather h");
  EXPECT_EQ(places.range(layer, "gather h"), gather);
  EXPECT_FALSE(places.range({}, "gather h") == gather);
  EXPECT_EQ(places.path(gather), "layer 3 / gather h");
  EXPECT_EQ(places.path({}), "");
  EXPECT_NE(places.intern(line_of(places, 1, 41, layer)), places.intern(line_of(places, 1, 41, gather)));
}

TEST(PlaceTable, LinesOfLaterLaunchesBecomeTheirLaunch) {
  PlaceTable places;
  const PlaceId known = places.intern(line_of(places, 1, 41));
  places.close();
  EXPECT_EQ(places.intern(line_of(places, 1, 41)), known);
  EXPECT_FALSE(places.lacks_lines());
  EXPECT_EQ(places.intern(line_of(places, 2, 41)), places.intern(Place::of_launch(2)));
  EXPECT_TRUE(places.lacks_lines());
}

TEST(PlaceTable, HasALimit) {
  PlaceTable places;
  for (std::uint32_t line = 1; line <= PlaceTable::kMaxPlaces; ++line) places.intern(line_of(places, 1, line));
  EXPECT_TRUE(places.lacks_lines());
  EXPECT_LE(places.size(), PlaceTable::kMaxPlaces + 1);
}

TEST(ResourceAccount, HasNoRowWithoutAUse) {
  ResourceAccount account;
  account.finish();
  EXPECT_TRUE(account.rows().empty());
}

TEST(ResourceAccount, SumsSaturate) {
  ResourceAccount account;
  account.add(PlaceId{1}, {kTimeEnd, kTimeEnd, 1, 1});
  account.add(PlaceId{2}, {1_ns, 0_fs, 1, 1});
  for (int i = 0; i < 2; ++i) account.add(PlaceId{1}, {kTimeEnd, kTimeEnd, 1, 1});
  account.finish();
  ASSERT_EQ(account.rows().size(), 2u);
  EXPECT_EQ(account.rows()[0].sums.busy, kNever);
  EXPECT_EQ(account.rows()[0].sums.wait, kNever);
  EXPECT_EQ(account.rows()[0].sums.count, 3u);
}

RC_GTEST_PROP(ResourceAccount, HasTheSumOfThePartsOfEachPlace, ()) {
  ResourceAccount account;
  std::map<std::uint32_t, Sums> expected;
  for (int uses = *rc::gen::inRange(0, 60); uses > 0; --uses) {
    const auto number = [] { return *rc::gen::inRange<std::uint64_t>(0, 1000); };
    const PlaceId place{*rc::gen::inRange<std::uint32_t>(0, 6)};
    const Sums part{TimeFs(static_cast<std::int64_t>(number())), TimeFs(static_cast<std::int64_t>(number())), number(),
                    1 + number()};
    for (int again = *rc::gen::inRange(1, 4); again > 0; --again) {
      account.add(place, part);
      Sums& sums = expected[place.value];
      sums = {sums.busy + part.busy, sums.wait + part.wait, sums.bytes + part.bytes, sums.count + part.count};
    }
  }
  account.finish();
  RC_ASSERT(account.rows().size() == expected.size());
  auto wanted = expected.begin();
  for (const ResourceAccount::Row& row : account.rows()) {
    const auto& [place, sums] = *wanted++;
    RC_ASSERT(row.place.value == place);
    RC_ASSERT(row.sums.busy == sums.busy);
    RC_ASSERT(row.sums.wait == sums.wait);
    RC_ASSERT(row.sums.bytes == sums.bytes);
    RC_ASSERT(row.sums.count == sums.count);
  }
}

}  // namespace
}  // namespace kb::account
