// Points as overrides and as options of a command line. H-82q.
#include "sim/study/why/point.h"

#include <gmock/gmock.h>

namespace kb::why {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const Change kKey{Change::Where::key, "cube.links.router_overhead_ns", "", "0"};
const Change kNodes{Change::Where::nodes, "*.ucie-?", "overhead_ns", "0"};
const Change kLinks{Change::Where::links, "sip0.io0.pcie_ep -> fabric.switch0", "bw_gbs", "512"};
const Change kParameter{Change::Where::parameter, "tile_n", "", "256"};

TEST(Point, EntriesFollowThoseOfTheTopology) {
  EXPECT_THAT(overrides_of({{kNodes, kKey, kLinks, kParameter}, true}, 3),
              ElementsAre(Pair("replace[3].nodes", "\"*.ucie-?\""), Pair("replace[3].attrs.overhead_ns", "0"),
                          Pair("cube.links.router_overhead_ns", "0"),
                          Pair("replace[4].links", "sip0.io0.pcie_ep -> fabric.switch0"),
                          Pair("replace[4].attrs.bw_gbs", "512")));
}

TEST(Point, ParametersAreApart) {
  EXPECT_THAT(parameters_of({{kNodes, kParameter}, true}), ElementsAre(Pair("tile_n", "256")));
  EXPECT_THAT(overrides_of({{kParameter}, true}, 0), IsEmpty());
}

TEST(Point, OptionsArePinnedAndQuoted) {
  EXPECT_EQ(options_of({{kLinks}, true}, 0, "my runs/r"),
            "--pins 'my runs/r' --set 'replace[0].links=sip0.io0.pcie_ep -> fabric.switch0' "
            "--set 'replace[0].attrs.bw_gbs=512'");
  EXPECT_EQ(options_of({{kParameter}, false}, 0, "r"), "--set tile_n=256");
  EXPECT_EQ(options_of({{}, false}, 0, "r"), "");
}

TEST(Point, SupposedChangesOfAKernelAreReliefs) {
  const Change code{Change::Where::code, "no-wait", "", "gemm.cpp:41"};
  EXPECT_THAT(code_of({{kKey, code}, true}), ElementsAre("no-wait=gemm.cpp:41"));
  EXPECT_THAT(overrides_of({{code}, true}, 0), IsEmpty());
  EXPECT_EQ(options_of({{code, kNodes, kParameter}, true}, 2, "r"),
            "--pins r --relief no-wait=gemm.cpp:41 --set 'replace[2].nodes=\"*.ucie-?\"' "
            "--set 'replace[2].attrs.overhead_ns=0' --set tile_n=256");
}

// The options of a step begin with those of the step before, of which the table prints the rest only.
TEST(Point, MoreChangesAreMoreOptions) {
  const std::string one = options_of({{kNodes}, true}, 1, "r"), two = options_of({{kNodes, kKey}, true}, 1, "r");
  EXPECT_EQ(two.substr(0, one.size()), one);
}

TEST(Point, AQuoteIsQuoted) {
  EXPECT_EQ(quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(quoted(""), "''");
  EXPECT_EQ(quoted("a/b-c_d.so"), "a/b-c_d.so");
}

}  // namespace
}  // namespace kb::why
