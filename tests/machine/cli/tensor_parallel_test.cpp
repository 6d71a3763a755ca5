// Tensor-parallel layers on whole machines: right on every topology, for any sizes, in every data mode (chapter 08,
// section 11).
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/machine/cli/command_line.h"
#include "tests/support/source_file.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class TensorParallelTest : public CommandLineTest {
 protected:
  Json run(const std::string& workload, const std::string& options, const std::string& mode = "--verify-data") {
    const Outcome outcome = kernbench("run --quiet --topology '" + machine_ + "' --bench " + workload + " --out out " +
                                      options + " " + mode);
    EXPECT_EQ(outcome.code, 0) << workload << " " << options << "\n" << outcome.err;
    Json result = Json::parse(read("out/result.json"), nullptr, false);
    EXPECT_EQ(result.value("ok", false), true) << workload << " " << options;
    for (const Json& row : result["verification"]) EXPECT_EQ(row["non_finite"], 0) << workload << " " << options;
    return result;
  }
  std::string refused(const std::string& workload, const std::string& options, int code) {
    const Outcome outcome =
        kernbench("run --quiet --topology '" + machine_ + "' --bench " + workload + " --out out " + options);
    EXPECT_EQ(outcome.code, code) << options << "\n" << outcome.err;
    return outcome.err;
  }
  // SIPs of `w` x `h` cubes of `pes` PEs.
  void use_machine(int sips, int w, int h, int pes, const std::string& more = "") {
    machine_ = folder() + "/" +
               write("machine.yaml",
                     "system: { sips: { count: " + std::to_string(sips) + more +
                         " } }\nsip: { cube_mesh: { w: " + std::to_string(w) + ", h: " + std::to_string(h) +
                         " } }\ncube: { pe_layout: { corners: [NW], pe_per_corner: " + std::to_string(pes) + " } }\n");
  }
  static double figure(const Json& result, const std::string& name) {
    for (const Json& entry : result["figures"]) {
      if (entry["name"] == name) return entry["value"];
    }
    ADD_FAILURE() << "no figure " << name;
    return 0;
  }
  std::string machine_ = config("reference");
};

constexpr const char* kLayers[] = {"column", "column_gather", "row", "row_scatter", "embedding"};

TEST_F(TensorParallelTest, EveryLayerOnAnyNumberOfRanks_K71_K72_K100) {
  for (const int ranks : {1, 2, 3, 4, 6}) {
    use_machine(ranks, 2, 1, 2);
    for (const char* layer : kLayers) {
      run("tp-layer", "--set tokens=5 --set in=36 --set out=48 --set layer=" + std::string(layer));
    }
  }
}

TEST_F(TensorParallelTest, EveryTopologyOfSips_K100) {
  for (const char* grid : {", topology: torus_2d, w: 3, h: 2", ", topology: mesh_2d_no_wrap, w: 2, h: 3"}) {
    use_machine(6, 2, 2, 2, grid);
    for (const char* layer : kLayers) {
      run("tp-layer", "--set tokens=3 --set in=24 --set out=96 --set layer=" + std::string(layer));
    }
  }
}

// Widths that no cube or PE count divides, one token, more tokens than a GEMM tile has rows.
TEST_F(TensorParallelTest, OddSizesAndEdgeTiles) {
  use_machine(3, 3, 1, 4);
  for (const char* size : {"--set tokens=1 --set in=39 --set out=51", "--set tokens=7 --set in=111 --set out=33",
                           "--set tokens=35 --set in=9 --set out=300", "--set tokens=130 --set in=3 --set out=3"}) {
    for (const char* layer : kLayers) run("tp-layer", std::string(size) + " --set layer=" + layer);
  }
}

TEST_F(TensorParallelTest, EveryDtypeWithAndWithoutBias) {
  use_machine(2, 2, 2, 2);
  for (const char* dtype : {"f16", "bf16", "f32"}) {
    for (const char* bias : {"yes", "no"}) {
      for (const char* layer : kLayers) {
        run("tp-layer", "--set tokens=4 --set in=64 --set out=96 --set dtype=" + std::string(dtype) +
                            " --set bias=" + bias + " --set layer=" + layer);
      }
    }
  }
}

