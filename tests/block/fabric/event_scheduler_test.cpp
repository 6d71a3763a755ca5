#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES  // sc_spawn; before the first SystemC header
#endif
#include "platform/elab/event_scheduler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/error.h"

namespace kb::elab {
namespace {

using testing::ElementsAre;

struct Seen {
  TimeFs time;
  std::uint64_t argument;
  friend bool operator==(const Seen& a, const Seen& b) { return a.time == b.time && a.argument == b.argument; }
  friend bool operator<(const Seen& a, const Seen& b) {
    return a.time != b.time ? a.time < b.time : a.argument < b.argument;
  }
  friend void PrintTo(const Seen& s, std::ostream* os) { *os << "(" << s.time.fs() << ", " << s.argument << ")"; }
};

class Recorder final : public EventHandler {
 public:
  void on_event(TimeFs now, std::uint64_t argument) override { seen.push_back({now, argument}); }
  std::vector<Seen> seen;
};

// Calls a function on every event.
class Calling final : public EventHandler {
 public:
  using Function = std::function<void(TimeFs, std::uint64_t)>;
  explicit Calling(Function function) : function_(std::move(function)) {}
  void on_event(TimeFs now, std::uint64_t argument) override { function_(now, argument); }

 private:
  Function function_;
};

TEST(EventScheduler, RunsEventsByTimeAndThenByScheduleOrder) {  // V2
  EventScheduler scheduler("scheduler");
  Recorder recorder;
  std::mt19937 random(7);
  std::vector<Seen> expected;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    // Within one slot of the wheel, within its horizon (about 2 us) and far beyond; many at equal times.
    const TimeFs range = i % 3 == 0 ? 50_fs : i % 3 == 1 ? 1000_ns : 1'000'000_ns;
    const TimeFs at = random() % 997 * (range / 50);
    expected.push_back({at, i});
    scheduler.schedule(at, recorder, i);
  }
  std::stable_sort(expected.begin(), expected.end(), [](const Seen& a, const Seen& b) { return a.time < b.time; });
  EXPECT_EQ(scheduler.pending(), 5000u);
  sc_core::sc_start();
  EXPECT_EQ(recorder.seen, expected);
  EXPECT_EQ(scheduler.events(), 5000u);
  EXPECT_EQ(scheduler.pending(), 0u);
}

TEST(EventScheduler, EventsScheduledWhileRunningTakeTheirPlace) {
  EventScheduler scheduler("scheduler");
  Recorder recorder;
  Calling first([&](TimeFs now, std::uint64_t) {
    scheduler.schedule(now, recorder, 3);  // behind what was already there for now
    scheduler.schedule(now + 1_fs, recorder, 4);
    scheduler.schedule(now + 3000_ns, recorder, 6);  // beyond the wheel
    scheduler.schedule(now + 1000_ns, recorder, 5);
  });
  scheduler.schedule(100_fs, recorder, 1);
  scheduler.schedule(100_fs, first);
  scheduler.schedule(100_fs, recorder, 2);
  sc_core::sc_start();
  EXPECT_THAT(recorder.seen, ElementsAre(Seen{100_fs, 1}, Seen{100_fs, 2}, Seen{100_fs, 3}, Seen{101_fs, 4},
                                         Seen{1'000'000'100_fs, 5}, Seen{3'000'000'100_fs, 6}));
}

// Each event schedules the next one somewhere around the wheel's horizon, so that it goes into the wheel and behind it
// by turns, beside a steady tick that was scheduled long before.
class Wanderer final : public EventHandler {
 public:
  explicit Wanderer(EventScheduler& scheduler) : scheduler_(scheduler) {}
  void on_event(TimeFs now, std::uint64_t left) override {
    on_time = on_time && now == expected;
    if (left == 0) return;
    expected = now + random_() % 4'500'000'000 * 1_fs;
    scheduler_.schedule(expected, *this, left - 1);
  }
  TimeFs expected = 0_fs;
  bool on_time = true;

 private:
  EventScheduler& scheduler_;
  std::mt19937_64 random_{11};
};

TEST(EventScheduler, IsExactOverManyTurnsOfTheWheel) {
  EventScheduler scheduler("scheduler");
  Wanderer wanderer(scheduler);
  Recorder ticks;
  std::vector<Seen> expected;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    expected.push_back({i * 777'777'777_fs, i});
    scheduler.schedule(expected.back().time, ticks, i);
  }
  scheduler.schedule(0_fs, wanderer, 400);
  sc_core::sc_start();
  EXPECT_TRUE(wanderer.on_time);
  EXPECT_EQ(ticks.seen, expected);
  EXPECT_EQ(scheduler.events(), 1401u);
}

