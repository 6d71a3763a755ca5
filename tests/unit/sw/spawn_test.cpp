#include "sw/distributed/spawn.h"

#include <gmock/gmock.h>

#include "platform/contract/completion.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/tensor_layout.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using testing::any_kernel;
using ::testing::ElementsAre;
using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;

SpawnOptions independent() {
  SpawnOptions o;
  o.mode = RankMode::independent;
  return o;
}

class SpawnTest : public ::testing::Test {
 protected:
  SpawnTest() {
    // Rank 0's kernels take 100 ns, rank 1's 250 ns, ...
    host.launch_time = [](const contract::KernelLaunch& l) { return (100 + 150 * l.sip.value) * 1_ns; };
  }
  RuntimeOptions options() {
    RuntimeOptions o;
    o.warn = [this](const std::string& text) { warnings.push_back(text); };
    return o;
  }
  void rank_body(int rank, int rounds) {
    rt.set_device(rank);
    for (int i = 0; i < rounds; ++i) {
      rt.wait(rt.launch("k", {}));
      trace.push_back("rank" + std::to_string(rank) + "@" + format_ns(host.now()));
    }
  }
  FakeHost host;
  std::vector<std::string> warnings;
  std::vector<std::string> trace;
  Runtime rt{host, &any_kernel, options()};
};

TEST_F(SpawnTest, LockstepRanksResumeTogetherAtTheLastCompletion) {  // K-35, K-36
  spawn(rt, 2, [&](int rank) { rank_body(rank, 2); });
  EXPECT_THAT(trace, ElementsAre("rank0@250", "rank1@250", "rank0@500", "rank1@500"));
}

TEST_F(SpawnTest, IndependentRanksResumeOnTheirOwn) {  // K-36
  spawn(
      rt, 2, [&](int rank) { rank_body(rank, 2); }, independent());
  EXPECT_THAT(trace, ElementsAre("rank0@100", "rank0@200", "rank1@250", "rank1@500"));
}

TEST_F(SpawnTest, AFinishedRankDoesNotHoldTheOthers) {
  spawn(rt, 2, [&](int rank) { rank_body(rank, rank == 0 ? 3 : 1); });
  EXPECT_THAT(trace, ElementsAre("rank0@250", "rank1@250", "rank0@350", "rank0@450"));
}

TEST_F(SpawnTest, ABlockedRankDoesNotKeepOthersFromSubmitting) {  // K-33
  spawn(rt, 2, [&](int rank) { rank_body(rank, 1); });
  ASSERT_EQ(host.log.size(), 2u);
  EXPECT_EQ(host.log[0].at, 0_fs);
  EXPECT_EQ(host.log[1].at, 0_fs);
  EXPECT_EQ(host.log[1].sip, SipId(1));
}

TEST_F(SpawnTest, KernelOutlivesItsRank) {  // K-34
  LaunchHandle left;
  spawn(rt, 2, [&](int rank) {
    rt.set_device(rank);
    if (rank == 1) left = rt.launch("k", {});
  });
  EXPECT_EQ(host.now(), 0_fs);
  rt.wait_all();
  EXPECT_EQ(host.now(), 250_ns);
  EXPECT_EQ(rt.metrics(left).pes, 8u);
}

TEST_F(SpawnTest, WaitAllOfARankIsAboutItsOwnWork) {
  std::vector<TimeFs> resumed(2);
  spawn(
      rt, 2,
      [&](int rank) {
        rt.set_device(rank);
        rt.launch("k", {});
        rt.wait_all();
        resumed[static_cast<std::size_t>(rank)] = host.now();
      },
      independent());
  EXPECT_THAT(resumed, ElementsAre(100_ns, 250_ns));
}

TEST_F(SpawnTest, DevicesAndRanksArePerRank) {  // K-21, K-22, K-31
  std::vector<int> seen;
  rt.set_device(1);
  spawn(rt, 2, [&](int rank) {
    EXPECT_EQ(get_rank(rt), rank);
    EXPECT_EQ(get_world_size(rt), 2);
    if (rank == 0) {
      ahbm::set_device(rt, 1);
      EXPECT_EQ(accelerator::current_device_index(rt), 1);
    } else {
      accelerator::set_device_index(rt, 0);
      EXPECT_EQ(ahbm::current_device(rt), 0);
    }
    const Tensor t = rt.zeros({4, 4}, Dtype::f16);
    seen.push_back(static_cast<int>(t.layout().shards[0].owner.sip.value));
    rt.wait_all();
  });
  EXPECT_THAT(seen, ElementsAre(1, 0));
  EXPECT_EQ(rt.current_device(), 1);  // the main program's own binding
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(get_rank(rt), 0);
  EXPECT_EQ(get_world_size(rt), 1);
  EXPECT_THAT(warnings, ElementsAre("get_rank outside of spawn is rank 0"));
}

TEST_F(SpawnTest, UnboundRankUsesTheFirstDeviceWithAWarning) {  // K-22
  spawn(rt, 2, [&](int rank) {
    if (rank == 0) rt.set_device(0);
    const Tensor t = rt.zeros({4, 4}, Dtype::f16);
    const Tensor u = rt.zeros({4, 4}, Dtype::f16);
    EXPECT_EQ(t.layout().shards[0].owner.sip, SipId(0));
    rt.wait_all();
  });
  EXPECT_THAT(warnings, ElementsAre("rank 1 uses sip0 because it never called set_device"));
}

