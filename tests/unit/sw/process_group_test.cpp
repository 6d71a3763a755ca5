#include "sw/distributed/process_group.h"

#include <gmock/gmock.h>

#include "kernels/catalog.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/queues.h"
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

DPPolicy tile_per_cube() {
  DPPolicy policy;
  policy.cube = Split::row_wise;
  policy.num_pes = 1;
  return policy;
}

class ProcessGroupTest : public ::testing::Test {
 protected:
  Tensor tiles(int rank, std::int64_t n_elem = 8, Dtype dtype = Dtype::f16) {
    rt.set_device(rank);
    return rt.zeros({4, n_elem}, dtype, tile_per_cube(), "T" + std::to_string(rank));
  }
  static topology::CclOptions hierarchical() { return {"", "lrab_hierarchical_allreduce", {}, {}}; }
  FakeHost host;  // 2 SIPs of 2 x 2 cubes
  const kernels::KernelCatalog catalog;
  Runtime rt{host, &catalog};
};

TEST_F(ProcessGroupTest, WiresTheMachineOnce_K14_K58) {
  const std::uint64_t free_before = rt.memory().free_bytes({SipId(0), CubeId(0), PeId(0)});
  {
    ProcessGroup group(rt);
    EXPECT_EQ(group.backend(), "ahbm");
    EXPECT_EQ(group.world_size(), 2);
    ASSERT_EQ(host.queue_plans.size(), 1u);
    EXPECT_EQ(host.queue_plans[0].pes.size(), 8u);  // PE 0 of every cube of every SIP
  }
  EXPECT_EQ(rt.memory().free_bytes({SipId(0), CubeId(0), PeId(0)}), free_before);
  EXPECT_TRUE(rt.memory_pristine());
}

TEST_F(ProcessGroupTest, AllReduceLaunchesItsKernelOnEverySip_K16_K17_K45) {
  ProcessGroup group(rt, hierarchical());
  spawn(rt, 2, [&](int rank) { group.all_reduce(tiles(rank), "max"); });
  ASSERT_EQ(host.launches.size(), 2u);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const contract::KernelLaunch& launch = *host.launches[rank];
    EXPECT_EQ(launch.kernel, "lrab_allreduce");
    EXPECT_THAT(launch.pes, ElementsAre(PeId(0)));
    EXPECT_EQ(launch.cubes.size(), 4u);
    std::vector<std::int64_t> numbers;
    for (const contract::KernelArg& arg : launch.args) {
      if (const auto* number = std::get_if<std::int64_t>(&arg)) numbers.push_back(*number);
    }
    const auto sip = static_cast<std::int64_t>(launch.sip.value);
    // n_elem, cubes, SIPs, rank, ring, root (the centre, as no link of this host takes time), chunk
    EXPECT_THAT(numbers, ElementsAre(8, 2, 2, 2, sip, 0, 0, 0, 3, 0));
    EXPECT_EQ(std::get<std::string>(launch.args[9]), "max");
  }
}