// The number of pending events wanders between none and dozens, their distances between nothing and beyond the wheel;
// an ordered set says which event has to come next.
class Brood final : public EventHandler {
 public:
  explicit Brood(EventScheduler& scheduler) : scheduler_(scheduler) {}
  void bear(TimeFs at) {
    pending_.insert({at, born_});
    scheduler_.schedule(at, *this, born_++);
  }
  void on_event(TimeFs now, std::uint64_t argument) override {
    EXPECT_EQ(*pending_.begin(), (Seen{now, argument}));
    pending_.erase(pending_.begin());
    most = std::max(most, pending_.size());
    if (pending_.size() > 60) growing_ = false;
    if (pending_.empty()) growing_ = true;
    const std::uint64_t children = born_ > 20'000 ? 0 : random_() % 2 + (growing_ ? 1 : 0);
    constexpr std::uint64_t kDistances[] = {1, 3, 130'000, 1'000'000, 40'000'000, 6'000'000'000};
    for (std::uint64_t i = 0; i < children; ++i) bear(now + random_() % kDistances[random_() % 6] * 1_fs);
  }
  std::size_t most = 0;
  std::uint64_t born() const { return born_; }

 private:
  EventScheduler& scheduler_;
  std::set<Seen> pending_;
  std::uint64_t born_ = 0;
  bool growing_ = true;
  std::mt19937_64 random_{7};
};

