// Groups of some of the SIPs, on whole machines (chapter 08, section 4).
#include <gmock/gmock.h>

#include "tests/machine/cli/small_sips.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class GroupsTest : public SmallSipsTest {};

TEST_F(GroupsTest, RandomGroupsGiveTheReference_K20) {
  const std::vector<std::string> in_place{"broadcast", "reduce", "allreduce-ranks", "send-recv"},
      blocks{"all-gather", "gather", "reduce-scatter", "scatter", "all-to-all"};
  for (int i = 0; i < 40; ++i) {
    const int count = between(1, 7);
    const std::string workload = "ccl-" + one_of(random_() % 2 == 0 ? in_place : blocks);
    std::string options = sips(count) + random_topology(count) + random_queues();
    options += " --set groups=" + random_groups(count) + " --set n_elem=" + std::to_string(between(1, 70));
    options += " --set dtype=" + one_of<std::string>({"f16", "bf16", "f32", "i8", "i16", "i32", "i64"});
    options += " --set cubes=" + one_of<std::string>({"all", "one"});
    if (workload == "ccl-reduce" || workload == "ccl-allreduce-ranks" || workload == "ccl-reduce-scatter") {
      options += " --set op=" + one_of<std::string>({"sum", "max", "min"});
    }
    EXPECT_FALSE(good(workload, options)["verification"].empty() && workload != "ccl-gather") << options;
  }
}

TEST_F(GroupsTest, RootsAreRanksOfTheGroup_K20) {
  for (const char* workload : {"broadcast", "reduce", "gather", "scatter"}) {
    for (const char* root : {"0", "2"}) {
      good(std::string("ccl-") + workload, sips(6) + "--set groups=5,0,3/1,4,2 --set root=" + root);
    }
  }
  EXPECT_THAT(
      refused("ccl-broadcast", sips(6) + "--set groups=5,0,3/1,4 --set root=2"),
      HasSubstr(
          "root 2 is not a rank of group 'group 2'; the group has ranks 0 to 1, which are ranks 1, 4 of the run"));
}

// Disjoint groups: their kernels run side by side, and hardly longer than alone.
TEST_F(GroupsTest, DisjointGroupsWorkAtTheSameTime) {
  const auto intervals = [&](const std::string& groups) {
    std::vector<std::pair<double, double>> all(6);
    const Json result = good("ccl-allreduce-ranks", sips(6) + "--set n_elem=2048 --set groups=" + groups, "--data off");
    for (const Json& launch : result["launches"]) {
      all[launch["sip"].get<std::size_t>()] = {
          launch["start_ns"], launch["start_ns"].get<double>() + launch["pe_exec_ns"]["max"].get<double>()};
    }
    return all;
  };
  const auto alone = intervals("0,2,4"), both = intervals("0,2,4/1,3,5");
  for (const std::size_t a : {0, 2, 4}) {
    for (const std::size_t b : {1, 3, 5}) {
      EXPECT_LT(both[a].first, both[b].second);
      EXPECT_LT(both[b].first, both[a].second);
    }
    EXPECT_LT(both[a].second - both[a].first, 1.5 * (alone[a].second - alone[a].first));
  }
}

// Groups bring their own queues, so that the wiring of the run need not have links between SIPs.
TEST_F(GroupsTest, GroupsNeedNoLinksOfTheConfiguredWiring) {
  write("ccl.yaml", "algorithms:\n  ring: { module: ring_allreduce, wiring: flat, topology: ring_1d }\n");
  good("ccl-all-gather", sips(3) + "--set ccl=ccl.yaml --set algorithm=ring --set groups=2,0");
}

TEST_F(GroupsTest, DataModesDoNotChangeTimes_H77) {
  const std::string options = sips(5) + "--set groups=4,1,2/1,3,0 --set n_elem=65";
  const Json expected = good("ccl-reduce-scatter", options), off = good("ccl-reduce-scatter", options, "--data off");
  EXPECT_EQ(expected["launches"], off["launches"]);
  EXPECT_EQ(expected["launches"], good("ccl-reduce-scatter", options, "--data eager")["launches"]);
}

TEST_F(GroupsTest, BadGroupsAreExplained) {
  EXPECT_THAT(refused("ccl-broadcast", sips(3) + "--set groups=0,3"),
              HasSubstr("new_group of ranks 0, 3: there is no rank 3; the run has ranks 0 to 2"));
  EXPECT_THAT(refused("ccl-broadcast", sips(3) + "--set groups=0,0"), HasSubstr("rank 0 is there twice"));
  for (const char* groups : {"0,", "0,2/", "a", "0;1"}) {
    EXPECT_THAT(refused("ccl-broadcast", sips(3) + "--set 'groups=" + groups + "'"),
                HasSubstr("write the ranks of each group with commas"));
  }
}

}  // namespace
}  // namespace kb::test
