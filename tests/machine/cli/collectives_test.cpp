// All-reduce on whole machines: right on every topology, with every queue, in every data mode (chapter 08, section 14).
#include "tests/machine/cli/collectives.h"

#include <gmock/gmock.h>

#include "platform/routing/path_router.h"
#include "platform/routing/uncontended_transfer.h"
#include "platform/topology/topology.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

TEST_F(CollectivesTest, EveryTopologyOfSipsGivesTheReferenceSum_K94) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const std::string& machine :
       {sips(1), sips(2), sips(3), sips(6), sips(6, "torus_2d", 2, 3), sips(6, "torus_2d", 3, 2), sips(4, "torus_2d"),
        sips(2, "torus_2d", 2, 1), sips(6, "mesh_2d_no_wrap", 2, 3), sips(6, "mesh_2d_no_wrap", 3, 2),
        sips(9, "mesh_2d_no_wrap"), sips(5, "mesh_2d_no_wrap", 1, 5)}) {
    const Json result = all_reduce(machine + "--set n_elem=33");
    for (const Json& row : result["verification"]) EXPECT_EQ(row["max_abs"], 0) << machine;
  }
}

TEST_F(CollectivesTest, EveryMeshOfCubesAndASingleCube_K95) {
  for (const char* one : {"--set cubes=one ", "--set cubes=one --set op=avg "}) {
    all_reduce(one);
    all_reduce(one + sips(6, "torus_2d", 2, 3));
  }
  for (const auto& [w, h] : std::vector<std::pair<int, int>>{{1, 1}, {1, 4}, {5, 1}, {3, 2}, {2, 3}, {3, 5}}) {
    machine_ = folder() + "/" +
               write("machine.yaml", "system: { sips: { count: 2 } }\nsip: { cube_mesh: { w: " + std::to_string(w) +
                                         ", h: " + std::to_string(h) +
                                         " } }\ncube: { pe_layout: { corners: [NW], pe_per_corner: 1 } }\n");
    all_reduce("--set n_elem=33");
  }
}

TEST_F(CollectivesTest, GridsThatDoNotHoldTheSipsAreRefused_K96) {
  for (const std::string& machine : {sips(6, "torus_2d"), sips(6, "mesh_2d_no_wrap", 2, 2)}) {
    const Outcome outcome =
        kernbench("run --quiet --topology '" + config("reference") + "' --bench ccl-allreduce --out out " + machine);
    EXPECT_EQ(outcome.code, 2) << machine;
    EXPECT_THAT(outcome.err, HasSubstr("6")) << machine;
  }
}

// K-97, Q-101: data do not depend on how the queues are built.
TEST_F(CollectivesTest, QueuesDoNotChangeTheData_K97) {
  KB_SKIP_UNDER_SANITIZERS();
  const Json expected = all_reduce("--set n_elem=100")["verification"];
  for (const char* queues : {"--set buffer_kind=sram", "--set buffer_kind=hbm", "--set backpressure=poll",
                             "--set n_slots=1", "--set n_slots=2 --set buffer_kind=hbm --set backpressure=poll",
                             "--set credit=fabric", "--set slot_size=256", "--set chunk=7 --set n_slots=1",
                             "--set chunk=33 --set credit=fabric", "--set slot_access=fabric --set buffer_kind=hbm",
                             "--set slot_access=fabric --set buffer_kind=sram --set chunk=9"}) {
    EXPECT_EQ(all_reduce("--set n_elem=100 " + std::string(queues))["verification"], expected) << queues;
  }
}

TEST_F(CollectivesTest, EveryOperationAndDtype) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const char* op : {"sum", "max", "min", "avg"}) {
    for (const char* dtype : {"f16", "bf16", "f32", "i8", "i16", "i32", "i64"}) {
      all_reduce("--set n_elem=17 --set op=" + std::string(op) + " --set dtype=" + dtype);
    }
  }
}

TEST_F(CollectivesTest, NoDataModeMovesATimeStamp_H77) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const std::string& options : {std::string("--set n_elem=64 --set n_slots=1"), sips(3) + "--set chunk=3"}) {
    const Json replay = all_reduce(options), eager = all_reduce(options, "--data eager --verify-data"),
               off = all_reduce(options, "--data off");
    EXPECT_EQ(replay["verification"], eager["verification"]);
    EXPECT_EQ(replay["launches"], eager["launches"]);
    EXPECT_EQ(replay["launches"], off["launches"]);
    EXPECT_EQ(replay["sim_time_ns"], off["sim_time_ns"]);
  }
}

