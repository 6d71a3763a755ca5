// Collectives between ranks on whole machines: every rank's result equals the host's (chapter 08, section 14).
#include <gmock/gmock.h>

#include "tests/machine/cli/collectives.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

// One slot per ring, and several messages per block: no order of messages may depend on room in a queue.
TEST_F(CollectivesTest, CollectivesBetweenRanksOnEveryTopologyOfSips_K20) {
  KB_SKIP_UNDER_SANITIZERS();
  use_small_machine();
  for (const std::string& machine :
       {sips(1), sips(2), sips(3), sips(16), sips(2, "torus_2d", 2, 1), sips(3, "torus_2d", 1, 3), sips(4, "torus_2d"),
        sips(9, "torus_2d"), sips(15, "torus_2d", 3, 5), sips(15, "torus_2d", 5, 3), sips(6, "torus_2d", 3, 2),
        sips(6, "torus_2d", 2, 3), sips(6, "mesh_2d_no_wrap", 2, 3), sips(9, "mesh_2d_no_wrap"),
        sips(5, "mesh_2d_no_wrap", 5, 1)}) {
    for (const std::string& workload : rank_workloads()) {
      for (const char* exchange : {"path", "auto"}) {
        const Json result = between_ranks(
            workload, machine + "--set n_slots=1 --set n_elem=7 --set chunk=3 --set exchange=" + exchange);
        EXPECT_FALSE(result["verification"].empty());
      }
    }
  }
}

TEST_F(CollectivesTest, CollectivesBetweenRanksWithEveryRootOpAndDtype_K20) {
  KB_SKIP_UNDER_SANITIZERS();
  use_small_machine();
  for (const std::string& machine : {sips(5), sips(6, "mesh_2d_no_wrap", 3, 2), sips(6, "torus_2d", 3, 2)}) {
    for (const char* root : {"1", "3"}) {
      for (const char* workload : {"broadcast", "reduce", "gather", "scatter"}) {
        between_ranks(workload, machine + "--set root=" + root);
        between_ranks(workload, machine + "--set n_elem=999 --set chunk=40 --set root=" + root);
      }
      for (const char* target : {"0", "4"}) {
        between_ranks("send-recv", machine + "--set source=" + root + " --set target=" + target);
      }
    }
  }
  for (const char* dtype : {"bf16", "f32", "i8", "i16", "i32", "i64"}) {
    for (const char* workload : {"all-gather", "all-to-all"}) {
      between_ranks(workload, sips(3) + "--set n_elem=5 --set dtype=" + dtype);
    }
    for (const char* op : {"sum", "max", "min", "avg"}) {
      between_ranks("reduce-scatter", sips(3) + "--set n_elem=5 --set dtype=" + dtype + " --set op=" + op);
    }
    between_ranks("reduce", sips(3) + "--set n_elem=5 --set op=avg --set dtype=" + dtype);
  }
}

// Blocks and pieces that the ranks do not divide, and more messages than are received together.
TEST_F(CollectivesTest, StraightExchangesOfManyMessages_K20) {
  use_small_machine();
#ifdef __SANITIZE_ADDRESS__
  const std::vector<int> counts{3};  // the others take minutes there
#else
  const std::vector<int> counts{2, 3, 8};
#endif
  for (const int n : counts) {
    const std::string many = "--set n_elem=" + std::to_string(1200 / (n - 1) + 1) + " --set chunk=1";
    for (const std::string& workload : rank_workloads()) {
      for (const std::string& size : {std::string("--set n_elem=1"), std::string("--set n_elem=2"), many,
                                      std::string("--set n_elem=5011 --set slot_size=512")}) {
        const std::string options = sips(n) + "--set cubes=one --set exchange=direct " + size;
        between_ranks(workload, options);
        if (workload == "allreduce-ranks") between_ranks(workload, options + " --set blocks=yes");
        if (workload == "allreduce-ranks") between_ranks(workload, options + " --set blocks=no --set n_slots=1");
      }
    }
  }
}

TEST_F(CollectivesTest, RanksWithoutRoomForLinksWithAllOthersAreTold) {
  use_small_machine();
  const std::string run = "run --quiet --topology '" + machine_ + "' --bench ccl-all-gather --out out" + sips(16) +
                          "--set n_elem=8 --set slot_size=16384 --set n_slots=5 --set exchange=";
  EXPECT_EQ(kernbench(run + "path").code, 0);
  EXPECT_EQ(kernbench(run + "auto").code, 0);
  const Outcome direct = kernbench(run + "direct");
  EXPECT_EQ(direct.code, 1);
  EXPECT_THAT(direct.err, HasSubstr("all_gather: there is no room for rings between every two of 16 ranks"));
}

TEST_F(CollectivesTest, QueuesAndDataModesDoNotChangeCollectivesBetweenRanks_K97_H77) {
  KB_SKIP_UNDER_SANITIZERS();
  use_small_machine();
  for (const std::string& workload : rank_workloads()) {
    const std::string base = sips(4) + "--set n_elem=65 ";
    const Json expected = between_ranks(workload, base);
    for (const char* queues :
         {"--set buffer_kind=sram --set n_slots=2", "--set buffer_kind=hbm --set credit=fabric",
          "--set backpressure=poll --set n_slots=1", "--set slot_size=16", "--set slot_size=1", "--set cubes=one"}) {
      between_ranks(workload, base + queues);
    }
    const Json eager = between_ranks(workload, base, "--data eager"), off = between_ranks(workload, base, "--data off");
    EXPECT_EQ(expected["verification"], eager["verification"]);
    EXPECT_EQ(expected["launches"], eager["launches"]);
    EXPECT_EQ(expected["launches"], off["launches"]);
  }
}

}  // namespace
}  // namespace kb::test
