// Tensors distributed over a mesh of SIPs, on whole machines (chapter 08, section 12).
#include <gmock/gmock.h>

#include "tests/machine/cli/small_sips.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

// K-81: placements of a tensor on a mesh, at random, against the host's reference.
class RedistributeTest : public SmallSipsTest {
 protected:
  std::string placements(std::size_t axes, bool partial) {
    std::vector<std::string> kinds{"S0", "S1", "R"};
    if (partial) kinds.emplace_back("P");
    std::string text;
    for (std::size_t i = 0; i < axes; ++i) text += (i == 0 ? "" : ",") + one_of(kinds);
    return text;
  }
};

TEST_F(RedistributeTest, RandomTransitionsGiveTheReference_K81) {
  const std::vector<std::vector<int>> meshes{{1}, {2}, {3}, {5}, {2, 2}, {2, 3}, {3, 2}, {1, 3}, {4, 1}, {2, 4}};
  for (int i = 0; i < cases(60, 15); ++i) {
    const std::vector<int>& mesh = one_of(meshes);
    int count = 1;
    std::string text;
    for (const int size : mesh) {
      count *= size;
      text += (text.empty() ? "" : "x") + std::to_string(size);
    }
    const int cubes = between(1, 2);
    std::string options = sips(count) + " --set mesh=" + text + " --set cubes=" + std::to_string(cubes);
    options += " --set rows=" + std::to_string(count * cubes * between(1, 5));
    options += " --set cols=" + std::to_string(count * between(1, 7));
    options += " --set from=" + placements(mesh.size(), true) + " --set to=" + placements(mesh.size(), true);
    options += " --set op=" + one_of<std::string>({"sum", "max", "min", "avg"});
    options += " --set dtype=" + one_of<std::string>({"f16", "bf16", "f32", "i8", "i32", "i64"});
    options += " --set source=" + one_of<std::string>({"host", "device"}) + random_queues();
    EXPECT_FALSE(good("redistribute", options)["verification"].empty());
  }
}

TEST_F(RedistributeTest, EveryTransitionOfOneAxis_K81) {
  for (const char* from : {"S0", "S1", "R", "P"}) {
    for (const char* to : {"S0", "S1", "R", "P"}) {
      good("redistribute",
           sips(3) + "--set rows=18 --set cols=12 --set cubes=2 --set from=" + from + " --set to=" + to);
    }
  }
}

// What needs no message launches no collective.
TEST_F(RedistributeTest, TransitionsTakeTheCollectiveTheyNeed_K81) {
  const auto kernels = [&](const std::string& from, const std::string& to) {
    const Json result =
        good("redistribute", sips(3) + "--set rows=18 --set cols=12 --set from=" + from + " --set to=" + to);
    std::vector<std::string> names;
    for (const Json& launch : result["launches"]) {
      if (launch["sip"] == 0) names.push_back(launch["kernel"]);
    }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(kernels("R", "R"), Names{});
  EXPECT_EQ(kernels("S0", "R"), Names{"direct_all_gather"});
  EXPECT_EQ(kernels("S1", "R"), (Names{"direct_all_gather", "tile_blocks"}));
  EXPECT_EQ(kernels("P", "R"), Names{"direct_allreduce"});
  // After it comes the gather of full_tensor.
  EXPECT_EQ(kernels("R", "S0"), (Names{"tile_blocks", "direct_all_gather"}));
  EXPECT_EQ(kernels("P", "S0"), (Names{"direct_reduce_scatter", "direct_all_gather"}));
  EXPECT_EQ(kernels("P", "S1"), (Names{"tile_blocks", "direct_reduce_scatter", "direct_all_gather", "tile_blocks"}));
  EXPECT_EQ(kernels("S0", "S1"), (Names{"tile_blocks", "direct_all_to_all", "direct_all_gather", "tile_blocks"}));
  EXPECT_EQ(kernels("S1", "S0"), (Names{"direct_all_to_all", "tile_blocks", "direct_all_gather"}));
}

TEST_F(RedistributeTest, WideTilesAreMovedInPieces) {
  good("redistribute", sips(2) + "--set rows=4 --set cols=40000 --set from=S0 --set to=S1");
  good("redistribute", sips(2) + "--set rows=2000 --set cols=40 --set from=S1 --set to=R");
}

TEST_F(RedistributeTest, BadPlacementsAreExplained) {
  const auto refuse = [&](const std::string& options) { return refused("redistribute", sips(6) + options); };
  EXPECT_THAT(refuse("--set rows=20 --set cols=12"),
              AllOf(HasSubstr("[Shard(0)]: 20 rows of a cube cannot be divided into 6 equal parts"),
                    HasSubstr("make it a multiple of 6")));
  EXPECT_THAT(refuse("--set rows=12 --set cols=20"), HasSubstr("20 columns of a cube cannot be divided into 6"));
  EXPECT_THAT(refuse("--set rows=3 --set cubes=2"), HasSubstr("3 rows cannot be divided over 2 cubes"));
  EXPECT_THAT(refuse("--set cubes=3"), HasSubstr("on 3 cubes; a SIP has 1 to 2"));
  EXPECT_THAT(refuse("--set mesh=2x3"), HasSubstr("1 placements on a mesh of 2 axes; give one per axis"));
  EXPECT_THAT(refuse("--set mesh=2x2"), HasSubstr("hold 4 ranks, but there are 6"));
  EXPECT_THAT(refuse("--set from=S2"), HasSubstr("write one of S0, S1, R, P"));
}

TEST_F(RedistributeTest, TensorAndDataParallelOnAGrid_K71_K72) {
  good("grid-linear", sips(6));
  good("grid-linear", sips(6) + "--set system.sips.topology=torus_2d --set system.sips.w=3 --set system.sips.h=2");
  good("grid-linear", sips(4) + "--set dp=4");
  good("grid-linear", sips(3));
  EXPECT_THAT(refused("grid-linear", sips(6) + "--set dp=4"), HasSubstr("axes dp = 4, tp = 1 hold 4 ranks"));
}

}  // namespace
}  // namespace kb::test