// Inside a SIP the centre beats every corner. Between SIPs the way to the IO chiplet counts, too: the northern corners
// of the reference machine lie near it.
TEST_F(CollectivesTest, ACentreRootBeatsACornerInEveryTopology_K101) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const std::string& machine :
       {sips(1), sips(2), sips(6), sips(6, "torus_2d", 2, 3), sips(6, "mesh_2d_no_wrap", 2, 3)}) {
    const double centre = slowest(all_reduce(machine + "--set root=10", "--data off"));
    for (const int corner : {0, 3, 12, 15}) {
      if (corner < 4 && machine != sips(1)) continue;
      EXPECT_LT(centre, slowest(all_reduce(machine + "--set root=" + std::to_string(corner), "--data off")))
          << machine << corner;
    }
  }
}

// between the kinds of rings lies what writing and reading slots costs.
TEST_F(CollectivesTest, LargeTilesOrderTheMemoriesOfTheRings_Q66) {
  const std::string large =
      "--set n_elem=32768 --set slot_size=65536 --set cube.memory_map.tcm_size_mb=4 "
      "--set algorithm=lrab_hierarchical_allreduce --set root=10 ";
  const auto time = [&](const std::string& kind) {
    return slowest(all_reduce(large + "--set buffer_kind=" + kind, "--data off"));
  };
  const double tcm = time("tcm"), hbm = time("hbm"), sram = time("sram");
  EXPECT_LT(tcm, hbm);
  EXPECT_LT(hbm, sram);
  // Per message on the critical path (setup + n / bandwidth + n / hop) twice, so the gaps have one ratio.
  const double n = 65536, hbm_slot = 6 + n / 256 + n / 256 - n / 512, sram_slot = 2 + n / 128;
  EXPECT_NEAR((sram - tcm) / (hbm - tcm), sram_slot / hbm_slot, 0.01 * sram_slot / hbm_slot);
}

// an access on the fabric takes what a transaction of its size takes, which alone is known
// (uncontended_transfer): an all-reduce between two SIPs of one PE writes and reads one slot each way.
TEST_F(CollectivesTest, SlotAccessesOnTheFabricTakeTheirTransactions_Q67) {
  const auto time = [&](const std::string& options, const char* access) {
    return slowest(all_reduce("--set slot_access=" + std::string(access) + " " + options, ""));
  };
  machine_ = folder() + "/" +
             write("machine.yaml",
                   "system: { sips: { count: 2 } }\nsip: { cube_mesh: { w: 1, h: 1 } }\n"
                   "cube: { pe_layout: { corners: [NW], pe_per_corner: 1 } }\n");
  const topology::LoadedTopology machine = topology::load(machine_);
  routing::PathRouter router(machine.graph);
  const auto node = [&](const std::string& id) { return machine.graph.find_node("sip0.cube0." + id).value(); };
  const std::string lone = "--set algorithm=lrab_hierarchical_allreduce --set slot_size=32768 --set n_elem=";
  for (const auto& [kind, memory] :
       std::vector<std::pair<std::string, std::string>>{{"sram", "sram"}, {"hbm", "hbm_ctrl.pe0"}}) {
    const routing::TransferPath path =
        routing::transfer_path(machine.graph, router.find_path(node("pe0.pe_dma"), node(memory)));
    for (const int elements : {1, 8, 130, 700, 2048, 16384}) {
      const std::string options = lone + std::to_string(elements) + " --set buffer_kind=" + kind;
      const auto bytes = static_cast<std::uint64_t>(2 * elements);
      const double transactions =
          fs_to_ns(routing::uncontended_write(path, bytes).answered + routing::uncontended_read(path, bytes).answered);
      const double formula = time(options, "formula");
      const auto n = static_cast<double>(bytes);
      const double costs = kind == "sram" ? 2 * (2 + n / 512 + n / 128) : 2 * (6 + n / 256 + n / 256);
      EXPECT_NEAR(time(options, "fabric"), formula - costs + transactions, 1e-3) << options;
      EXPECT_DOUBLE_EQ(time(options, "annotated"), formula);
    }
  }
  EXPECT_DOUBLE_EQ(time(lone + "8", "fabric"), time(lone + "8", "formula"));  // a TCM has no other traffic
  machine_ = config("one_cube");
  const std::string shared = "--set algorithm=ring_allreduce --set n_elem=2048 --set buffer_kind=";
  EXPECT_GT(time(shared + "sram", "fabric"), 2 * time(shared + "sram", "formula"));
  EXPECT_DOUBLE_EQ(time(shared + "tcm", "fabric"), time(shared + "tcm", "formula"));
}