// K-66: a tile on every PE, and where each tile stands among the ranks of the wiring.
TEST_F(ProcessGroupTest, FlatAlgorithmsTakeATilePerPe_K66_Q79) {
  topology::CclOptions options;
  options.algorithm = "mesh_allreduce";
  options.overrides = {{"algorithms.mesh_allreduce.w", "8"}, {"algorithms.mesh_allreduce.h", "2"}};
  ProcessGroup group(rt, options);
  EXPECT_EQ(group.world_size(), 2);
  EXPECT_EQ(host.queue_plans.at(0).pes.size(), 16u);  // 2 SIPs of 4 cubes of 2 PEs
  spawn(rt, 2, [&](int rank) {
    rt.set_device(rank);
    group.all_reduce(rt.zeros({8, 6}, Dtype::f16, group.all_reduce_policy(), "T"), "min");
  });
  ASSERT_EQ(host.launches.size(), 2u);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const contract::KernelLaunch& launch = *host.launches[rank];
    EXPECT_EQ(launch.kernel, "mesh_allreduce");
    EXPECT_THAT(launch.pes, ElementsAre(PeId(0), PeId(1)));
    std::vector<std::int64_t> numbers;
    for (const contract::KernelArg& arg : launch.args) {
      if (const auto* number = std::get_if<std::int64_t>(&arg)) numbers.push_back(*number);
    }
    const auto sip = static_cast<std::int64_t>(launch.sip.value);
    EXPECT_THAT(numbers, ElementsAre(6, 16, 8 * sip, 8, 2, 1, 0));  // n_elem, ranks, first, grid, wrap, chunk
  }
  const auto refuse = [&](const DPPolicy& policy, const CollectiveOptions& how, const std::string& code) {
    return error_of(
        [&] {
          spawn(rt, 2, [&](int rank) {
            rt.set_device(rank);
            group.all_reduce(rt.empty({8, 6}, Dtype::f16, policy, "T"), "sum", how);
          });
        },
        code);
  };
  EXPECT_THAT(refuse(tile_per_cube(), {}, "LAYOUT_ERROR"),
              AllOf(HasSubstr("4 shards on 4 of 4 cubes"), HasSubstr("one row per PE")));
  DPPolicy copies = group.all_reduce_policy();
  copies.pe = Split::replicate;
  EXPECT_THAT(refuse(copies, {}, "LAYOUT_ERROR"), HasSubstr("copies of each other"));
  CollectiveOptions root;
  root.root_cube = 1;
  EXPECT_THAT(refuse(group.all_reduce_policy(), root, "SCHEMA_ERROR"), HasSubstr("mesh_allreduce has no root cube"));
}

// What a rank has no part in may be left out: the kernel gets the other tensor in its place.
TEST_F(ProcessGroupTest, CollectivesBetweenRanksGetBlocksAndRoot_K20) {
  ProcessGroup group(rt);
  spawn(rt, 2, [&](int rank) {
    const Tensor tile = tiles(rank, 6);
    group.scatter(tile, rank == 1 ? tiles(rank, 12) : Tensor(), 1);
  });
  ASSERT_EQ(host.launches.size(), 2u);
  for (const auto& launch : host.launches) {
    EXPECT_EQ(launch->kernel, "direct_scatter");
    EXPECT_THAT(launch->pes, ElementsAre(PeId(0)));
    EXPECT_EQ(launch->cubes.size(), 4u);
    std::vector<std::int64_t> numbers;
    for (const contract::KernelArg& arg : launch->args) {
      if (const auto* number = std::get_if<std::int64_t>(&arg)) numbers.push_back(*number);
    }
    const auto sip = static_cast<std::int64_t>(launch->sip.value);
    EXPECT_THAT(numbers, ElementsAre(6, 2, sip, 6, 16, 1));  // block, SIPs, rank, chunk, chunks ahead, root
  }
}

// K-64, K-75: a cube's tile may lie in the slices of its PEs; PE 0 moves all of it.
TEST_F(ProcessGroupTest, TilesBetweenRanksMayBeSpreadOverTheirCube_K64_K75) {
  ProcessGroup group(rt);
  for (const Split split : {Split::row_wise, Split::column_wise}) {
    host.launches.clear();
    spawn(rt, 2, [&](int rank) {
      rt.set_device(rank);
      DPPolicy policy;
      policy.cube = policy.pe = split;
      group.all_reduce_ranks(rt.zeros({8, 16}, Dtype::f16, policy, "T"));
    });
    ASSERT_EQ(host.launches.size(), 2u);
    for (const auto& launch : host.launches) {
      EXPECT_THAT(launch->pes, ElementsAre(PeId(0)));
      EXPECT_EQ(launch->cubes.size(), 4u);
      EXPECT_EQ(std::get<std::int64_t>(launch->args[2]), 8 * 16 / 4);  // elements of a cube
    }
  }
}