TEST(EventScheduler, IsExactWhileFewAndManyEventsTakeTurns) {
  EventScheduler scheduler("scheduler");
  Brood brood(scheduler);
  brood.bear(5_fs);
  sc_core::sc_start();
  EXPECT_EQ(scheduler.events(), brood.born());
  EXPECT_GT(brood.born(), 20'000u);
  EXPECT_GT(brood.most, 50u);
}

TEST(EventScheduler, WakesThreadsAfterAllEventsOfTheTime) {
  EventScheduler scheduler("scheduler");
  sc_core::sc_event event("event");
  std::vector<std::string> log;
  Calling recorder([&](TimeFs now, std::uint64_t argument) {
    log.push_back("event " + std::to_string(argument) + " at " + std::to_string(now.fs()));
  });
  Calling handler([&](TimeFs now, std::uint64_t argument) {
    log.push_back("event " + std::to_string(argument) + " at " + std::to_string(now.fs()));
    if (argument == 1) scheduler.wake(event);
    if (argument == 2) scheduler.schedule(now, recorder, 9);
  });
  sc_core::sc_spawn([&] {
    sc_core::wait(event);
    log.push_back("thread at " + std::to_string(scheduler.now().fs()));
    scheduler.schedule(scheduler.now(), handler, 4);
    scheduler.schedule(scheduler.now() + 50_fs, handler, 5);
  });
  scheduler.schedule(100_fs, handler, 1);
  scheduler.schedule(100_fs, handler, 2);
  scheduler.schedule(101_fs, handler, 3);
  sc_core::sc_start();
  EXPECT_THAT(log, ElementsAre("event 1 at 100", "event 2 at 100", "event 9 at 100", "thread at 100", "event 4 at 100",
                               "event 3 at 101", "event 5 at 150"));
}

TEST(EventScheduler, ThreadsThatSleepSeeExactTimes) {
  EventScheduler scheduler("scheduler");
  Recorder background;
  for (std::uint64_t i = 0; i < 100; ++i) scheduler.schedule(i * 10'007_fs, background, i);
  std::vector<TimeFs> times;
  for (TimeFs step : {30'000_fs, 70'001_fs, 2500_ns}) {
    sc_core::sc_spawn([&scheduler, &times, step] {
      for (int i = 1; i <= 3; ++i) {
        scheduler.wait_until(step * i);
        times.push_back(scheduler.now());
        scheduler.wait_until(scheduler.now());  // at once
        scheduler.wait_until(scheduler.now() - 5_fs);
        EXPECT_EQ(scheduler.now(), step * i);
      }
    });
  }
  sc_core::sc_start();
  EXPECT_THAT(times, ElementsAre(30'000_fs, 60'000_fs, 70'001_fs, 90'000_fs, 140'002_fs, 210'003_fs, 2500_ns, 5000_ns,
                                 7500_ns));
  EXPECT_EQ(background.seen.size(), 100u);
}

TEST(EventScheduler, AThreadStopsTheEngineFromRunningAhead) {
  EventScheduler scheduler("scheduler");
  std::vector<std::string> log;
  Calling handler([&](TimeFs now, std::uint64_t) { log.push_back("event at " + std::to_string(now.fs())); });
  for (TimeFs at : {100_fs, 200_fs, 300_fs}) scheduler.schedule(at, handler);
  sc_core::sc_spawn([&] {
    scheduler.wait_until(150_fs);
    log.push_back("thread at 150");
    scheduler.wait_until(200_fs);
    log.push_back("thread at 200");
  });
  sc_core::sc_start();
  EXPECT_THAT(log, ElementsAre("event at 100", "thread at 150", "event at 200", "thread at 200", "event at 300"));
}

TEST(EventScheduler, StopsBeforeTheFirstEventBehindTheTimeLimit) {
  EventScheduler scheduler("scheduler");
  Recorder recorder;
  scheduler.schedule(1000_fs, recorder, 1);
  scheduler.schedule(1001_fs, recorder, 2);
  scheduler.set_time_limit(1000_fs);
  sc_core::sc_start();
  EXPECT_THAT(recorder.seen, ElementsAre(Seen{1000_fs, 1}));
  EXPECT_TRUE(scheduler.limit_reached());
  EXPECT_EQ(scheduler.pending(), 1u);
}

// A thread that sleeps beyond the limit must not take the clock there.
TEST(EventScheduler, StopsAtTheTimeLimitWhileThreadsSleep) {
  EventScheduler scheduler("scheduler");
  bool woke = false;
  sc_core::sc_spawn([&] {
    scheduler.wait_until(400_fs);
    scheduler.wait_until(5000_fs);
    woke = true;
  });
  sc_core::sc_spawn([] { sc_core::wait(sc_core::sc_time::from_value(4000)); });
  scheduler.set_time_limit(1000_fs);
  sc_core::sc_start();
  EXPECT_FALSE(woke);
  EXPECT_TRUE(scheduler.limit_reached());
  EXPECT_EQ(scheduler.now(), 1000_fs);
}

TEST(EventScheduler, AnUnreachedTimeLimitChangesNothing) {
  EventScheduler scheduler("scheduler");
  Recorder recorder;
  scheduler.schedule(1000_fs, recorder, 1);
  scheduler.set_time_limit(1000_fs);
  sc_core::sc_start();
  EXPECT_THAT(recorder.seen, ElementsAre(Seen{1000_fs, 1}));
  EXPECT_FALSE(scheduler.limit_reached());
}

TEST(EventScheduler, ThePollEndsARun) {
  EventScheduler scheduler("scheduler");
  Recorder recorder;
  for (int i = 0; i < 40'000; ++i) scheduler.schedule(i * 1_fs, recorder);
  int polls = 0;
  scheduler.set_poll([&] { return ++polls == 2; });
  sc_core::sc_start();
  EXPECT_EQ(recorder.seen.size(), 2u << 14);
}

TEST(EventScheduler, RefusesThePast) {
  EventScheduler scheduler("scheduler");
  Recorder recorder;
  Calling late([&](TimeFs now, std::uint64_t) {
    try {
      scheduler.schedule(now - 1_fs, recorder);
      ADD_FAILURE() << "an event in the past was taken";
    } catch (const Error& e) {
      EXPECT_EQ(e.family(), ErrorFamily::model);
      EXPECT_THAT(e.what(), testing::HasSubstr("before the current time"));
    }
  });
  scheduler.schedule(500_fs, late);
  sc_core::sc_start();
  EXPECT_EQ(scheduler.events(), 1u);
  EXPECT_TRUE(recorder.seen.empty());
}

TEST(EventScheduler, WhatPassesTheEndOfTimeEndsTheRun) {
  EventScheduler scheduler("scheduler");
  Recorder recorder;
  Calling late([&](TimeFs now, std::uint64_t) {
    scheduler.schedule(kTimeEnd, recorder, 1);
    scheduler.schedule(now, recorder, 2);
    scheduler.schedule(kPastEnd, recorder, 3);
    scheduler.schedule(now + kPastEnd, recorder, 4);
  });
  scheduler.schedule(500_fs, late);
  sc_core::sc_start();
  EXPECT_THAT(recorder.seen, ElementsAre(Seen{500_fs, 2}));  // nothing later
  EXPECT_EQ(scheduler.now(), 500_fs);
  EXPECT_THAT(scheduler.passed_end(), testing::HasSubstr("4600000000000 ns"));
}

TEST(EventScheduler, TimeCanReachItsEnd) {
  EventScheduler scheduler("scheduler");
  Recorder recorder;
  scheduler.schedule(kTimeEnd, recorder);
  sc_core::sc_start();
  EXPECT_EQ(scheduler.now(), kTimeEnd);
  EXPECT_EQ(scheduler.passed_end(), "");
}

TEST(EventScheduler, AThreadThatSleepsPastTheEndIsNamed) {
  EventScheduler scheduler("scheduler");
  bool woken = false;
  sc_core::sc_spawn(
      [&] {
        scheduler.wait_until(1000_fs);
        scheduler.wait_until(kPastEnd);
        woken = true;
      },
      "sleeper");
  sc_core::sc_start();
  EXPECT_FALSE(woken);
  EXPECT_EQ(scheduler.now(), 1000_fs);
  EXPECT_THAT(scheduler.passed_end(), testing::HasSubstr("the work of sleeper "));
}

}  // namespace
}  // namespace kb::elab