TEST_F(CollectivesTest, TheConfigurationFileDecides_K4_K7) {
  write("ccl.yaml", "defaults: { buffer_kind: hbm, n_elem: 24 }\n");
  const Json from_file = all_reduce(""), explicit_ = all_reduce("--set buffer_kind=hbm --set n_elem=24");
  EXPECT_EQ(from_file["launches"], explicit_["launches"]);
  write("ccl.yaml", "defaults: { buffer_kin: hbm }\n");
  const Outcome wrong =
      kernbench("run --quiet --topology '" + config("reference") + "' --bench ccl-allreduce --out out");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("ccl.yaml:1"), HasSubstr("did you mean 'buffer_kind'")));
}

TEST_F(CollectivesTest, ThreeLevelsReduceWhatLiesOnAllPes_K67_K68) {
  for (const char* options : {"", "--set root=1 --set op=avg --set dtype=i32", "--set chunk=4 --set n_slots=1"}) {
    const Json result =
        all_reduce(sips(4, "torus_2d") + "--set n_elem=9 --set algorithm=three_level_allreduce " + options);
    for (const Json& row : result["verification"]) EXPECT_EQ(row["shape"], Json({128, 9}));
  }
  for (const int pes : {1, 2, 3}) {  // in each of two corners
    machine_ = folder() + "/" +
               write("machine.yaml",
                     "system: { sips: { count: 3 } }\nsip: { cube_mesh: { w: 2, h: 1 } }\n"
                     "cube: { pe_layout: { corners: [NW, NE], pe_per_corner: " +
                         std::to_string(pes) + " } }\n");
    for (const char* op : {"max", "min", "avg"}) {
      all_reduce(std::string("--set n_elem=33 --set algorithm=three_level_allreduce --set op=") + op);
    }
  }
}

// K-66: every PE is a rank, Q-121: rings with more ranks than slots.
TEST_F(CollectivesTest, FlatAlgorithmsOverAllPes_K66_Q121) {
  for (const char* algorithm : {"ring_allreduce", "mesh_allreduce", "tree_allreduce"}) {
    const Json result = all_reduce(std::string("--set n_elem=9 --set algorithm=") + algorithm);
    for (const Json& row : result["verification"]) {
      EXPECT_EQ(row["shape"], Json({128, 9}));
      EXPECT_EQ(row["max_abs"], 0) << algorithm;
    }
  }
}

TEST_F(CollectivesTest, FlatAlgorithmsWithEveryOptionAndQueue_K66) {
  machine_ = config("one_cube");
  write("ccl.yaml",
        "algorithms:\n"
        "  ring: { module: ring_allreduce, wiring: flat }\n"
        "  one_way: { module: ring_allreduce, topology: ring_1d_unidir }\n"
        "  torus: { module: mesh_allreduce, topology: torus_2d, w: 4, h: 2 }\n"
        "  mesh: { module: mesh_allreduce, topology: mesh_2d_no_wrap, w: 2, h: 4 }\n"
        "  tree: { module: tree_allreduce, topology: tree_binary }\n");
  for (const char* algorithm : {"ring", "one_way", "torus", "mesh", "tree"}) {
    for (const char* options :
         {"--set op=max", "--set op=avg --set dtype=i32", "--set chunk=5 --set n_slots=1 --set dtype=f32",
          "--set buffer_kind=sram --set credit=fabric --set op=min", "--set backpressure=poll --set buffer_kind=hbm"}) {
      all_reduce(std::string("--set ccl=ccl.yaml --set n_elem=33 ") + options + " --set algorithm=" + algorithm);
    }
  }
}

// One rank per SIP: world_size of the wiring, not of the process group. A tree of 7 as of K-66.
TEST_F(CollectivesTest, FlatAlgorithmsWithOneRankPerSip_K66_Q79) {
  machine_ = folder() + "/" +
             write("machine.yaml",
                   "system: { sips: { count: 7 } }\nsip: { cube_mesh: { w: 1, h: 1 } }\n"
                   "cube: { pe_layout: { corners: [NW], pe_per_corner: 2 } }\n");
  write("ccl.yaml",
        "defaults: { world_size: 7 }\n"
        "algorithms:\n"
        "  ring_allreduce: { wiring: flat }\n"
        "  mesh_allreduce: { topology: mesh_2d_no_wrap, w: 7, h: 1 }\n"
        "  tree_allreduce: { topology: tree_binary }\n");
  for (const char* algorithm : {"ring_allreduce", "mesh_allreduce", "tree_allreduce"}) {
    all_reduce(std::string("--set ccl=ccl.yaml --set n_elem=5 --set algorithm=") + algorithm);
  }
}