TEST_F(ProcessGroupTest, MistakesInCollectivesBetweenRanksAreExplained) {
  ProcessGroup group(rt);
  const auto fail = [&](const std::string& code, const std::function<void(int)>& body) {
    return error_of([&] { spawn(rt, 2, body); }, code);
  };
  EXPECT_THAT(fail("SCHEMA_ERROR", [&](int rank) { group.broadcast(tiles(rank), 2); }),
              HasSubstr("broadcast: root 2 is not a rank; the group has ranks 0 to 1"));
  EXPECT_THAT(fail("SCHEMA_ERROR", [&](int rank) { group.reduce(tiles(rank), 0, "prod"); }),
              HasSubstr("reduce has no operation 'prod'"));
  EXPECT_THAT(fail("TENSOR_ERROR", [&](int rank) { group.all_gather(Tensor(), tiles(rank)); }),
              HasSubstr("all_gather needs a tensor on the device"));
  EXPECT_THAT(
      fail("LAYOUT_ERROR", [&](int rank) { group.all_gather(tiles(rank, 8), tiles(rank, 8)); }),
      HasSubstr("all_gather of 2 ranks needs tiles of 1 x n and 2 x n elements in and out, these have 8 and 8"));
  EXPECT_THAT(fail("LAYOUT_ERROR", [&](int rank) { group.all_to_all(tiles(rank, 7), tiles(rank, 7)); }),
              HasSubstr("these have 7 and 7"));
  EXPECT_THAT(fail("LAYOUT_ERROR", [&](int rank) { group.all_gather(tiles(rank, 16, Dtype::f32), tiles(rank, 8)); }),
              HasSubstr("both need one dtype and tiles on the same cubes"));
  EXPECT_THAT(fail("LAYOUT_ERROR",
                   [&](int rank) {
                     rt.set_device(rank);
                     DPPolicy pes;
                     pes.cube = Split::row_wise;
                     group.broadcast(rt.zeros({8, 8}, Dtype::f16, pes, "T"), 0);
                   }),
              HasSubstr(".pe1 holds a copy of what another PE of its cube holds; split it over the PEs"));
  EXPECT_THAT(fail("COLLECTIVE_ERROR", [&](int rank) { group.broadcast(tiles(rank), rank); }),
              AllOf(HasSubstr("rank 0: broadcast(8 elements per block"), HasSubstr("root 0)"), HasSubstr("root 1)")));
  EXPECT_THAT(fail("LAYOUT_ERROR", [&](int) { group.broadcast(tiles(0), 0); }),
              HasSubstr("it lies on SIP 0, but rank 1 owns SIP 1; call set_device(1)"));
  EXPECT_THAT(fail("LAYOUT_ERROR", [&](int) { group.all_reduce(tiles(0)); }), HasSubstr("call set_device(1)"));
}

// K-36: what every rank has submitted starts together, when the last one has called.
TEST_F(ProcessGroupTest, RanksStartTogether_K36) {
  host.stamp = 12345_fs;
  ProcessGroup group(rt);
  SpawnOptions independent;
  independent.mode = RankMode::independent;
  std::vector<TimeFs> returned(2);
  spawn(
      rt, 2,
      [&](int rank) {
        const Tensor t = tiles(rank);
        if (rank == 1) rt.wait(rt.launch("noop", {}));  // comes later
        group.all_reduce(t);
        returned[static_cast<std::size_t>(rank)] = host.now();
      },
      independent);
  ASSERT_EQ(host.launches.size(), 3u);
  EXPECT_EQ(host.launches[1]->target_start, 12345_fs);
  EXPECT_EQ(host.launches[2]->target_start, 12345_fs);
  EXPECT_EQ(returned[0], returned[1]);
}

TEST_F(ProcessGroupTest, ATensorOnOneCubeIsReducedBetweenSipsOnly_K54) {
  ProcessGroup group(rt, hierarchical());
  spawn(rt, 2, [&](int rank) {
    rt.set_device(rank);
    DPPolicy one;
    one.num_cubes = one.num_pes = 1;
    group.all_reduce(rt.zeros({2, 8}, Dtype::f32, one, "T"));
  });
  EXPECT_EQ(std::get<std::int64_t>(host.launches.at(0)->args[1]), 16);
  EXPECT_EQ(std::get<std::int64_t>(host.launches.at(0)->args[2]), 1);
  EXPECT_EQ(std::get<std::int64_t>(host.launches.at(0)->args[3]), 1);
}

