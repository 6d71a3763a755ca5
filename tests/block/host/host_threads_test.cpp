#include "sim/run/host/host_threads.h"

#include <gmock/gmock.h>

#include "platform/base/error.h"

namespace kb::sim {
namespace {

using testing::ElementsAre;

// Notifies a signal at a time, from the engine's side.
struct Alarm final : elab::EventHandler {
  contract::ISignal* signal = nullptr;
  void on_event(TimeFs, std::uint64_t) override { signal->notify_all(); }
};

struct Fixture {
  elab::EventScheduler scheduler{"scheduler"};
  HostThreads threads{scheduler};
  std::vector<std::string> log;
  void note(const std::string& text) { log.push_back(text + "@" + format_ns(scheduler.now())); }
};

TEST(HostThreads, MainProgramRunsAtTimeZeroAndFinishes) {
  Fixture f;
  f.threads.start_main([&] {
    f.note("main");
    EXPECT_EQ(f.threads.current_worker(), -1);
  });
  sc_core::sc_start();
  EXPECT_TRUE(f.threads.main_finished());
  EXPECT_EQ(f.threads.failure(), nullptr);
  EXPECT_THAT(f.log, ElementsAre("main@0"));
}

TEST(HostThreads, WaitReturnsAtTheTimeOfTheNotification) {
  Fixture f;
  auto signal = f.threads.make_signal();
  Alarm alarm;
  alarm.signal = signal.get();
  f.scheduler.schedule(70_ns, alarm);
  f.scheduler.schedule(90_ns, alarm);
  f.threads.start_main([&] {
    signal->wait("first");
    f.note("a");
    signal->wait("second");
    f.note("b");
  });
  sc_core::sc_start();
  EXPECT_THAT(f.log, ElementsAre("a@70", "b@90"));
}

TEST(HostThreads, ANotificationBeforeTheWaitIsNotRemembered) {
  Fixture f;
  auto signal = f.threads.make_signal();
  f.threads.start_main([&] {
    signal->notify_all();
    signal->wait("a notification that came too early");
    f.note("woken");
  });
  sc_core::sc_start();
  EXPECT_TRUE(f.log.empty());
  EXPECT_FALSE(f.threads.main_finished());
}

TEST(HostThreads, WorkersRunInRankOrderAndKnowTheirRank) {  // H-55, H-59
  Fixture f;
  f.threads.start_main([&] {
    f.threads.run_workers(3, "spawn", [&](int rank) {
      EXPECT_EQ(f.threads.current_worker(), rank);
      f.note("rank" + std::to_string(rank));
    });
    EXPECT_EQ(f.threads.current_worker(), -1);
    f.note("joined");
  });
  sc_core::sc_start();
  EXPECT_THAT(f.log, ElementsAre("rank0@0", "rank1@0", "rank2@0", "joined@0"));
}

TEST(HostThreads, ReadyThreadsRunInTheOrderInWhichTheyBecameReady) {  // K-33
  Fixture f;
  auto shared = f.threads.make_signal();
  auto own = f.threads.make_signal();
  Alarm alarm;
  alarm.signal = shared.get();
  f.scheduler.schedule(10_ns, alarm);
  f.threads.start_main([&] {
    f.threads.run_workers(3, "spawn", [&](int rank) {
      if (rank == 0) {
        own->wait("rank 2");
      } else {
        shared->wait("the alarm");
        if (rank == 2) own->notify_all();
      }
      f.note("rank" + std::to_string(rank));
    });
  });
  sc_core::sc_start();
  EXPECT_THAT(f.log, ElementsAre("rank1@10", "rank2@10", "rank0@10"));
}

TEST(HostThreads, ABlockedRankDoesNotStopTheOthers) {  // K-33
  Fixture f;
  auto never = f.threads.make_signal();
  f.threads.start_main([&] {
    f.threads.run_workers(2, "spawn", [&](int rank) {
      if (rank == 0) never->wait("something that never comes");
      f.note("rank" + std::to_string(rank));
    });
  });
  sc_core::sc_start();
  EXPECT_THAT(f.log, ElementsAre("rank1@0"));
  std::vector<elab::WaitInfo> waits;
  f.threads.collect_waits(waits);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].who, "host: main program");
  EXPECT_EQ(waits[0].what, "the 2 workers of spawn");
  EXPECT_EQ(waits[1].who, "host: spawn rank 0");
  EXPECT_EQ(waits[1].what, "something that never comes");
}

TEST(HostThreads, NestedWorkersReportTheInnermostRank) {
  Fixture f;
  f.threads.start_main([&] {
    f.threads.run_workers(2, "outer", [&](int outer) {
      f.threads.run_workers(2, "inner", [&](int inner) {
        EXPECT_EQ(f.threads.current_worker(), inner);
        f.note(std::to_string(outer) + "/" + std::to_string(inner));
      });
      EXPECT_EQ(f.threads.current_worker(), outer);
    });
  });
  sc_core::sc_start();
  EXPECT_TRUE(f.threads.main_finished());
  EXPECT_EQ(f.log.size(), 4u);
}

TEST(HostThreads, KeepsTheExceptionOfTheMainProgram) {
  Fixture f;
  f.threads.start_main([&] { throw Error::program("NO_REQUESTS", "nothing was submitted"); });
  sc_core::sc_start();
  EXPECT_TRUE(f.threads.main_finished());
  try {
    std::rethrow_exception(f.threads.failure());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "NO_REQUESTS");
  }
}

TEST(HostThreads, RethrowsTheLowestRanksExceptionInTheCaller) {
  Fixture f;
  f.threads.start_main([&] {
    f.threads.run_workers(3, "spawn", [](int rank) {
      if (rank > 0) throw Error::program("RANK", std::to_string(rank));
    });
  });
  sc_core::sc_start();
  EXPECT_THROW(
      {
        try {
          std::rethrow_exception(f.threads.failure());
        } catch (const Error& error) {
          EXPECT_STREQ(error.what(), "1");
          throw;
        }
      },
      Error);
}

TEST(HostThreads, UnwindEndsBlockedThreadsWorkersFirst) {
  Fixture f;
  struct Note {
    Fixture& f;
    std::string text;
    ~Note() { f.log.push_back(text); }
  };
  auto never = f.threads.make_signal();
  f.threads.start_main([&] {
    Note main{f, "main unwound"};
    f.threads.run_workers(2, "spawn", [&](int rank) {
      Note worker{f, "rank" + std::to_string(rank) + " unwound"};
      never->wait("nothing");
    });
  });
  sc_core::sc_start();
  f.threads.unwind();
  EXPECT_THAT(f.log, ElementsAre("rank0 unwound", "rank1 unwound", "main unwound"));
  EXPECT_TRUE(f.threads.main_finished());
  std::vector<elab::WaitInfo> waits;
  f.threads.collect_waits(waits);
  EXPECT_TRUE(waits.empty());
}

TEST(HostThreads, BlockingOutsideAHostThreadIsAModelError) {
  Fixture f;
  auto signal = f.threads.make_signal();
  EXPECT_THROW(signal->wait("anything"), Error);
  EXPECT_THROW(f.threads.run_workers(1, "spawn", [](int) {}), Error);
  EXPECT_EQ(f.threads.current_worker(), -1);
}

TEST(HostThreads, RefusesToSpawnNothing) {
  Fixture f;
  f.threads.start_main([&] { f.threads.run_workers(0, "spawn", [](int) {}); });
  sc_core::sc_start();
  EXPECT_NE(f.threads.failure(), nullptr);
}

}  // namespace
}  // namespace kb::sim
