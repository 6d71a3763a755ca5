// A declared resource sums what it is told, records it by unit, and refuses what cannot be.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <map>
#include <tuple>

#include "platform/base/error.h"
#include "platform/resource/resource_table.h"

namespace kb::resource {
namespace {

using testing::HasSubstr;

constexpr account::PlaceId kFirst{1}, kSecond{2};

Declaration bank(std::uint32_t units) {
  return {"bank",
          Role::memory,
          units,
          "A row is open.",
          {{"row", CauseClass::conflict, "another row was open"}, {"busy", CauseClass::order, "it was in use"}}};
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(ResourceTest, SumsUsesWaitsAndBytes) {
  Resource resource(bank(2), "block");
  resource.use(0, 10_ns, 30_ns, kFirst, 64, {{0, 5_ns}, {1, 2_ns}});
  resource.use(1, 5_ns, 6_ns, kSecond, 32, {{1, 4_ns}});
  resource.use(0, 30_ns, 30_ns, kFirst, 0);
  EXPECT_EQ(resource.sums().uses, 3u);
  EXPECT_EQ(resource.sums().bytes, 96u);
  EXPECT_EQ(resource.sums().busy, 21_ns);
  EXPECT_EQ(resource.sums().waits, (std::vector<TimeFs>{5_ns, 6_ns}));
  EXPECT_EQ(resource.sums().wait(), 11_ns);
  EXPECT_EQ(resource.units()[0].busy, 20_ns);
  EXPECT_EQ(resource.units()[0].wait, 7_ns);
  EXPECT_EQ(resource.units()[1].busy, 1_ns);
}

TEST(ResourceTest, PartsShareAUse) {
  Resource resource(bank(1), "block");
  resource.use(0, 10_ns, 30_ns, {{kFirst, 64, 12_ns, {{0, 1_ns}}}, {kSecond, 32, 8_ns, {}}});
  EXPECT_EQ(resource.sums().uses, 2u);
  EXPECT_EQ(resource.sums().bytes, 96u);
  EXPECT_EQ(resource.sums().busy, 20_ns);
}

TEST(ResourceTest, RefusesWhatCannotBe) {
  Resource resource(bank(2), "sip0.cube0.hbm_ctrl.pe3");
  resource.use(1, 10_ns, 30_ns, kFirst, 64);
  const auto refused = [&](auto&&... what) { return message_of([&] { resource.use(what...); }); };
  using Waits = std::initializer_list<Part::Wait>;
  EXPECT_EQ(refused(2u, 40_ns, 50_ns, kFirst, std::uint64_t{1}),
            "sip0.cube0.hbm_ctrl.pe3: its resource 'bank' tells a use of unit 2, but declares units 0 to 1");
  EXPECT_THAT(refused(1u, 50_ns, 40_ns, kFirst, std::uint64_t{1}),
              HasSubstr("ends at 40 ns, before it begins at 50 ns"));
  EXPECT_THAT(refused(1u, 50_ns, 1_fs, kFirst, std::uint64_t{1}),
              HasSubstr("ends at 0.000001 ns, before it begins at 50 ns"));
  EXPECT_THAT(refused(1u, 29_ns, 40_ns, kFirst, std::uint64_t{1}),
              HasSubstr("tell each use once, in the order of time"));
  EXPECT_THAT(refused(1u, 40_ns, 50_ns, kFirst, std::uint64_t{1}, Waits{{2, 1_ns}}),
              HasSubstr("tells a wait for cause 2, but declares 2 causes"));
  EXPECT_THAT(refused(1u, 40_ns, 50_ns, kFirst, std::uint64_t{1}, Waits{{0, -1_fs}}),
              HasSubstr("tells a negative wait for 'row'"));
  EXPECT_THAT(message_of([&] {
                resource.use(1, 40_ns, 50_ns, {{kFirst, 1, 6_ns, {}}, {kFirst, 1, 5_ns, {}}});
              }),
              HasSubstr("tells 11 ns of service in a use of 10 ns"));
  EXPECT_THAT(message_of([&] {
                resource.use(1, 40_ns, 50_ns, {{kFirst, 1, -1_fs, {}}});
              }),
              HasSubstr("tells a negative service time"));
  EXPECT_THAT(refused(1u, 10_ns, 30_ns, kFirst, std::uint64_t{64}),  // told twice
              HasSubstr("a use of unit 1 from 10 ns on, but one until 30 ns was told before"));
  EXPECT_EQ(resource.sums().uses, 1u) << "what was refused left nothing behind";
}

TEST(ResourceTest, DeclarationsAreChecked) {
  ResourceTable table({}, {});
  const auto refused = [&](Declaration declaration) {
    return message_of([&] { table.declare({NodeId(1), "block", 0, true}, std::move(declaration)); });
  };
  table.declare({NodeId(1), "block", 0, true}, bank(1));
  EXPECT_THAT(refused(bank(1)), HasSubstr("block: declares the resource 'bank' twice"));
  EXPECT_THAT(refused({"Bank", Role::memory, 1, "", {}}),
              HasSubstr("write lower-case letters, digits and underscores"));
  EXPECT_THAT(refused({"a", Role::memory, 0, "", {}}), HasSubstr("has no units"));
  for (const auto& [role, name] : {std::pair(Role::wire, "wire"), {Role::tcm, "tcm"}, {Role::state, "state"}}) {
    EXPECT_THAT(refused({"a", role, 1, "", {}}), HasSubstr(std::string("has the role '") + name + "', which only"));
  }
  EXPECT_THAT(refused({"a", Role::memory, 1, "", {{"x", {}, ""}, {"x", {}, ""}}}), HasSubstr("the cause 'x' twice"));
  EXPECT_THAT(refused({"a", Role::memory, 1, "", {{"X", {}, ""}}}), HasSubstr("has a cause 'X'; write lower-case"));
  EXPECT_EQ(table.of(NodeId(1)).size(), 1u);
  EXPECT_TRUE(table.of(NodeId(2)).empty());
}

// Uses of several units that are told in any order of units, ahead of time or late: each unit's series has the same
// sums by epoch as the uses that lie in it.
RC_GTEST_PROP(ResourceTable, SeriesHaveTheUsesOfTheirUnit, ()) {
  const auto units = *rc::gen::inRange<std::uint32_t>(1, 4);
  record::ActivityRecorder recorder(units);
  TimeFs now = 0_fs;
  ResourceTable table({&recorder}, [&] { return now; });
  Resource& resource = table.declare({NodeId(0), "block"}, bank(units));
  std::vector<TimeFs> ends(units);
  std::vector<std::map<std::uint64_t, std::pair<TimeFs, TimeFs>>> expected(units);  // by launch: busy, wait
  std::vector<std::map<std::uint32_t, account::Sums>> by_place(units);
  TimeFs last = 0_fs;
  std::uint64_t launch = 0;
  const auto steps = *rc::gen::inRange(1, 300);
  for (int step = 0; step < steps; ++step) {
    // Launches end only when everything told so far is over, so that each use lies in one epoch.
    if (*rc::gen::inRange(0, 20) == 0) {
      now = std::max(now, last);
      if (launch > 0) recorder.launch_ended(0, launch, now);
      recorder.launch_began(0, ++launch, now);
    }
    now += TimeFs(*rc::gen::inRange(0, 5'000'000));
    const auto unit = *rc::gen::inRange<std::uint32_t>(0, units);
    const TimeFs begin = std::max(now, ends[unit]) + TimeFs(*rc::gen::inRange(0, 3'000'000));
    const TimeFs end = begin + TimeFs(*rc::gen::inRange(0, 9'000'000));
    const TimeFs wait(*rc::gen::inRange(0, 1000));
    const account::PlaceId place{*rc::gen::inRange<std::uint32_t>(0, 3)};
    resource.use(unit, begin, end, place, 64, {{0, wait}});
    account::Sums& sums = by_place[unit][place.value];
    sums.add({end - begin, wait, 64, 1});
    ends[unit] = end;
    last = std::max(last, end);
    if (end == begin) continue;  // no series has an empty use
    expected[unit][launch].first += end - begin;
    expected[unit][launch].second += wait;
  }
  table.conclude();
  recorder.finish(last + 1_ns);
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    std::map<std::uint64_t, std::pair<TimeFs, TimeFs>> found;
    for (std::size_t epoch = 0; epoch < recorder.epochs().size(); ++epoch) {
      for (const record::Activity& activity : recorder.activities_of(epoch)) {
        if (activity.series != unit) continue;
        auto& sum = found[recorder.epochs()[epoch].launch.value_or(0)];
        sum.first += activity.sum.busy;
        sum.second += activity.sum.wait;
      }
    }
    RC_ASSERT(found == expected[unit]);
    RC_ASSERT(recorder.uses_of(unit).size() == by_place[unit].size());
    for (const account::ResourceAccount::Row& row : recorder.uses_of(unit)) {
      const account::Sums& sums = by_place[unit][row.place.value];
      RC_ASSERT(row.sums.busy == sums.busy && row.sums.wait == sums.wait);
      RC_ASSERT(row.sums.bytes == sums.bytes && row.sums.count == sums.count);
    }
  }
}

}  // namespace
}  // namespace kb::resource