TEST_F(ProcessGroupTest, LayoutsThatDoNotFitAreRefused_K65) {
  ProcessGroup group(rt);
  const auto refuse = [&](const DPPolicy& policy, const Shape& shape, const CollectiveOptions& options = {}) {
    return error_of(
        [&] {
          spawn(rt, 2, [&](int rank) {
            rt.set_device(rank);
            group.all_reduce(rt.empty(shape, Dtype::f16, policy, "T"), "sum", options);
          });
        },
        "LAYOUT_ERROR");
  };
  DPPolicy over_pes = tile_per_cube();
  over_pes.num_pes = 2;
  over_pes.pe = Split::row_wise;
  EXPECT_THAT(refuse(over_pes, {8, 8}), AllOf(HasSubstr("tensor 'T' f16 (8, 8)"), HasSubstr(".pe1 holds a part")));
  DPPolicy copies = tile_per_cube();
  copies.cube = Split::replicate;
  EXPECT_THAT(refuse(copies, {4, 8}), HasSubstr("copies of each other"));
  DPPolicy some = tile_per_cube();
  some.num_cubes = 2;
  EXPECT_THAT(refuse(some, {4, 8}), HasSubstr("2 shards on 2 of 4 cubes"));
}

// Whatever the user says of slots and chunks, a message fits a slot.
TEST_F(ProcessGroupTest, TilesLargerThanASlotGoInChunks_K51_K65) {
  topology::CclOptions options = hierarchical();
  options.overrides = {{"defaults.slot_size", "4096"}};
  ProcessGroup group(rt, options);
  const auto chunk_of = [&](std::int64_t n_elem, std::int64_t asked) {
    CollectiveOptions chunks;
    chunks.chunk_elements = asked;
    spawn(rt, 2, [&](int rank) { group.all_reduce(tiles(rank, n_elem), "sum", chunks); });
    return std::get<std::int64_t>(host.launches.back()->args[11]);
  };
  EXPECT_EQ(chunk_of(2048, 0), 0);
  EXPECT_EQ(chunk_of(2049, 0), 2048);
  EXPECT_EQ(chunk_of(5000, 4000), 2048);
  EXPECT_EQ(chunk_of(5000, 7), 7);
}

TEST_F(ProcessGroupTest, ASlotHoldsAtLeastOneElementOfAnyDtype) {
  topology::CclOptions options = hierarchical();
  options.overrides = {{"defaults.slot_size", "1"}};
  ProcessGroup group(rt, options);
  EXPECT_EQ(group.config().slot_size, 8u);
  spawn(rt, 2, [&](int rank) { group.all_reduce(tiles(rank, 5)); });
  EXPECT_EQ(std::get<std::int64_t>(host.launches.back()->args[11]), 4);  // f16 elements of a chunk
}

TEST_F(ProcessGroupTest, AutoChoosesForEverySizeAndReportsIt) {
  ProcessGroup group(rt);
  spawn(rt, 2, [&](int rank) { group.all_reduce(tiles(rank)); });
  ASSERT_EQ(rt.collectives().size(), 1u);
  const CollectiveRecord& record = rt.collectives()[0];
  EXPECT_TRUE(record.automatic);
  EXPECT_EQ(record.ranks, 8);
  EXPECT_EQ(record.tile_bytes, 16u);
  ASSERT_EQ(record.estimates.size(), 5u);
  for (const CollectiveEstimate& one : record.estimates) {
    if (one.algorithm == record.algorithm) continue;
    EXPECT_GE(one.ns, std::find_if(record.estimates.begin(), record.estimates.end(), [&](const auto& other) {
                        return other.algorithm == record.algorithm;
                      })->ns);
  }
}

TEST_F(ProcessGroupTest, TilesAndCandidatesAreTheUsers) {
  topology::CclOptions options;
  options.overrides = {{"defaults.tiles", "pes"}, {"defaults.candidates", "[hierarchical]"}};
  {
    ProcessGroup group(rt, options);
    EXPECT_EQ(group.all_reduce_policy().pe, Split::row_wise);
    for (const contract::QueuePair& pair : host.queue_plans.back().pes[0].pairs) {
      EXPECT_THAT(pair.direction, Not(HasSubstr("hop")));  // rings that nothing uses
    }
  }
  options.algorithm = "lrab_hierarchical_allreduce";
  EXPECT_THAT(error_of([&] { ProcessGroup group(rt, options); }, "CONFIGURATION_ERROR"),
              AllOf(HasSubstr("defaults.tiles"), HasSubstr("PE 0 of every cube"), HasSubstr("write 'cubes'")));
}

