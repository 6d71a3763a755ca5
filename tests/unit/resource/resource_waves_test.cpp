// Signals and lines of the log that follow from a declaration.
#include "platform/resource/resource_waves.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "modules/kit/waves.h"
#include "platform/base/error.h"
#include "platform/resource/resource_table.h"

namespace kb::resource {
namespace {

using testing::ElementsAre;
using Change = test::Waves::Change;

constexpr account::PlaceId kOwner{1};

Declaration banks(std::uint32_t units, Told told = Told::late) {
  return {"bank",
          Role::memory,
          units,
          "A row is open.",
          {{"busy", CauseClass::order, "it was in use"}, {"row", CauseClass::conflict, "another row was open"}},
          told};
}

class Log final : public contract::IBlockLog {
 public:
  explicit Log(contract::LogLevel level) : level_(level) {}
  std::optional<contract::LogLevel> level_of(const std::string&) override { return level_; }
  void write(contract::LogLevel, TimeFs at, const std::string& block, const std::string& sentence) override {
    lines.push_back(format_ns(at) + " " + block + " " + sentence);
  }
  std::vector<std::string> lines;

 private:
  contract::LogLevel level_;
};

struct Machine {
  explicit Machine(const Declaration& declaration, contract::LogLevel level = contract::LogLevel::info)
      : log(level),
        table({nullptr, &waves, &log}, [this] { return now; }),
        resource(table.declare({NodeId(1), "block"}, declaration)) {}
  TimeFs now = 0_fs;
  test::Waves waves;
  Log log;
  ResourceTable table;
  Resource& resource;
};

TEST(ResourceWaves, ShowUsesAndWhatWaitsForThem) {
  Machine machine(banks(2));
  machine.resource.use(1, 10_ns, 30_ns, kOwner, 64);
  machine.resource.use(1, 30_ns, 50_ns, kOwner, 64, {{0, 15_ns}, {1, 4_ns, true}});  // waits 15 .. 30, row 30 .. 34
  machine.resource.use(1, 60_ns, 70_ns, kOwner, 64, {{0, 35_ns}});                   // waits 25 .. 60
  machine.table.conclude();
  EXPECT_THAT(machine.waves.shown("block.bank1.busy"),
              ElementsAre(Change(10_ns, 1), Change(50_ns, 0), Change(60_ns, 1), Change(70_ns, 0)));
  EXPECT_THAT(machine.waves.shown("block.bank1.queue"),
              ElementsAre(Change(15_ns, 1), Change(25_ns, 2), Change(34_ns, 1), Change(60_ns, 0)));
  // 1 is the first cause: that of the access which is served next.
  EXPECT_THAT(machine.waves.shown("block.bank1.cause"),
              ElementsAre(Change(15_ns, 1), Change(30_ns, 2), Change(34_ns, 1), Change(60_ns, 0)));
  EXPECT_TRUE(machine.waves.shown("block.bank0.busy").empty());
}

TEST(ResourceWaves, OneUnitHasNoNumberAndOneCauseNoSignal) {
  test::Waves waves;
  ResourceTable table({nullptr, &waves, nullptr}, [] { return 0_fs; });
  table.declare({NodeId(1), "block"}, {"bus", Role::memory, 1, "", {{"order", {}, ""}}})
      .use(0, 1_ns, 2_ns, kOwner, 64, {{0, 1_ns}});
  table.declare({NodeId(1), "block"}, {"free", Role::memory, 1, "", {}}).use(0, 1_ns, 2_ns, kOwner, 64);
  table.conclude();
  std::vector<std::string> signals;
  for (const auto& [name, changes] : waves.changes) signals.push_back(name);
  EXPECT_THAT(signals, ElementsAre("block.bus.busy", "block.bus.queue", "block.free.busy"));
}

TEST(ResourceWaves, WhatIsToldLateIsShownFromTheTimeThatIsNotFinal) {
  Machine machine(banks(1));
  machine.now = 50'000_ns;
  EXPECT_EQ(machine.waves.settle(machine.now), 40'000_ns);
  machine.resource.use(0, 10_ns, 20_ns, kOwner, 64);
  machine.resource.use(0, 45'000_ns, 46'000_ns, kOwner, 64, {{0, 30'000_ns}});
  machine.table.conclude();
  EXPECT_TRUE(machine.waves.belated.empty());
  EXPECT_THAT(machine.waves.shown("block.bank.busy"), ElementsAre(Change(45'000_ns, 1), Change(46'000_ns, 0)));
  EXPECT_THAT(machine.waves.shown("block.bank.queue"), ElementsAre(Change(40'000_ns, 1), Change(45'000_ns, 0)));
}

TEST(ResourceWaves, WhatIsToldAheadIsFinalAtOnce) {
  Machine machine(banks(1, Told::ahead));
  machine.now = 50'000_ns;
  machine.resource.use(0, 50'010_ns, 50'020_ns, kOwner, 64, {{0, 10_ns}});
  EXPECT_EQ(machine.waves.settle(machine.now), 50'000_ns);
  try {
    machine.resource.use(0, 50'030_ns, 50'040_ns, kOwner, 64, {{0, 31_ns}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "block: its resource 'bank' declares to tell uses ahead, but tells at 50000 ns one whose wait or use "
                 "began at 49999 ns: leave Told::ahead out");
  }
}

TEST(ResourceWaves, TheLogHasALineForEachUse) {
  Machine info(banks(2)), debug(banks(2), contract::LogLevel::debug);
  debug.now = 5_ns;
  for (Machine* const machine : {&info, &debug}) {
    machine->resource.use(1, 10_ns, 30_ns, kOwner, 64, {{0, 3_ns}, {1, 4_ns, true}});
    machine->resource.use(0, 10_ns, 12_ns, kOwner, 0);
  }
  EXPECT_TRUE(info.log.lines.empty());
  EXPECT_THAT(debug.log.lines,
              ElementsAre("5 block keeps bank1 busy from 10 to 30 ns for 64 B that waited 3 ns (busy) and 4 ns (row)",
                          "5 block keeps bank0 busy from 10 to 12 ns for an access"));
}

// Values at each time, from the list of uses.
RC_GTEST_PROP(ResourceWaves, EqualTheUsesAtEveryTime, ()) {
  Machine machine(banks(1));
  struct Told {
    TimeFs begin, end, wait;
    std::size_t cause;
  };
  std::vector<Told> told;
  TimeFs end = 0_fs;
  for (int i = *rc::gen::inRange(1, 60); i > 0; --i) {
    machine.now += TimeFs(*rc::gen::inRange(0, 40));
    if (*rc::gen::inRange(0, 4) == 0) machine.waves.settle(machine.now);
    const TimeFs begin = std::max(end, machine.now) + TimeFs(*rc::gen::inRange(0, 10));
    end = begin + TimeFs(*rc::gen::inRange(1, 30));
    const TimeFs wait = std::min(begin, TimeFs(*rc::gen::inRange(0, 50)));
    told.push_back({begin, end, wait, *rc::gen::inRange<std::size_t>(0, 2)});
    machine.resource.use(0, begin, end, kOwner, 1, {{told.back().cause, wait}});
  }
  machine.table.conclude();
  RC_ASSERT(machine.waves.belated.empty());
  std::map<std::string, std::map<TimeFs, std::uint64_t>> values;
  for (const char* const name : {"busy", "queue", "cause"}) {
    for (const auto& [at, value] : machine.waves.shown(std::string("block.bank.") + name)) values[name][at] = value;
  }
  for (TimeFs at = 0_fs; at <= end; at += 1_fs) {
    std::uint64_t busy = 0, queue = 0, cause = 0;
    for (const Told& use : told) {
      if (use.begin <= at && at < use.end) busy = 1;
      if (use.begin - use.wait > at || at >= use.begin) continue;
      ++queue;
      if (cause == 0) cause = 1 + use.cause;
    }
    const auto shown = [&](const char* name) {
      const auto after = values[name].upper_bound(at);
      return after == values[name].begin() ? 0 : std::prev(after)->second;
    };
    RC_ASSERT(shown("busy") == busy);
    RC_ASSERT(shown("queue") == queue);
    RC_ASSERT(shown("cause") == cause);
  }
}

}  // namespace
}  // namespace kb::resource