TEST_F(SpawnTest, ALaunchInARankGoesToItsDevice) {  // rank = SIP: a tensor elsewhere is only a source
  std::vector<Tensor> tensors(2);
  spawn(rt, 2, [&](int rank) {
    rt.set_device(rank);
    tensors[static_cast<std::size_t>(rank)] = rt.zeros({4, 4}, Dtype::f16);
    rt.wait_all();
    rt.wait(rt.launch(
        "k", {{"a", tensors[static_cast<std::size_t>(rank)]}, {"b", tensors[static_cast<std::size_t>(1 - rank)]}}));
  });
  ASSERT_EQ(host.launches.size(), 2u);
  EXPECT_EQ(host.launches[0]->sip, SipId(0));
  EXPECT_EQ(host.launches[1]->sip, SipId(1));
}

TEST_F(SpawnTest, LaunchWaitsForWritesOfOtherRanksToItsTensors) {
  Tensor shared;
  host.times.write = 40_ns;
  spawn(
      rt, 2,
      [&](int rank) {
        rt.set_device(rank);
        if (rank == 0) {
          shared = rt.zeros({4, 4}, Dtype::f16);
        } else {
          LaunchOptions here;
          here.cubes = {0};
          rt.launch("k", {{"a", shared}}, here);
        }
      },
      independent());
  ASSERT_EQ(host.launches.size(), 1u);
  EXPECT_EQ(host.log.back().at, 40_ns);
}

TEST_F(SpawnTest, AnExceptionEndsTheSiblingsAndNamesTheCulpritOnly) {  // K-42, H-58
  int finished = 0;
  try {
    spawn(rt, 2, [&](int rank) {
      rt.set_device(rank);
      rt.wait(rt.launch("k", {}));
      if (rank == 1) throw Error::program("SHAPE_ERROR", "rank 1 is wrong");
      rt.wait(rt.launch("k", {}));
      ++finished;
    });
    FAIL() << "no SpawnError";
  } catch (const SpawnError& error) {
    EXPECT_STREQ(error.what(), "rank 1 failed: rank 1 is wrong");
    EXPECT_EQ(error.code(), "SHAPE_ERROR");
    EXPECT_EQ(error.family(), ErrorFamily::program);
    ASSERT_EQ(error.errors().size(), 1u);
    EXPECT_EQ(error.errors().at(1), "rank 1 is wrong");
  }
  EXPECT_EQ(finished, 0);
  EXPECT_EQ(host.now(), 250_ns);  // rank 0's second kernel was not waited for
}

TEST_F(SpawnTest, RanksThatHaveNotBegunAreNotStarted) {
  std::vector<int> begun;
  EXPECT_THROW(spawn(rt, 3,
                     [&](int rank) {
                       begun.push_back(rank);
                       throw std::runtime_error("no");
                     }),
               SpawnError);
  EXPECT_THAT(begun, ElementsAre(0));
}

TEST_F(SpawnTest, AnAbortedRankCannotSwallowItsEnd) {
  int caught = 0;
  try {
    spawn(rt, 2, [&](int rank) {
      rt.set_device(rank);
      if (rank == 1) throw std::runtime_error("plain");
      try {
        rt.wait(rt.launch("k", {}));
      } catch (const std::exception&) {
        ++caught;
      }
    });
    FAIL();
  } catch (const SpawnError& error) {
    EXPECT_EQ(error.code(), "BENCH_ERROR");
    EXPECT_EQ(error.errors().count(0), 0u);
  }
  EXPECT_EQ(caught, 0);
}

TEST_F(SpawnTest, TheRuntimeIsUsableBySingleDriverAfterwards) {  // K-43
  spawn(rt, 1, [&](int rank) { rank_body(rank, 1); });
  const TimeFs before = host.now();
  rt.wait(rt.launch("k", {}));
  EXPECT_EQ(host.now(), before + 100_ns);
}

TEST_F(SpawnTest, RefusesNoRanksAndNesting) {
  EXPECT_EQ(error_of([&] { spawn(rt, 0, [](int) {}); }, "SPAWN_ERROR"),
            "spawn: 0 ranks were asked for; at least 1 is needed");
  EXPECT_EQ(error_of([&] { spawn(rt, 4097, [](int) {}); }, "SPAWN_ERROR"),
            "spawn: 4097 ranks were asked for; at most 4096 are possible, one per PE of the largest machine");
  EXPECT_THAT(error_of([&] { spawn(rt, 1, [&](int) { spawn(rt, 1, [](int) {}); }); }, "SPAWN_ERROR"),
              HasSubstr("spawn cannot be called from a rank of another spawn"));
}

TEST_F(SpawnTest, TwoRunsAreIdentical) {
  const auto run = [] {
    FakeHost machine;
    Runtime runtime(machine, &any_kernel);
    spawn(runtime, 2, [&](int rank) {
      runtime.set_device(rank);
      const Tensor t = runtime.zeros({8, 8}, Dtype::f16);
      runtime.wait(runtime.launch("k", {{"a", t}}));
      t.to_host();
    });
    std::string text;
    for (const auto& entry : machine.log) text += std::to_string(entry.worker) + entry.what + format_ns(entry.at) + ";";
    return text;
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace kb::sw
