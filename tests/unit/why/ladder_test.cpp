// The ladder on machines whose times are known: a time is computed from the reliefs that a point has. H-82r.
#include "sim/study/why/ladder.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

namespace kb::why {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Time = std::function<std::int64_t(const std::set<std::string>& relieved)>;

class Machine final : public IMeasurer {
 public:
  explicit Machine(Time time) : time_(std::move(time)) {}
  std::vector<Measure> measure(const std::vector<Request>& requests) override {
    std::vector<Measure> measures;
    for (const Request& request : requests) {
      std::set<std::string> relieved;
      for (const Change& change : request.point.changes) relieved.insert(change.what);
      if (!request.point.pinned) relieved.insert("unpinned");
      const std::int64_t ns = time_(relieved);
      Measure measure;
      measure.ok = ns > 0;
      measure.time = TimeFs(ns * 1'000'000);
      measure.limiter = request.account ? "accounted" : "";
      measure.unknown_accesses = relieved.empty() ? 3 : 5;
      if (cut_at > 0 && asked.size() >= cut_at) {
        measure.ok = false;
        measure.code = kOutOfBudget;
      }
      measures.push_back(measure);
      ++asked[relieved];
    }
    return measures;
  }
  std::map<std::set<std::string>, int> asked;
  std::size_t cut_at = 0;  // points that are run; 0: all

