// `algorithm: auto`: how good its choice is, by simulated times, and how near to the alpha-beta time of reduce-scatter
// and all-gather. That formula comes from the compiled topology alone; the formulas of the choice have no part in it.
#include <gmock/gmock.h>

#include <algorithm>
#include <iostream>

#include "platform/params/pe_math_params.h"
#include "platform/routing/latency.h"
#include "platform/routing/path_router.h"
#include "platform/topology/topology.h"
#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class AllReduceChoiceTest : public CommandLineTest {
 protected:
  Json run(const std::string& machine, const std::string& options, const std::string& mode = "--data off",
           const std::string& workload = "ccl-allreduce") {
    const Outcome outcome = kernbench("run --quiet --topology '" + machine + "' --bench " + workload + " " + mode +
                                      " --out out " + options);
    EXPECT_EQ(outcome.code, 0) << options << outcome.err;
    return Json::parse(read("out/result.json"), nullptr, false);
  }
  static double slowest(const Json& result) {
    double time = 0;
    for (const Json& launch : result["launches"]) time = std::max(time, launch["pe_exec_ns"]["max"].get<double>());
    return time;
  }
  std::string one_pe_per_sip() {
    return folder() + "/" +
           write("one_pe.yaml",
                 "system: { sips: { count: 8 } }\nsip: { cube_mesh: { w: 1, h: 1 } }\n"
                 "cube: { pe_layout: { corners: [NW], pe_per_corner: 1 } }\n");
  }
};

// 2 (n - 1) (alpha + b / B) + (n - 1) b / item / rate, b = m / n: Thakur, Rabenseifner, Gropp 2005, 4.5, with alpha the
// overheads and propagation from a rank to the next one, and B the narrowest wire between them.
double alpha_beta_ns(const std::string& machine, const std::vector<std::string>& pes, double bytes) {
  const topology::LoadedTopology topology = topology::load(machine);
  const topology::Graph& graph = topology.graph;
  routing::PathRouter router(graph);
  const auto dma = [&](std::size_t rank) { return graph.find_node(pes[rank % pes.size()] + ".pe_dma").value(); };
  double alpha = 0;
  Bandwidth narrowest;
  for (std::size_t rank = 0; rank < pes.size(); ++rank) {
    const routing::Route& route = router.find_path(dma(rank), dma(rank + 1));
    alpha = std::max(alpha, fs_to_ns(routing::wire_fs(graph, route) + routing::overhead_fs(graph, route)));
    for (const EdgeId edge : route.edges) narrowest = std::min(narrowest, graph.edge(edge).bw);
  }
  const topology::Node& math = graph.node(graph.find_node(pes[0] + ".pe_math").value());
  const double rate = math.params.as<params::PeMathParams>().elements_per_ns.of(Dtype::f16).per_ns();
  const auto n = static_cast<double>(pes.size());
  const double block = bytes / n;
  return 2 * (n - 1) * (alpha + block / narrowest.gbs()) + (n - 1) * block / 2 / rate;
}

TEST_F(AllReduceChoiceTest, SixtyFourKibOverEightRanksReachTheAlphaBetaTime) {
  std::vector<std::string> pes, sips;
  for (int i = 0; i < 8; ++i) {
    pes.push_back("sip0.cube0.pe" + std::to_string(i));
    sips.push_back("sip" + std::to_string(i) + ".cube0.pe0");
  }
  for (const auto& [machine, ranks] : {std::pair(config("one_cube"), pes), std::pair(one_pe_per_sip(), sips)}) {
    const Json result = run(machine, "--set n_elem=32768", "--verify-data");
    EXPECT_EQ(result["collectives"][0]["ranks"], 8);
    EXPECT_EQ(result["collectives"][0]["tile_bytes"], 65536);
    const double bound = alpha_beta_ns(machine, ranks, 65536);
    std::cout << "all-reduce of 64 KiB: " << slowest(result) << " ns, alpha-beta " << bound << " ns\n";
    EXPECT_LE(slowest(result), 1.3 * bound) << machine;
  }
}

