// Groups of some of the ranks, as a host program sees them (chapter 08, section 4, K-20).
#include <gmock/gmock.h>

#include "kernels/catalog.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/queues.h"
#include "sw/distributed/process_group.h"
#include "sw/distributed/spawn.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

contract::MachineInfo six_sips() {
  contract::MachineInfo machine = FakeHost::small_machine();  // of 2 x 2 cubes
  machine.sips = 6;
  return machine;
}

std::vector<std::int64_t> integers_of(const contract::KernelLaunch& launch) {
  std::vector<std::int64_t> numbers;
  for (const contract::KernelArg& arg : launch.args) {
    if (const auto* number = std::get_if<std::int64_t>(&arg)) numbers.push_back(*number);
  }
  return numbers;
}

std::vector<std::string> labels_of(const contract::QueuePlan& plan, std::uint32_t sip) {
  std::vector<std::string> labels;
  for (const contract::PeQueues& queues : plan.pes) {
    if (!(queues.pe == PeCoord{SipId(sip), CubeId(3), PeId(0)})) continue;
    for (const contract::QueuePair& pair : queues.pairs) labels.push_back(pair.direction);
  }
  return labels;
}

class NewGroupTest : public ::testing::Test {
 protected:
  Tensor tiles(int rank, std::int64_t n_elem = 8) {
    rt.set_device(rank);
    DPPolicy policy;
    policy.cube = Split::row_wise;
    policy.num_pes = 1;
    return rt.zeros({4, n_elem}, Dtype::f16, policy, "T" + std::to_string(rank));
  }
  std::string fail(const std::string& code, const std::function<void(int)>& body) {
    return error_of([&] { spawn(rt, 6, body); }, code);
  }
  FakeHost host{six_sips()};
  const kernels::KernelCatalog catalog;
  Runtime rt{host, &catalog};
  ProcessGroup world{rt, {"", "lrab_hierarchical_allreduce", {}, {}}};
};

TEST_F(NewGroupTest, HasQueuesOfItsOwnAroundARingOfItsMembers_K20_Q25) {
  const PeCoord pe{SipId(4), CubeId(0), PeId(0)};
  const std::uint64_t hbm = rt.free_bytes(pe);
  world.new_group({4, 1, 5});
  world.new_group({1, 4});
  const contract::QueuePlan& plan = host.queue_plans.back();
  EXPECT_EQ(host.queue_plans.size(), 3u);
  EXPECT_THAT(labels_of(plan, 0), ElementsAre("N", "W", "global_E", "global_W"));
  EXPECT_THAT(labels_of(plan, 5), ElementsAre("N", "W", "global_E", "global_W", "group1_E", "group1_W"));
  EXPECT_THAT(labels_of(plan, 4),
              ElementsAre("N", "W", "global_E", "global_W", "group1_E", "group1_W", "group2_E", "group2_W"));
  for (const contract::PeQueues& queues : plan.pes) {
    for (const contract::QueuePair& pair : queues.pairs) {
      if (pair.direction != "group1_E") continue;  // 4 -> 1 -> 5 -> 4, in the same cube
      const std::uint32_t next[] = {0, 5, 0, 0, 1, 4};
      EXPECT_EQ(pair.peer->owner, (PeCoord{SipId(next[queues.pe.sip.value]), queues.pe.cube, PeId(0)}));
    }
  }
  EXPECT_EQ(rt.free_bytes(pe), hbm);  // rings lie in the TCM
}

TEST_F(NewGroupTest, TranslatesRanksAndStartsItsMembersOnly_K20) {
  Communicator& group = world.new_group({4, 1, 5}, "odd");
  EXPECT_EQ(group.size(), 3);
  EXPECT_EQ(group.name(), "odd");
  EXPECT_THAT(group.ranks(), ElementsAre(4, 1, 5));
  spawn(rt, 6, [&](int rank) {
    if (!group.has(rank)) return;
    EXPECT_EQ(group.ranks()[static_cast<std::size_t>(group.rank())], rank);
    group.broadcast(tiles(rank), 1);  // member 1 is rank 1
  });
  ASSERT_EQ(host.launches.size(), 3u);
  const std::map<std::uint32_t, std::int64_t> member{{4, 0}, {1, 1}, {5, 2}};
  for (const auto& launch : host.launches) {
    EXPECT_THAT(integers_of(*launch), ElementsAre(8, 3, member.at(launch->sip.value), 8, 8, 1, 0));
    EXPECT_EQ(std::get<std::string>(launch->args[7]), "group1_");
  }
}

