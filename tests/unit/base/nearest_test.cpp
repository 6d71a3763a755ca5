#include "platform/base/nearest.h"

#include <gtest/gtest.h>

namespace kb {
namespace {

using Names = std::vector<std::string>;

TEST(Nearest, ANameThatBeginsWithTheWordOrContainsItComesFirst) {
  EXPECT_EQ(nearest_name("matmul", {"batmul", "matmul-composite-multi-pe", "matmul-composite"}), "matmul-composite");
  EXPECT_EQ(nearest_name("time-limit", {"--host-time-limit-s", "--time-limit-ns"}), "--time-limit-ns");
  EXPECT_EQ(nearest_name("allreduce", {"ccl-allreduce-ranks", "ccl-allreduce"}), "ccl-allreduce");
  EXPECT_EQ(nearest_name("ab", {"cabin"}), "") << "two letters are in too many names";
}

TEST(Nearest, TypingErrorsAreFewInShortWords) {
  EXPECT_EQ(nearest_name("nope", {"copy"}), "");
  EXPECT_EQ(nearest_name("rum", {"run"}), "run");
  EXPECT_EQ(nearest_name("mroe", {"more"}), "more") << "swapped neighbours are one error";
  EXPECT_EQ(nearest_name("m", {"n"}), "");
  EXPECT_EQ(nearest_name("mm", {"m"}), "m");
  EXPECT_EQ(nearest_name("eagre", {"eager"}), "eager");
  EXPECT_EQ(nearest_name("overhaed", {"overheat", "overhead"}), "overhead");
  EXPECT_EQ(nearest_name("softmaks", {"softmax"}), "softmax");
  EXPECT_EQ(nearest_name("sovtmaks", {"softmax"}), "");
  EXPECT_EQ(nearest_name("router_lnk_bw_gb", {"router", "router_link_bw_gbs"}), "router_link_bw_gbs");
}

TEST(Nearest, CapitalsAreNotCompared) {
  EXPECT_EQ(nearest_name("trfc", {"tRRDS", "tRFC", "tRFCPB"}), "tRFC");
  EXPECT_EQ(nearest_name("nw", {"NW", "NE"}), "NW");
  EXPECT_EQ(nearest_name("PE_READ", {"pe_write", "pe_read"}), "pe_read");
}

TEST(Nearest, APartOfAWordOrAFirstPartOfANameIsBetterThanNothing) {
  EXPECT_EQ(nearest_name("--out-directory", {"--hops", "--out"}), "--out");
  EXPECT_EQ(nearest_name("fabric.switch12", {"fabric.switch0", "fabric.switch1"}), "fabric.switch1");
  EXPECT_EQ(nearest_name("gemmm", {"copy", "gemm-single-pe"}), "gemm-single-pe");
  EXPECT_EQ(nearest_name("seam", {"sram_to_router"}), "");
}

TEST(Nearest, DashesOfAnOptionDoNotMakeItNear) {
  const Names options{"--help", "--vcd", "--bench", "--set"};
  EXPECT_EQ(nearest_name("--result", options), "");
  EXPECT_EQ(nearest_name("--ccl", options), "");
  EXPECT_EQ(nearest_name("-help", options), "--help");
  EXPECT_EQ(nearest_name("--bnech", options), "--bench");
  EXPECT_EQ(nearest_name("--", options), "");
}

TEST(Nearest, WithoutANearNameAllAreListed) {
  EXPECT_EQ(suggest("x", {"a", "bb"}), "known: a, bb");
  EXPECT_EQ(suggest("", {"a"}), "known: a");
  EXPECT_EQ(suggest(std::string(300, 'a'), {"a"}), "known: a");
}

}  // namespace
}  // namespace kb