topology::CclOptions with_candidates(const std::string& list) {
  topology::CclOptions options;
  options.overrides = {{"defaults.candidates", "[" + list + "]"}};
  return options;
}

bool has_hops(const contract::QueuePlan& plan) {
  for (const contract::PeQueues& queues : plan.pes) {
    for (const contract::QueuePair& pair : queues.pairs) {
      if (pair.direction.rfind("hop", 0) == 0) return true;
    }
  }
  return false;
}

TEST_F(ProcessGroupTest, TheChosenCandidateLaysItsRings_Q81) {
  std::uint64_t slot = 0;
  for (const char* list : {"hierarchical", "ring", "tree", "pairwise", "ring, reduce_scatter, pairwise, tree"}) {
    ProcessGroup group(rt, with_candidates(list));
    EXPECT_FALSE(has_hops(host.queue_plans.back())) << list;
    if (slot == 0) slot = group.config().slot_size;
    EXPECT_EQ(group.config().slot_size, slot) << list;  // candidates take nothing from the rings of the wiring
    spawn(rt, 2, [&](int rank) { group.all_reduce(tiles(rank)); });
    EXPECT_EQ(has_hops(host.queue_plans.back()), list != std::string("hierarchical")) << list;
  }
}

// A group takes room from the pool; what was chosen for larger slots is chosen again.
TEST_F(ProcessGroupTest, ChoicesFollowTheSlotsThatGroupsLeave) {
  ProcessGroup group(rt, with_candidates("ring"));
  const auto slot = [&] {
    spawn(rt, 2, [&](int rank) { group.all_reduce(tiles(rank, 20000)); });
    for (const contract::QueuePair& pair : host.queue_plans.back().pes[0].pairs) {
      if (pair.direction.rfind("hop", 0) == 0) return pair.own->slot_size;
    }
    return std::uint64_t{0};
  };
  const std::uint64_t before = slot();
  for (int i = 0; i < 3; ++i) group.new_group({0, 1});
  const std::uint64_t after = slot();
  EXPECT_GT(after, 0u);
  EXPECT_LT(after, before);
}

TEST_F(ProcessGroupTest, ANamedCandidateWhoseRingsHaveNoRoomIsAnErrorAtItsKey) {
  topology::CclOptions options = with_candidates("tree");
  const contract::MachineInfo& machine = host.machine();
  const std::uint64_t room = machine.tcm_bytes - machine.scratch_bytes - machine.tcm_reserved_bytes;
  options.overrides.push_back({"defaults.slot_size", std::to_string(room / 7 / 4)});  // of 6 labels, 4 slots each
  const std::size_t plans = host.queue_plans.size();
  EXPECT_THAT(error_of([&] { ProcessGroup group(rt, options); }, "CONFIGURATION_ERROR"),
              AllOf(HasSubstr("defaults.candidates"), HasSubstr("'tree' cannot serve: its rings do not fit")));
  EXPECT_EQ(host.queue_plans.size(), plans);  // nothing is installed
  options.overrides.front().second = "[hierarchical]";
  EXPECT_NO_THROW(ProcessGroup(rt, options));
}

