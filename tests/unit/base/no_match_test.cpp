#include "platform/base/no_match.h"

#include <gtest/gtest.h>

namespace kb {
namespace {

std::string help(const char* pattern) {
  static const std::vector<std::string> names{"fabric.switch0",   "sip0.cube0.m_cpu",      "sip0.cube0.r0c0",
                                              "sip0.cube0.r0c1",  "sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe0",
                                              "sip0.cube1.m_cpu", "sip0.io0.io_cpu",       "sip1.cube0.m_cpu"};
  return no_match_help(pattern, names);
}

TEST(NoMatch, APatternIsFollowedToTheLevelWhereNothingMatches) {
  EXPECT_EQ(help("sip0.cube7.r*"), "sip0 has cube0 to cube1");
  EXPECT_EQ(help("sip*.cube7.r*"), "sip0 has cube0 to cube1");
  EXPECT_EQ(help("sip2.cube0.r*"), "names begin with sip0 to sip1");
  EXPECT_EQ(help("sip0.cube0.r1*"), "sip0.cube0 has hbm_ctrl, m_cpu, pe0, r0c0 to r0c1");
  EXPECT_EQ(help("sip0.cube0.pe0.pe_gem?"), "sip0.cube0.pe0 has pe_dma");
  EXPECT_EQ(help("nothing*"), "names begin with fabric, sip0 to sip1");
  EXPECT_EQ(help("*.nothing"), "fabric has switch0") << "the star may stand for several levels";
  EXPECT_EQ(help("sip0.cube0.m_cpu.*"), "");
}

TEST(NoMatch, APlainNameHasANearOneOrALevelBelow) {
  EXPECT_EQ(help("sip0.cube0.pe0.pe_dna"), "did you mean 'sip0.cube0.pe0.pe_dma'?");
  EXPECT_EQ(help("sip0.cube0.pe0"), "write 'sip0.cube0.pe0.*' for what is in it");
  EXPECT_EQ(help("x"), "names begin with fabric, sip0 to sip1");
  EXPECT_EQ(help(""), "names begin with fabric, sip0 to sip1");
}

TEST(NoMatch, LongListsAreCutOff) {
  std::vector<std::string> names;
  for (char c = 'a'; c <= 'z'; ++c) names.emplace_back(1, c);
  EXPECT_EQ(no_match_help("1*", names), "names begin with a, b, c, d, e, f, g, h, i, j, k, l and more");
}

}  // namespace
}  // namespace kb