TEST_F(TensorParallelTest, QueuesAndAddressModelsDoNotChangeTheData) {
  use_machine(3, 2, 1, 2);
  const std::string size = "--set tokens=6 --set in=60 --set out=240 ";
  for (const char* layer : {"column_gather", "row"}) {
    const std::string options = size + "--set layer=" + layer + " ";
    const Json expected = run("tp-layer", options)["verification"];
    for (const char* other :
         {"--set n_slots=1 --set slot_size=64", "--set buffer_kind=hbm", "--set buffer_kind=sram --set credit=fabric",
          "--set cube.memory_map.address_model=va", "--set cube.memory_map.address_model=la"}) {
      EXPECT_EQ(run("tp-layer", options + other)["verification"], expected) << layer << other;
    }
  }
}

// K-79: B = 1, 512 -> 2048 -> 512, x = 0.1, on the whole reference machine.
TEST_F(TensorParallelTest, TheSampleMlp_K79) {
  const Json result = run("tp-mlp", "--set activation=none --set x=constant");
  ASSERT_EQ(result["verification"].size(), 3u);  // one per rank, and that both are equal
  EXPECT_EQ(figure(result, "participating PEs"), 256);
  EXPECT_GT(figure(result, "between ranks"), 0);
  EXPECT_GE(figure(result, "forward"), figure(result, "products") + figure(result, "between ranks") +
                                           figure(result, "layouts") + figure(result, "element-wise"));
}

// The inner width is padded with zeros where the ranks do not divide it, which changes no result.
TEST_F(TensorParallelTest, AnMlpOnThreeSipsPadsItsInnerWidth) {
  use_machine(3, 2, 1, 2);
  for (const char* inner : {"2048", "50", "2"}) {
    for (const char* activation : {"gelu", "swiglu"}) {
      const Json result = run("tp-mlp", "--set tokens=3 --set width=48 --set inner=" + std::string(inner) +
                                            " --set activation=" + activation);
      EXPECT_EQ(result.value("ok", false), true) << inner << activation;
    }
  }
}

// Without a file: 128 PEs in each of three SIPs share 2048 inner elements.
TEST_F(TensorParallelTest, TheSampleMlpOnThreeSipsOfTheBuiltInMachine) {
  const Outcome outcome =
      kernbench("run --quiet --set system.sips.count=3 --bench tp-mlp --out out --set x=constant --verify-data");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json result = Json::parse(read("out/result.json"));
  EXPECT_EQ(result["ok"], true);
  EXPECT_EQ(result["verification"].size(), 5u);  // one per rank, and that two are equal to the first
  EXPECT_EQ(figure(result, "participating PEs"), 384);
}

TEST_F(TensorParallelTest, MlpsWithEveryActivation) {
  use_machine(4, 2, 2, 2);
  for (const char* activation : {"none", "relu", "gelu", "silu", "swiglu"}) {
    run("tp-mlp", "--set tokens=6 --set width=40 --set inner=96 --set activation=" + std::string(activation));
  }
}

TEST_F(TensorParallelTest, TransformerBlocks_K100) {
  use_machine(3, 2, 2, 2);
  const std::string size = "--set tokens=10 --set width=48 --set head_dim=8 --set inner=96 ";
  run("tp-transformer-block", size + "--set heads=6 --set kv_heads=3 --set activation=swiglu --set bias=no");
  run("tp-transformer-block", size + "--set heads=3 --set mask=none");
  run("tp-transformer-block", size + "--set heads=3 --set dtype=f32 --set tokens=1");
  run("tp-transformer-block", size + "--set heads=9 --set dtype=bf16 --set activation=silu");
  use_machine(1, 1, 1, 1);
  run("tp-transformer-block", size + "--set heads=5");
  machine_ = config("six_sips_torus");
  run("tp-transformer-block", "--set tokens=7");
}

// On a ring every rank hears of the others in another order; all add in one.
TEST_F(TensorParallelTest, RanksEndWithTheSameBits_K79) {
  use_machine(6, 1, 1, 2);
  const Json result = run("tp-layer", "--set layer=row --set in=600 --set out=64 --set tokens=20");
  ASSERT_EQ(result["verification"].size(), 11u);
  EXPECT_EQ(result["verification"][2]["tensor"], "rank 1 = rank 0");
  EXPECT_EQ(result["verification"][2]["max_abs"], 0);
}