// Each candidate that the user names serves, or is an error at its key before anything is installed.
TEST_F(ProcessGroupTest, ACandidateListIsAPromise_K44) {
  const auto machine_of = [](int cubes, int sips) {
    contract::MachineInfo machine = FakeHost::small_machine();
    machine.sips = sips;
    machine.cube_mesh_w = cubes;
    machine.cube_mesh_h = 1;
    machine.cubes_per_sip = cubes;
    return machine;
  };
  for (const auto& [cubes, candidates, expected] : std::vector<std::tuple<int, std::string, std::string>>{
           {8, "pairwise", ""},
           {9, "pairwise",
            "'pairwise' cannot serve: it links every rank with every other one, for up to 16 ranks; "
            "there are 18"},
           {9, "ring, pairwise", "'pairwise' cannot serve"},
           {9, "ring, reduce_scatter, tree, hierarchical", ""}}) {
    FakeHost other(machine_of(cubes, 2));
    Runtime runtime(other, &catalog);
    const auto make = [&, list = candidates] { ProcessGroup group(runtime, with_candidates(list)); };
    if (expected.empty()) {
      EXPECT_NO_THROW(make()) << cubes << candidates;
      continue;
    }
    EXPECT_THAT(error_of(make, "CONFIGURATION_ERROR"),
                AllOf(HasSubstr("defaults.candidates"), HasSubstr(expected),
                      HasSubstr("can serve here: 'ring', 'reduce_scatter', 'tree', 'hierarchical'")));
    EXPECT_TRUE(other.queue_plans.empty());
  }
  contract::MachineInfo one_pe = machine_of(1, 1);
  one_pe.pes_per_cube = 1;
  FakeHost alone(one_pe);
  Runtime runtime(alone, &catalog);
  EXPECT_THAT(error_of([&] { ProcessGroup group(runtime, with_candidates("tree")); }, "CONFIGURATION_ERROR"),
              AllOf(HasSubstr("it needs two ranks, and there is one"), HasSubstr("can serve here: 'hierarchical'")));
}

// What only the call shows: a root, and tiles on one cube of each SIP, which have the links between SIPs alone.
TEST_F(ProcessGroupTest, CandidatesFitTheCall_K44) {
  CollectiveOptions rooted;
  rooted.root_cube = 2;
  const auto call = [&](const std::string& list, bool one_cube, const CollectiveOptions& options) {
    ProcessGroup group(rt, with_candidates(list));
    spawn(rt, 2, [&](int rank) {
      rt.set_device(rank);
      DPPolicy policy = group.all_reduce_policy();
      if (one_cube) policy.num_cubes = policy.num_pes = 1;
      group.all_reduce(rt.zeros({one_cube ? 1 : 4, 8}, Dtype::f16, policy, "T"), "sum", options);
    });
  };
  EXPECT_THAT(error_of([&] { call("ring, hierarchical", false, rooted); }, "CONFIGURATION_ERROR"),
              AllOf(HasSubstr("'ring' cannot serve: the call names a root cube"), HasSubstr("here: 'hierarchical'")));
  EXPECT_THAT(error_of([&] { call("tree", true, {}); }, "CONFIGURATION_ERROR"),
              AllOf(HasSubstr("'tree' cannot serve: one tile per SIP"),
                    HasSubstr("here: 'ring', 'reduce_scatter', 'hierarchical'")));
  EXPECT_TRUE(host.launches.empty());
  EXPECT_NO_THROW(call("hierarchical", false, rooted));
  EXPECT_NO_THROW(call("ring, reduce_scatter", true, {}));
  EXPECT_NO_THROW(call("tree", false, {}));
}

TEST_F(ProcessGroupTest, CandidatesOfANamedAlgorithmGetAWarning_K44) {
  std::vector<std::string> warnings;
  RuntimeOptions options;
  options.warn = [&](const std::string& text) { warnings.push_back(text); };
  Runtime runtime(host, &catalog, options);
  topology::CclOptions named = with_candidates("ring");
  named.algorithm = "lrab_hierarchical_allreduce";
  const ProcessGroup group(runtime, named);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], AllOf(HasSubstr("candidates"), HasSubstr("lrab_hierarchical_allreduce"), HasSubstr("auto")));
}

TEST_F(ProcessGroupTest, MistakesAreExplained_K15) {
  ProcessGroup group(rt);
  const auto fail = [&](const std::string& code, const std::function<void(int)>& body) {
    return error_of([&] { spawn(rt, 2, body); }, code);
  };
  EXPECT_THAT(fail("SCHEMA_ERROR", [&](int rank) { group.all_reduce(tiles(rank), "summ"); }),
              HasSubstr("did you mean 'sum'"));
  EXPECT_THAT(fail("TENSOR_ERROR", [&](int) { group.all_reduce(Tensor(), "sum"); }), HasSubstr("on the device"));
  EXPECT_THAT(error_of([&] { group.all_reduce(tiles(0)); }, "COLLECTIVE_ERROR"),
              HasSubstr("is called by 1 rank, but the group has 2"));
}

