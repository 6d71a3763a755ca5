// Attention over a paged cache in the machine: right results, no races, and its times on the reference machine.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class PagedAttentionTest : public CommandLineTest {
 protected:
  Json run(const std::string& options) {
    const Outcome outcome =
        kernbench("run --quiet --no-findings --device sip:0 --out out --bench paged-attention " + options);
    EXPECT_EQ(outcome.code, 0) << options << outcome.err;
    return Json::parse(read("out/result.json"), nullptr, false);
  }
  // Time of the slowest PE, in ns.
  static double time_of(const Json& result, const std::string& kernel) {
    for (const Json& launch : result["launches"]) {
      if (launch["kernel"] == kernel) return launch["pe_exec_ns"]["max"];
    }
    ADD_FAILURE() << "no launch of " << kernel;
    return 0;
  }
  void is_right(const std::string& options) {
    const Json result = run("--verify-data " + options);
    EXPECT_EQ(result["verification"].size(), 4u) << options;
    for (const Json& row : result["verification"]) EXPECT_EQ(row["ok"], true) << options << " " << row["tensor"];
  }
};

constexpr const char* kFourCubes =
    "system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: 2, h: 2 } }\n"
    "cube: { pe_layout: { corners: [NW, SE], pe_per_corner: 2 } }\n";

TEST_F(PagedAttentionTest, IsRight_K235) {
  const std::string four = " --topology '" + folder() + "/" + write("four.yaml", kFourCubes) + "'";
  is_right("--set sequences=3x40,1x20+30");
  is_right("--set sequences=9x100,2x20+30 --set data=real --set kv_heads=2 --set dtype=f32" + four);
  is_right(
      "--set sequences=2x700,1x70+600 --set data=real --set heads=12 --set kv_heads=3 --set head_dim=64 "
      "--set window=501 --set norm=rms --set dtype=f16");
  is_right(
      "--topology one_pe --set sequences=3x50,1x9+20 --set data=real --set heads=6 --set kv_heads=2 "
      "--set head_dim=20 --set window=17 --set rotation=interleaved");
}

TEST_F(PagedAttentionTest, HasNoRaces) {
  for (const std::string sequences : {"3x40,2x20+30", "32x100,1x140+9"}) {
    const Outcome outcome = kernbench(
        "run --no-findings --device sip:0 --out out --data replay --check races --bench paged-attention "
        "--set sequences=" +
        sequences);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("none: every two uses of the same bytes"));
  }
}

// A SIP of 16 x 8 PEs, bf16, 8 query and 1 K/V heads of 128. Times are exact; the bounds are a little above them.
TEST_F(PagedAttentionTest, TakesItsTime) {
  const Json one = run("--set sequences=1x4096");
  EXPECT_LE(time_of(one, "rope_append"), 510);
  EXPECT_LE(time_of(one, "paged_attention_decode"), 1100);
  const Json many = run("--set sequences=32x4096");
  EXPECT_LE(time_of(many, "rope_append"), 1200);
  constexpr double kBytes = 2.0 * 32 * 4096 * 128 * 2, kMemory = 128 * 256;
  EXPECT_GE(kBytes / kMemory / time_of(many, "paged_attention_decode"), 0.54);
  const Json chunk = run("--set sequences=1x512+4096");
  EXPECT_LE(time_of(chunk, "rope_append"), 1300);
  EXPECT_LE(time_of(chunk, "paged_attention_prefill"), 30'500);
  // With 8 K/V heads each PE of a cube has one of them.
  EXPECT_LE(time_of(run("--set sequences=4x1000 --set heads=32 --set kv_heads=8"), "paged_attention_decode"), 2'450);
  EXPECT_LE(time_of(run("--set sequences=16x1000 --set heads=32 --set kv_heads=8"), "paged_attention_decode"), 5'300);
  // A few more tokens are no second pass over the keys.
  EXPECT_LE(
      time_of(run("--set sequences=1x65+1024 --set heads=32 --set kv_heads=8"), "paged_attention_prefill"),
      1.05 * time_of(run("--set sequences=1x64+1024 --set heads=32 --set kv_heads=8"), "paged_attention_prefill"));
  const Json heads = run("--set sequences=1x512+0 --set heads=64 --set kv_heads=8");
  EXPECT_LE(time_of(heads, "rope_append"), 8'800);
  EXPECT_LE(time_of(heads, "paged_attention_prefill"), 13'800);
}

TEST_F(PagedAttentionTest, MistakesAreExplained) {
  const auto refused = [&](const std::string& options, const std::string& piece) {
    const Outcome outcome = kernbench("run --quiet --out out --bench paged-attention " + options);
    EXPECT_EQ(outcome.code, 1) << options;
    EXPECT_THAT(outcome.err, HasSubstr(piece)) << options;
  };
  refused("--set sequences=4x", "sequences '4x': '4x' is not COUNTxCONTEXT or COUNTxTOKENS+PAST");
  refused("--set sequences=2x7,0x5", "'0x5' is not COUNTxCONTEXT");
  refused("--set sequences=1x5+", "'1x5+' is not COUNTxCONTEXT");
  refused("--set sequences=1000000x1000000", "have more than 4194304 blocks or new tokens");
  refused("--set heads=6 --set kv_heads=4", "6 query heads are not a multiple of 4 K/V heads");
  refused("--set head_dim=7", "head_dim 7 has no halves; it must be even");
}

}  // namespace
}  // namespace kb::test