 private:
  Time time_;
};

Relief relief(const std::string& name, Scope scope = Scope::kind) {
  return {name, name, scope, 0_fs, {{Change::Where::key, name, "", "0"}}};
}

Ladder climb_on(Machine& machine, const std::vector<Relief>& reliefs, std::size_t steps = 5,
                const std::vector<Remedy>& remedies = {}) {
  const Measure base = machine.measure({{Point{}, true}}).front();
  LadderOptions options;
  options.steps = steps;
  return climb(
      machine, base, [&](const auto&) { return reliefs; }, remedies, options);
}

std::vector<std::string> ids(const Ladder& ladder) {
  std::vector<std::string> list;
  for (const Step& step : ladder.steps) list.push_back(step.id);
  return list;
}

// Times that add up: each relief saves its own.
Time sums(std::int64_t all, const std::map<std::string, std::int64_t>& saves) {
  return [=](const std::set<std::string>& relieved) {
    std::int64_t time = all;
    for (const std::string& one : relieved) time -= saves.count(one) != 0 ? saves.at(one) : 0;
    return time;
  };
}

TEST(Ladder, TheWorstComesFirst) {
  Machine machine(sums(1000, {{"a", 100}, {"b", 400}, {"c", 4}}));
  const Ladder ladder = climb_on(machine, {relief("a"), relief("b"), relief("c")});
  EXPECT_THAT(ids(ladder), ElementsAre("b", "a"));
  EXPECT_EQ(ladder.steps[0].before, 1000_ns);
  EXPECT_EQ(ladder.steps[0].time, 600_ns);
  EXPECT_EQ(ladder.steps[1].before, 600_ns);
  EXPECT_EQ(ladder.steps[1].time, 500_ns);
  EXPECT_EQ(ladder.steps[1].limiter, "accounted");
  EXPECT_FALSE(ladder.cut);
  ASSERT_EQ(ladder.others.size(), 1u) << "c gains less than 1 %";
  EXPECT_EQ(ladder.others[0].text, "a");
}

// b is hidden behind a until a is relieved.
TEST(Ladder, WhatRestedIsAskedAgain) {
  Machine machine([](const std::set<std::string>& relieved) {
    return relieved.count("a") == 0 ? 1000 : relieved.count("b") == 0 ? 800 : 300;
  });
  const Ladder ladder = climb_on(machine, {relief("a"), relief("b")});
  EXPECT_THAT(ids(ladder), ElementsAre("a", "b"));
  EXPECT_EQ(ladder.steps[1].time, 300_ns);
}

TEST(Ladder, TwoThatHideEachOtherAreAPair) {
  Machine machine([](const std::set<std::string>& relieved) {
    return relieved.count("a") != 0 && relieved.count("b") != 0 ? 500 : 1000;
  });
  EXPECT_THAT(ids(climb_on(machine, {relief("a"), relief("c"), relief("b")})), ElementsAre("a + b"));
}

TEST(Ladder, OneWireTellsMoreThanItsKind) {
  Machine machine(sums(1000, {{"kind", 400}, {"wire", 390}}));
  EXPECT_EQ(ids(climb_on(machine, {relief("kind"), relief("wire", Scope::member)})).front(), "wire");
  Machine other(sums(1000, {{"kind", 400}, {"wire", 300}}));
  EXPECT_EQ(ids(climb_on(other, {relief("kind"), relief("wire", Scope::member)})).front(), "kind");
}

TEST(Ladder, AnOddityComesFirst) {
  Machine machine(sums(1000, {{"kind", 400}, {"odd", 250}}));
  EXPECT_EQ(ids(climb_on(machine, {relief("kind"), relief("odd", Scope::odd_one)})).front(), "odd");
  Machine other(sums(1000, {{"kind", 400}, {"odd", 150}}));
  EXPECT_EQ(ids(climb_on(other, {relief("kind"), relief("odd", Scope::odd_one)})).front(), "kind");
}

TEST(Ladder, AChangeOfTheKernelComesBeforeTheMachine) {
  const std::vector<Relief> reliefs{relief("kind"), relief("code", Scope::code)};
  Machine machine(sums(1000, {{"kind", 400}, {"code", 250}}));
  EXPECT_EQ(ids(climb_on(machine, reliefs)).front(), "code");
  Machine other(sums(1000, {{"kind", 400}, {"code", 150}}));
  EXPECT_EQ(ids(climb_on(other, reliefs)).front(), "kind");
}

TEST(Ladder, OneCallTellsMoreThanAll) {
  const std::vector<Relief> reliefs{relief("codes", Scope::codes), relief("code", Scope::code)};
  Machine machine(sums(1000, {{"codes", 400}, {"code", 330}}));
  EXPECT_EQ(ids(climb_on(machine, reliefs)).front(), "code");
  Machine other(sums(1000, {{"codes", 400}, {"code", 300}}));
  EXPECT_EQ(ids(climb_on(other, reliefs)).front(), "codes");
}

TEST(Ladder, AllWiresAreTakenOnlyWhenNoKindExplainsThem) {
  Machine machine(sums(1000, {{"kind", 200}, {"all", 500}}));
  EXPECT_EQ(ids(climb_on(machine, {relief("all", Scope::machine), relief("kind")})).front(), "kind");
  Machine other(sums(1000, {{"kind", 100}, {"all", 500}}));
  EXPECT_EQ(ids(climb_on(other, {relief("all", Scope::machine), relief("kind")})).front(), "all");
}

TEST(Ladder, ItIsCutAfterSoManySteps) {
  Machine machine(sums(1000, {{"a", 400}, {"b", 200}, {"c", 100}}));
  const Ladder ladder = climb_on(machine, {relief("a"), relief("b"), relief("c")}, 2);
  EXPECT_THAT(ids(ladder), ElementsAre("a", "b"));
  EXPECT_TRUE(ladder.cut);
}

// What is known stays; remedies come last and are not tried.
TEST(Ladder, ASpentBudgetEndsIt) {
  Machine machine(sums(1000, {{"a", 400}, {"b", 200}, {"c", 100}}));
  machine.cut_at = 5;
  const Ladder ladder = climb_on(machine, {relief("a"), relief("b"), relief("c")});
  EXPECT_THAT(ids(ladder), ElementsAre("a"));
  EXPECT_TRUE(ladder.cut && ladder.out_of_budget);
  EXPECT_THAT(ladder.remedies, IsEmpty());
  EXPECT_EQ(ladder.unknown_accesses, 3u) << "of the run as it is";
}

TEST(Ladder, AReliefThatMakesNoMachineIsCounted) {
  Machine machine([](const std::set<std::string>& relieved) {
    return relieved.count("broken") != 0 ? 0 : relieved.count("a") != 0 ? 500 : 1000;
  });
  const Ladder ladder = climb_on(machine, {relief("broken"), relief("a")});
  EXPECT_THAT(ids(ladder), ElementsAre("a"));
  EXPECT_GT(ladder.failed, 0u);
}

TEST(Ladder, ATimeThatDiffersWithoutPinsIsShown) {
  Machine machine(sums(1000, {{"a", 400}, {"b", 100}, {"unpinned", 100}}));
  const Ladder ladder = climb_on(machine, {relief("a")});
  ASSERT_EQ(ladder.steps.size(), 1u);
  EXPECT_EQ(ladder.steps[0].chosen_again, 500_ns);
  Machine same(sums(1000, {{"a", 400}, {"unpinned", 5}}));
  EXPECT_FALSE(climb_on(same, {relief("a")}).steps[0].chosen_again);
}

TEST(Ladder, RemediesAreMeasuredOnTheRunAsItIs) {
  Machine machine(sums(1000, {{"a", 400}, {"tile", 300}, {"other", 2}}));
  const auto remedy = [](const std::string& name) {
    return Remedy{name, {{{Change::Where::parameter, name, "", "1"}}, false}};
  };
  const Ladder ladder = climb_on(machine, {relief("a")}, 5, {remedy("other"), remedy("tile")});
  ASSERT_EQ(ladder.remedies.size(), 1u);
  EXPECT_EQ(ladder.remedies[0].text, "tile");
  EXPECT_EQ(ladder.remedies[0].time, 700_ns);
}

TEST(Ladder, AParameterHasItsBestValue) {
  Machine machine([](const std::set<std::string>& relieved) { return relieved.count("tile") != 0 ? 700 : 1000; });
  const auto remedy = [](const std::string& text) {
    return Remedy{text, {{{Change::Where::parameter, "tile", "", text}}, false}};
  };
  EXPECT_EQ(climb_on(machine, {relief("a")}, 5, {remedy("64"), remedy("256")}).remedies.size(), 1u);
}

TEST(Ladder, NothingGains) {
  Machine machine(sums(1000, {}));
  const Ladder ladder = climb_on(machine, {relief("a"), relief("b")});
  EXPECT_THAT(ids(ladder), IsEmpty());
  EXPECT_FALSE(ladder.cut);
  EXPECT_EQ(ladder.base, 1000_ns);
}

// Points run until the budget is spent.
class Budget final : public IMeasurer {
 public:
  Budget(IMeasurer& machine, std::size_t points) : machine_(machine), left_(points) {}
  std::vector<Measure> measure(const std::vector<Request>& requests) override {
    std::vector<Measure> measures = machine_.measure(requests);
    for (Measure& one : measures) {
      if (left_ == 0) one = {false, kOutOfBudget, "", 0_fs, {}, "", "", 0_fs, 0, {}, {}};
      if (left_ > 0) --left_;
    }
    return measures;
  }

 private:
  IMeasurer& machine_;
  std::size_t left_;
};

TEST(Ladder, ABudgetCutsIt) {
  Machine machine(sums(1000, {{"a", 100}, {"b", 400}}));
  const ReliefSource reliefs = [](const auto&) { return std::vector<Relief>{relief("a"), relief("b")}; };
  const Measure base = machine.measure({{Point{}, true}}).front();
  for (const std::size_t points : {0, 1, 2, 3, 4, 5}) {
    Budget budget(machine, points);
    const Ladder ladder = climb(budget, base, reliefs, {}, {});
    EXPECT_TRUE(ladder.cut);
    EXPECT_TRUE(ladder.out_of_budget);
    EXPECT_EQ(ladder.steps.size(), points < 3 ? 0u : points < 5 ? 1u : 2u) << points;
  }
}

}  // namespace
}  // namespace kb::why