// Every candidate is simulated.
TEST_F(AllReduceChoiceTest, IsNearTheBestOfAllThatItChoosesFrom) {
  KB_SKIP_UNDER_SANITIZERS();
  struct Machine {
    std::string file, settings;
  };
  const std::string small = one_pe_per_sip();
  const std::vector<Machine> machines{
      {config("one_cube"), ""},
      {config("one_cube"), "--set cube.pe_layout.pe_per_corner=1"},
      {small, ""},
      {small, "--set system.sips.count=3"},
      {small,
       "--set system.sips.count=6 --set system.sips.topology=mesh_2d_no_wrap --set system.sips.w=3 "
       "--set system.sips.h=2 --set sip.cube_mesh.w=2"},
      {config("six_sips_torus"), ""},
      {config("reference"), ""},
      {config("reference"), "--set cubes=one"},
      {config("one_sip"), ""},
      {config("one_sip"), "--set tiles=pes"}};
  double worst = 1, farthest = 0;
  for (const Machine& machine : machines) {
    for (const int elements : {8, 1000, 8192, 32768}) {
      const std::string options = machine.settings + " --set n_elem=" + std::to_string(elements);
      const Json chosen = run(machine.file, options)["collectives"][0];
      double best = 0, used = 0;
      for (const Json& candidate : chosen["estimates"]) {
        const std::string name = candidate["algorithm"];
        const double time = slowest(run(machine.file, options + " --set candidates=" + name));
        if (best == 0 || time < best) best = time;
        if (name != chosen["algorithm"]) continue;
        used = time;
        const double off = candidate["ns"].get<double>() / time - 1;
        farthest = std::max(farthest, std::abs(off));
        EXPECT_LE(std::abs(off), 0.15) << machine.file << options << ": " << name;
      }
      worst = std::max(worst, used / best);
      EXPECT_LE(used, 1.03 * best) << machine.file << options << ": " << chosen["algorithm"];
    }
  }
  std::cout << "worst ratio of the choice to the best: " << worst << ", of an estimate: " << farthest << "\n";
}

// all_reduce_ranks: whole tiles or blocks.
TEST_F(AllReduceChoiceTest, BetweenRanksIsNearTheBetterOne) {
  KB_SKIP_UNDER_SANITIZERS();
  const std::string small = one_pe_per_sip();
  for (const auto& setting : std::vector<std::pair<std::string, std::string>>{
           {small, ""},
           {small, "--set system.sips.count=2"},
           {small, "--set system.sips.count=3"},
           {small, "--set system.sips.count=6 --set groups=1,3,5,4"},
           {small,
            "--set system.sips.count=6 --set system.sips.topology=mesh_2d_no_wrap --set system.sips.w=3 "
            "--set system.sips.h=2"},
           {config("six_sips_torus"), ""},
           {config("six_sips_torus"), "--set cubes=one --set op=avg"}}) {
    for (const int elements : {8, 500, 2000, 8192, 32768}) {
      const std::string options = setting.second + " --set n_elem=" + std::to_string(elements);
      const auto time = [&](const std::string& blocks) {
        return slowest(run(setting.first, options + " --set blocks=" + blocks, "--data off", "ccl-allreduce-ranks"));
      };
      EXPECT_LE(time("auto"), 1.15 * std::min(time("yes"), time("no"))) << setting.first << options;
    }
  }
  const Json result = run(small, "--set n_elem=32768", "--verify-data", "ccl-allreduce-ranks");
  ASSERT_EQ(result["collectives"].size(), 1u);
  EXPECT_EQ(result["collectives"][0]["call"], "all_reduce_ranks");
  EXPECT_EQ(result["collectives"][0]["algorithm"], "by_blocks");
  EXPECT_EQ(result["collectives"][0]["estimates"].size(), 2u);
}

// No cube is a better root than the one by formula (K-56).
TEST_F(AllReduceChoiceTest, TheDefaultRootIsTheBest_K56_K101) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const char* settings : {"", "--set system.sips.count=1",
                               "--set system.sips.count=6 --set system.sips.topology=torus_2d "
                               "--set system.sips.w=2 --set system.sips.h=3"}) {
    for (const char* elements : {"8", "2000"}) {
      const std::string options =
          std::string("--set algorithm=lrab_hierarchical_allreduce ") + settings + " --set n_elem=" + elements;
      const double chosen = slowest(run(config("reference"), options));
      for (const char* root : {"0", "1", "3", "5", "6", "10", "15"}) {
        EXPECT_LE(chosen, 1.01 * slowest(run(config("reference"), options + " --set root=" + root))) << options << root;
      }
    }
  }
}