// K-36 for groups: members wait for each other, not for the ranks of other groups.
TEST_F(NewGroupTest, DisjointGroupsDoNotWaitForEachOther) {
  Communicator &a = world.new_group({0, 1}), &b = world.new_group({2, 3});
  SpawnOptions independent;
  independent.mode = RankMode::independent;
  std::vector<TimeFs> passed(6);
  spawn(
      rt, 6,
      [&](int rank) {
        if (rank > 3) return;
        rt.set_device(rank);
        for (int i = 0; i < rank; ++i) rt.wait(rt.launch("noop", {}));
        (rank < 2 ? a : b).barrier();
        passed[static_cast<std::size_t>(rank)] = host.now();
      },
      independent);
  EXPECT_EQ(passed[0], host.times.launch);
  EXPECT_EQ(passed[1], host.times.launch);
  EXPECT_EQ(passed[2], 3 * host.times.launch);
  EXPECT_EQ(passed[3], 3 * host.times.launch);
}

TEST_F(NewGroupTest, AGroupOfOneNeedsNoQueues) {
  Communicator& group = world.new_group({3});
  EXPECT_THAT(labels_of(host.queue_plans.back(), 3), ElementsAre("N", "W", "global_E", "global_W"));
  spawn(rt, 6, [&](int rank) {
    if (rank == 3) group.all_reduce_ranks(tiles(rank));
  });
  EXPECT_EQ(host.launches.size(), 1u);
}

TEST_F(NewGroupTest, WhatIsNoGroupIsExplained) {
  const auto refuse = [&](const std::vector<int>& ranks) {
    return error_of([&] { world.new_group(ranks); }, "SCHEMA_ERROR");
  };
  EXPECT_THAT(refuse({}), HasSubstr("a group has at least one rank"));
  EXPECT_THAT(refuse({0, 6}), HasSubstr("there is no rank 6; the run has ranks 0 to 5"));
  EXPECT_THAT(refuse({2, 0, 2}), HasSubstr("new_group of ranks 2, 0, 2: rank 2 is there twice"));
  EXPECT_THAT(fail("COLLECTIVE_ERROR", [&](int) { world.new_group({0}); }),
              HasSubstr("make them in the main program, before its spawn"));
  EXPECT_EQ(host.queue_plans.size(), 1u);
}

TEST(NewGroupMemoryTest, AGroupThatDoesNotFitChangesNothing_Q30) {
  contract::MachineInfo machine = six_sips();
  machine.scratch_bytes = 0;
  machine.tcm_bytes = 9 * 4 * 4096 * 2;  // eight directions, and two groups of two more, but not three
  FakeHost host(machine);
  Runtime rt(host, nullptr);
  ProcessGroup world(rt, {"", "lrab_hierarchical_allreduce", {{"defaults.slot_size", "4096"}}, {}});
  std::string text;
  int made = 0;
  try {
    while (made < 20) {
      world.new_group({0, 5, 2});
      ++made;
    }
  } catch (const Error& error) {
    text = error.what();
    EXPECT_EQ(error.code(), "ALLOCATION_ERROR");
  }
  EXPECT_GE(made, 1);
  EXPECT_LT(made, 20);
  // The rings that are there shrink with the new ones.
  const std::uint64_t rings = 6 + 2 * static_cast<std::uint64_t>(made) + 2;
  EXPECT_THAT(text,
              HasSubstr("reduce slot_size to at most " + std::to_string(machine.tcm_bytes / (rings * 4) / 16 * 16)));
  EXPECT_THAT(text,
              AllOf(HasSubstr("the message queues of sip0.cube0.pe0 need 32 KiB of its TCM"),
                    HasSubstr("directions group" + std::to_string(made + 1) + "_E"), HasSubstr("reduce n_slots")));
  EXPECT_EQ(static_cast<int>(host.queue_plans.size()), made + 1);
  EXPECT_NO_THROW(world.new_group({1}));
}