TEST_F(TensorParallelTest, ReplicasOnTheGridOfSips) {
  use_machine(6, 2, 1, 2, ", topology: torus_2d, w: 3, h: 2");
  for (const char* tp : {"1", "2", "3", "6"}) {
    run("tp-mlp", "--set tokens=3 --set width=24 --set inner=48 --set tp=" + std::string(tp));
    run("tp-layer", "--set tokens=3 --set in=24 --set out=48 --set layer=column --set tp=" + std::string(tp));
  }
  run("tp-transformer-block", "--set tokens=5 --set width=48 --set heads=4 --set head_dim=8 --set tp=2");
  run("tp-layer", "--set layer=embedding --set in=30 --set out=48 --set tp=3");
  EXPECT_THAT(refused("tp-mlp", "--set tp=4", 1),
              HasSubstr("tp = 4: 6 SIPs cannot be shared evenly by models on 4 SIPs each"));
}

TEST_F(TensorParallelTest, NoDataModeMovesATimeStamp_H77) {
  KB_SKIP_UNDER_SANITIZERS();
  use_machine(3, 2, 1, 2);
  for (const char* workload :
       {"tp-layer --set layer=embedding --set in=30", "tp-layer --set layer=column_gather --set out=96",
        "tp-mlp --set activation=swiglu --set inner=96", "tp-transformer-block --set width=48 --set head_dim=8"}) {
    const Json replay = run(workload, "--set tokens=5"),
               eager = run(workload, "--set tokens=5", "--data eager --verify-data"),
               off = run(workload, "--set tokens=5", "--data off");
    EXPECT_EQ(replay["verification"], eager["verification"]) << workload;
    EXPECT_EQ(replay["launches"], eager["launches"]) << workload;
    EXPECT_EQ(replay["launches"], off["launches"]) << workload;
    EXPECT_EQ(replay["sim_time_ns"], off["sim_time_ns"]) << workload;
  }
}

TEST_F(TensorParallelTest, EqualRunsAreEqual) {
  use_machine(3, 2, 1, 2);
  const Json first = without_host(run("tp-transformer-block", "--set tokens=4")),
             second = without_host(run("tp-transformer-block", "--set tokens=4"));
  EXPECT_EQ(first, second);
}

TEST_F(TensorParallelTest, SizesThatCannotBeSplitAreExplained) {
  use_machine(3, 2, 1, 2);
  EXPECT_THAT(refused("tp-layer", "--set layer=column --set out=2048", 1),
              AllOf(HasSubstr("SHAPE_ERROR"), HasSubstr("out features = 2048 cannot be split evenly over the 3 "
                                                        "ranks of the model; use a multiple of 3")));
  EXPECT_THAT(refused("tp-transformer-block", "--set heads=4", 1), HasSubstr("block: query heads = 4 cannot be split"));
  EXPECT_THAT(refused("tp-transformer-block", "--set heads=12 --set kv_heads=5", 1),
              HasSubstr("12 query heads cannot share 5 K/V heads evenly"));
  EXPECT_THAT(refused("tp-layer", "--set layer=embedding --set in=100", 1),
              HasSubstr("embedding: rows of the table = 100 cannot be split"));
}

// The program that the guide teaches: it is the one that is built here, short, and right on every topology.
TEST_F(TensorParallelTest, TheProgramOfTheGuide) {
  const std::string program = source_file("examples/tensor_parallel/tp_mlp.cpp");
  EXPECT_LE(std::count(program.begin(), program.end(), '\n'), 40);
  EXPECT_THAT(source_file("docs/guides/parallel.md"), HasSubstr("```cpp\n" + program + "```"));
  const std::string plugin = std::string("--plugin ") + KB_TP_MLP_PLUGIN + " --set tokens=3";
  for (const char* grid : {"", ", topology: torus_2d, w: 2, h: 2", ", topology: mesh_2d_no_wrap, w: 4, h: 1"}) {
    use_machine(4, 2, 2, 2, grid);
    const Json result = run("my-tp-mlp", plugin);
    ASSERT_EQ(result["verification"].size(), 4u);
    for (const Json& row : result["verification"]) EXPECT_EQ(row["max_abs"], 0) << grid;
  }
  use_machine(3, 2, 1, 2);
  EXPECT_THAT(refused("my-tp-mlp", plugin, 1),
              HasSubstr("out features = 2048 cannot be split evenly over the 3 ranks"));
}

}  // namespace
}  // namespace kb::test