// Ranks that disagree are named, and nobody hangs.
TEST_F(ProcessGroupTest, RanksThatDisagreeAreNamed) {
  ProcessGroup group(rt);
  const std::string other_op =
      error_of([&] { spawn(rt, 2, [&](int rank) { group.all_reduce(tiles(rank), rank == 0 ? "sum" : "max"); }); },
               "COLLECTIVE_ERROR");
  EXPECT_THAT(other_op, AllOf(HasSubstr("the ranks disagree"),
                              HasSubstr("rank 0: all_reduce(op = sum, 8 elements per tile, f16, 4 cubes)"),
                              HasSubstr("rank 1: all_reduce(op = max, 8 elements per tile, f16, 4 cubes)")));
  EXPECT_TRUE(host.launches.empty());
}

TEST_F(ProcessGroupTest, ARankThatDisagreesInSizeIsNamed) {
  ProcessGroup group(rt);
  EXPECT_THAT(
      error_of([&] { spawn(rt, 2, [&](int rank) { group.all_reduce(tiles(rank, 8 + rank)); }); }, "COLLECTIVE_ERROR"),
      HasSubstr("rank 1: all_reduce(op = sum, 9 elements per tile"));
}

TEST_F(ProcessGroupTest, WaitingForARankThatHasEndedIsAnError) {
  for (const RankMode mode : {RankMode::lockstep, RankMode::independent}) {
    FakeHost machine;
    Runtime runtime(machine, &catalog);
    ProcessGroup group(runtime);
    SpawnOptions options;
    options.mode = mode;
    EXPECT_THAT(error_of(
                    [&] {
                      spawn(
                          runtime, 2,
                          [&](int rank) {
                            runtime.set_device(rank);
                            if (rank == 1) runtime.wait(runtime.launch("noop", {}));
                            if (rank == 0) group.barrier();
                          },
                          options);
                    },
                    "COLLECTIVE_ERROR"),
                HasSubstr("rank 0 waits in barrier() for rank 1, which has ended without it"));
  }
}

TEST_F(ProcessGroupTest, ARankThatThrowsEndsItsSiblings_K42) {
  ProcessGroup group(rt);
  try {
    spawn(rt, 2, [&](int rank) {
      if (rank == 1) throw std::runtime_error("lost");
      group.all_reduce(tiles(rank));
    });
    FAIL() << "no error";
  } catch (const SpawnError& error) {
    EXPECT_EQ(error.errors().size(), 1u);
    EXPECT_THAT(error.errors().at(1), HasSubstr("lost"));
  }
}

TEST_F(ProcessGroupTest, AnAlgorithmNeedsANameOfItsOwn_K47) {
  AllReduceCatalog known;
  AllReduceAlgorithm algorithm = known.find("ring_allreduce");
  EXPECT_THAT(error_of([&] { known.add(algorithm); }, "SCHEMA_ERROR"), HasSubstr("the name is taken"));
  algorithm.name = "another";
  algorithm.arguments = nullptr;
  EXPECT_THAT(error_of([&] { known.add(algorithm); }, "SCHEMA_ERROR"), HasSubstr("'another': needs a name"));
}

TEST_F(ProcessGroupTest, ABarrierWaitsForEveryRank_K19) {
  ProcessGroup group(rt);
  std::vector<TimeFs> passed(2);
  SpawnOptions independent;
  independent.mode = RankMode::independent;
  spawn(
      rt, 2,
      [&](int rank) {
        rt.set_device(rank);
        for (int i = 0; i < 2 * rank; ++i) rt.wait(rt.launch("noop", {}));
        group.barrier();
        passed[static_cast<std::size_t>(rank)] = host.now();
      },
      independent);
  EXPECT_EQ(passed[0], passed[1]);
  EXPECT_GT(passed[0], 0_fs);
}

}  // namespace
}  // namespace kb::sw