TEST_F(NewGroupTest, ARankOutsideOfTheGroupIsTold) {
  Communicator& group = world.new_group({4, 1}, "pair");
  EXPECT_THAT(fail("COLLECTIVE_ERROR", [&](int rank) { group.broadcast(tiles(rank), 0); }),
              HasSubstr("rank 0 calls broadcast of group 'pair', which has only ranks 4, 1"));
  EXPECT_THAT(fail("COLLECTIVE_ERROR", [&](int) { group.rank(); }),
              HasSubstr("rank 0 is not a member of group 'pair', which has only ranks 4, 1"));
  EXPECT_THAT(
      fail("SCHEMA_ERROR",
           [&](int rank) {
             if (group.has(rank)) group.reduce(tiles(rank), 4);
           }),
      HasSubstr("reduce: root 4 is not a rank of group 'pair'; the group has ranks 0 to 1, which are ranks 4, 1 of "
                "the run"));
  EXPECT_THAT(error_of([&] { group.barrier(); }, "COLLECTIVE_ERROR"),
              HasSubstr("barrier() is called by 1 rank, but the group of all ranks has 6"));
}

TEST_F(NewGroupTest, DisagreementNamesGroupAndRanksOfTheRun) {
  Communicator& group = world.new_group({4, 1, 2}, "odd");
  EXPECT_THAT(fail("COLLECTIVE_ERROR",
                   [&](int rank) {
                     if (group.has(rank)) group.all_reduce_ranks(tiles(rank), rank == 4 ? "max" : "sum");
                   }),
              AllOf(HasSubstr("the ranks of group 'odd' disagree about their collective: "),
                    HasSubstr("rank 4: all_reduce_ranks("), HasSubstr("op = max)"),
                    HasSubstr("ranks 1, 2: all_reduce_ranks(")));
  EXPECT_THAT(host.launches, IsEmpty());
}

TEST_F(NewGroupTest, ASecondProcessGroupWouldTakeTheQueues) {
  EXPECT_THAT(error_of([&] { ProcessGroup again(rt); }, "COLLECTIVE_ERROR"), HasSubstr("new_group"));
  EXPECT_THAT(error_of([&] { spawn(rt, 6, [&](int) { ProcessGroup again(rt); }); }, "COLLECTIVE_ERROR"),
              HasSubstr("a rank cannot make a process group"));
}

// Two groups whose ranks wait for each other in a cycle, and a rank that has ended: nobody hangs, in either mode.
TEST_F(NewGroupTest, RanksThatWaitElsewhereOrHaveEndedAreNamed) {
  Communicator &a = world.new_group({0, 1}, "a"), &b = world.new_group({1, 2, 3}, "b");
  for (const RankMode mode : {RankMode::lockstep, RankMode::independent}) {
    SpawnOptions options;
    options.mode = mode;
    const auto end = [&](const std::function<void(int)>& body) {
      return error_of([&] { spawn(rt, 6, body, options); }, "COLLECTIVE_ERROR");
    };
    const std::string text = end([&](int rank) {
      if (rank == 0) a.barrier();
      if (rank == 1 || rank == 2) b.barrier();
    });
    EXPECT_THAT(
        text, ::testing::AnyOf(HasSubstr("rank 0 waits in barrier() of group 'a' for rank 1, which waits in barrier() "
                                         "of group 'b'"),
                               HasSubstr("waits in barrier() of group 'b' for rank 3, which has ended without it")));
    EXPECT_THAT(text, ::testing::AllOf(HasSubstr("(of all ranks: ranks 3, 4, 5 have ended; "),
                                       HasSubstr("ranks 1, 2 wait in barrier() of group 'b'")));
    // The same group works again afterwards.
    EXPECT_NO_THROW(spawn(rt, 6, [&](int rank) {
      if (a.has(rank)) a.barrier();
      if (b.has(rank)) b.barrier();
    }));
  }
}

}  // namespace
}  // namespace kb::sw