// Whatever is said of slots, chunks and memories, every algorithm takes every size, and the data are right.
TEST_F(AllReduceChoiceTest, EverySizeWorksWithEverySlot_K65) {
  const std::vector<std::string> kinds{"ring", "reduce_scatter", "pairwise", "tree", "hierarchical"};
  for (const std::string& machine : {config("one_cube"), one_pe_per_sip()}) {
    for (const std::string& kind : kinds) {
      for (const char* options : {"--set n_elem=1", "--set n_elem=7 --set dtype=f32 --set op=avg", "--set n_elem=50000",
                                  "--set n_elem=1001 --set slot_size=64 --set n_slots=1",
                                  "--set n_elem=1001 --set buffer_kind=hbm --set slot_access=fabric --set op=max",
                                  "--set n_elem=5000 --set chunk=1000000 --set credit=fabric --set dtype=i32"}) {
        const Json result = run(machine, std::string(options) + " --set candidates=" + kind, "--verify-data");
        EXPECT_EQ(result.value("ok", false), true) << kind << options;
        for (const Json& row : result["verification"]) EXPECT_EQ(row["max_abs"], 0) << kind << options;
      }
    }
  }
  for (const char* algorithm :
       {"lrab_hierarchical_allreduce", "three_level_allreduce", "ring_allreduce", "tree_allreduce",
        "reduce_scatter_allreduce", "pairwise_allreduce", "binomial_allreduce"}) {
    const Json result =
        run(config("one_cube"), std::string("--set n_elem=30000 --set algorithm=") + algorithm, "--verify-data");
    EXPECT_EQ(result.value("ok", false), true) << algorithm;
    EXPECT_FALSE(result.contains("collectives")) << "a named algorithm is not chosen";
  }
}

TEST_F(AllReduceChoiceTest, ReportsItsChoiceAndTheAlternatives) {
  const Json result = run(config("one_cube"), "--set n_elem=1000");
  const Json& record = result["collectives"][0];
  EXPECT_EQ(record["call"], "all_reduce");
  ASSERT_EQ(record["estimates"].size(), 5u);
  double least = 1e30;
  std::string fastest;
  for (const Json& estimate : record["estimates"]) {
    if (estimate["ns"] >= least) continue;
    least = estimate["ns"];
    fastest = estimate["algorithm"];
  }
  EXPECT_EQ(record["algorithm"], fastest);
  const Outcome shown = kernbench("run --topology '" + config("one_cube") + "' --bench ccl-allreduce --out out");
  EXPECT_THAT(shown.out, HasSubstr("Collectives (tile in bytes"));
  EXPECT_THAT(shown.out, HasSubstr("chosen"));
}

TEST_F(AllReduceChoiceTest, WrongCandidatesAreExplained) {
  const Outcome outcome = kernbench("run --topology '" + config("one_cube") +
                                    "' --bench ccl-allreduce --out out --set candidates=ring,three");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'three' is not one of ring, reduce_scatter, pairwise, tree, hierarchical"));
}

// No other algorithm runs silently in the place of one that cannot serve.
TEST_F(AllReduceChoiceTest, CandidatesThatCannotServeAreErrorsAtTheirKey_K44) {
  write("ccl.yaml", "defaults:\n  algorithm: auto\n  candidates: [pairwise]\n");
  const std::string torus = "run --topology '" + config("six_sips_torus") + "' --out out --bench ccl-allreduce ";
  for (const auto& [options, place] : {std::pair("--set ccl=ccl.yaml", "ccl.yaml:3:"),
                                       std::pair("--set candidates=pairwise", "defaults.candidates")}) {
    const Outcome outcome = kernbench(torus + options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(place), HasSubstr("candidates"), HasSubstr("'pairwise' cannot serve"),
                                   HasSubstr("there are 24"), HasSubstr("can serve here: 'ring'")))
        << options;
  }
  const Outcome rooted = kernbench(torus + "--set candidates=ring --set root=3");
  EXPECT_EQ(rooted.code, 2);
  EXPECT_THAT(rooted.err, HasSubstr("'ring' cannot serve: the call names a root cube"));
  const Outcome one_cube = kernbench(torus + "--set candidates=ring --set cubes=one");
  EXPECT_EQ(one_cube.code, 2);
  EXPECT_THAT(one_cube.err, HasSubstr("system.sips.topology is 'torus_2d'"));
}

}  // namespace
}  // namespace kb::test