TEST_F(CollectivesTest, AlgorithmsAndWiringsThatDoNotMatchAreExplained) {
  const auto refused = [&](const std::string& ccl, const std::string& options = "") {
    write("ccl.yaml", ccl);
    const Outcome outcome =
        kernbench("run --quiet --topology '" + config("one_cube") + "' --bench ccl-allreduce --out out " + options);
    EXPECT_EQ(outcome.code, 2) << ccl;
    return outcome.err;
  };
  const std::string entry =
      "defaults: { algorithm: lrab_hierarchical_allreduce }\nalgorithms:\n  lrab_hierarchical_allreduce: ";
  EXPECT_THAT(refused(entry + "{ module: ring_allreduce }\n"),
              AllOf(HasSubstr("wiring 'intercube_multisip' does not have the links that ring_allreduce sends over"),
                    HasSubstr("write 'flat'")));
  EXPECT_THAT(refused(entry + "{ module: three_level_allreduce, intra_cube: mesh }\n"),
              AllOf(HasSubstr("intra_cube 'mesh' does not have the links"), HasSubstr("write 'ring'")));
  EXPECT_THAT(refused(entry + "{ module: tree_allreduce, wiring: flat, topology: ring_1d }\n"),
              AllOf(HasSubstr("ccl.yaml:3"), HasSubstr("write 'tree_binary'")));
  EXPECT_THAT(refused(entry + "{ module: mesh_allreduce, topology: torus_2d }\n"), HasSubstr("8 ranks form no square"));
  EXPECT_THAT(refused(entry + "{ module: ring_allreduce, topology: ring_1d, world_size: 3 }\n"),
              AllOf(HasSubstr("neither one per PE nor one per SIP"), HasSubstr("write 8 or 1")));
  EXPECT_THAT(refused("defaults: { algorithm: pairwise_allreduce }\n", "--set system.sips.count=3"),
              AllOf(HasSubstr("ccl.yaml:1"), HasSubstr("which 'hops' links for up to 16 ranks; there are 24"),
                    HasSubstr("use reduce_scatter_allreduce, binomial_allreduce or auto")));
}

TEST_F(CollectivesTest, WhatDoesNotFitIsExplained) {
  const auto refused = [&](const std::string& options, int code) {
    const Outcome outcome =
        kernbench("run --quiet --topology '" + config("reference") + "' --bench ccl-allreduce --out out " + options);
    EXPECT_EQ(outcome.code, code) << options;
    return outcome.err;
  };
  EXPECT_THAT(refused("--set slot_size=98304", 2), HasSubstr("raise cube.memory_map.tcm_size_mb to"));
  EXPECT_THAT(refused("--device sip:0", 1), HasSubstr("--device all"));
  EXPECT_THAT(refused("--set algorithm=lrab", 2), HasSubstr("lrab_hierarchical_allreduce"));
}

TEST_F(CollectivesTest, AnAlgorithmOfAPluginIsOneLikeAllOthers_K47) {
  write("ccl.yaml", "algorithms: { own_ring: {} }\n");
  const std::string plugin = std::string("--plugin ") + KB_PING_PONG_PLUGIN + " --set algorithm=own_ring ";
  for (const std::string& machine : {sips(2), sips(5), sips(5) + "--set n_slots=1"}) {
    all_reduce(plugin + "--set cubes=one --set n_elem=33 " + machine);
  }
  const std::string run = "run --quiet --topology '" + machine_ + "' --bench ccl-allreduce --out out ";
  const Outcome unfit = kernbench(run + plugin);
  EXPECT_EQ(unfit.code, 1);
  EXPECT_THAT(unfit.err, HasSubstr("own_ring sums tensors on one cube per SIP"));
  const Outcome unknown = kernbench(run + "--set algorithm=own_ring");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, testing::AllOf(HasSubstr("ccl.yaml:1"), HasSubstr("own_ring"), HasSubstr("--plugin FILE")));
  EXPECT_EQ(kernbench("check ccl.yaml").code, 2);
  const Outcome checked = kernbench("check ccl.yaml --plugin " KB_PING_PONG_PLUGIN);
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("ccl.yaml: ok"));
  EXPECT_EQ(kernbench("topology --plugin " KB_PING_PONG_PLUGIN).code, 0);
  EXPECT_EQ(kernbench("topology --plugin ccl.yaml").code, 2);
}

}  // namespace
}  // namespace kb::test
