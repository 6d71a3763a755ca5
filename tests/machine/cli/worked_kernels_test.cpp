// The worked kernels of the guide: right results, no races, and how near they come to what a PE can do at most.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

// A PE of the reference machine, per ns: 256 bytes of HBM, 4096 products and 256 elements of f16.
constexpr double kBytes = 256, kMacs = 4096, kElements = 256;

class WorkedKernelsTest : public CommandLineTest {
 protected:
  // Time of the slowest PE in the launch of `kernel`, in ns.
  double time_of(const std::string& options, const std::string& kernel) {
    const Outcome outcome = kernbench("run --quiet --no-findings --out out --bench " + options);
    EXPECT_EQ(outcome.code, 0) << options << outcome.err;
    const Json result = Json::parse(read("out/result.json"), nullptr, false);
    for (const Json& launch : result["launches"]) {
      if (launch["kernel"] == kernel) return launch["pe_exec_ns"]["max"];
    }
    ADD_FAILURE() << "no launch of " << kernel;
    return 0;
  }
  void is_right(const std::string& options) {
    const Outcome outcome = kernbench("run --no-findings --out out --verify-data --bench " + options);
    EXPECT_EQ(outcome.code, 0) << options << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("verified: the data is right")) << options;
  }
  void has_no_races(const std::string& options) {
    const Outcome outcome = kernbench("run --no-findings --out out --data replay --check races --bench " + options);
    EXPECT_EQ(outcome.code, 0) << options << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("none: every two uses of the same bytes")) << options;
  }
};

struct Bound {
  double roof = 0;  // the largest of what the memory, the array and PE_MATH need
  double slot = 0;  // PE_GEMM and PE_MATH take turns
};

// Attention of 16 queries of d elements over `keys` keys: two products, whose 16 rows occupy the array like 32; in f32
// max, fma, exp, sum and cast of each score, and one pass over the result for each block of 256 keys except the first.
Bound attention_bound(double keys, double d) {
  const double bytes = 2 * 2 * keys * d / kBytes, array = 2 * 32 * keys * d / kMacs;
  const double math = (5 * 16 * keys + (keys / 256 - 1) * 16 * d) / (kElements / 2);
  return {std::max({bytes, array, math}), std::max(bytes, array + math)};
}

// The bar: at least 1.6 times as fast as with blocking loads, and 85 % of what its own operations need.
TEST_F(WorkedKernelsTest, FlashAttentionHidesItsLoads) {
  const std::string attention = "flash-attention --set context=8192 --set head_dim=128 --set dtype=f16";
  const double time = time_of(attention, "flash_attention");
  const double blocking = time_of(attention + " --set variant=blocking", "flash_attention");
  EXPECT_GE(blocking / time, 1.7) << blocking << " " << time;
  EXPECT_GE(attention_bound(8192, 128).slot / time, 0.96) << time;
  EXPECT_GE(attention_bound(8192, 128).roof / time, 0.72) << time;
}

TEST_F(WorkedKernelsTest, FlashAttentionIsRight) {
  for (const char* const mask : {" --set mask=none", " --set mask=causal"}) {
    for (const char* const context :
         {" --set context=8192", " --set context=1001", " --set context=257 --set queries=19"}) {
      is_right(std::string("flash-attention") + mask + context);
    }
    is_right(
        std::string("flash-attention --set pes=all --set rows=7 --set keys=50 --set queries=129 --set context=333") +
        mask);
    is_right(std::string("flash-attention --set variant=blocking --set data=real --set context=777") + mask);
    is_right(std::string("flash-attention --set data=real --set dtype=bf16 --set queries=1 --set context=63") + mask);
  }
  has_no_races("flash-attention --set pes=all --set queries=128 --set context=1001 --set mask=causal");
}

// y (m, n) = RMSNorm(x) w with x (m, k); everything is read and written once.
Bound rms_bound(double m, double k, double n) {
  const double bytes = 2 * (m * k + k + k * n + m * n) / kBytes;
  const double array = m * k * n / kMacs;
  const double squares = m * k * 32 / kMacs;
  const double math = m * k / kElements + 2 * m * n / (kElements / 2);  // x g, and both passes over the product in f32
  return {std::max({bytes, array, math}), std::max(bytes, array + squares + math)};
}

TEST_F(WorkedKernelsTest, RmsNormMatmulIsNearItsRoofline) {
  const double time = time_of("rms-norm-matmul", "rms_norm_matmul");
  const Bound bound = rms_bound(64, 2048, 512);
  EXPECT_GE(bound.roof / time, 0.84) << time;
  EXPECT_GE(bound.slot / time, 0.95) << time;
  const double longer = time_of("rms-norm-matmul --set hidden=4096", "rms_norm_matmul");
  EXPECT_GE(rms_bound(64, 4096, 512).roof / longer, 0.87) << longer;
  EXPECT_GE(time_of("rms-norm-matmul --set variant=blocking", "rms_norm_matmul") / time, 1.4);
}

TEST_F(WorkedKernelsTest, RmsNormMatmulIsRight) {
  is_right("rms-norm-matmul");
  is_right("rms-norm-matmul --set data=real --set dtype=bf16");
  // Products of such sizes need much memory of Eigen, in the moment in which the kernel's stack is the one in use.
  is_right("rms-norm-matmul --set data=real --set tokens=77 --set hidden=2000 --set columns=500");
  is_right("rms-norm-matmul --set pes=all --set dtype=f32 --set columns=1000 --set tokens=5");
  has_no_races("rms-norm-matmul --set pes=all --set columns=16384 --set hidden=1024");
}

// Every element is read and written once, and so is a row of the table per token.
double rotary_bound(double tokens, double heads, double d) {
  const double bytes = 2 * tokens * d * (2 * heads + 1) / kBytes, math = 3 * tokens * heads * d / kElements;
  return std::max(bytes, math);
}

TEST_F(WorkedKernelsTest, RotaryEmbeddingIsNearItsRoofline) {
  const double all = time_of("rotary-embedding", "rotary_embedding");
  EXPECT_GE(rotary_bound(4096 / 128, 32, 128) / all, 0.92) << all;
  const double one = time_of("rotary-embedding --set pes=one --set tokens=256", "rotary_embedding");
  EXPECT_GE(rotary_bound(256, 32, 128) / one, 0.98) << one;
  EXPECT_GE(time_of("rotary-embedding --set variant=blocking", "rotary_embedding") / all, 1.6);
}

TEST_F(WorkedKernelsTest, RotaryEmbeddingIsRight) {
  is_right("rotary-embedding --set tokens=1000");
  is_right("rotary-embedding --set tokens=777 --set heads=3 --set head_dim=6 --set first_position=40 --set data=real");
  is_right("rotary-embedding --set tokens=50 --set pes=one --set dtype=f32 --set data=real");
  has_no_races("rotary-embedding");
}

// Routing of tokens (t, d) to k of e experts: six passes over the logits in f32 for each of the k.
Bound routing_bound(double t, double d, double e, double k) {
  const double bytes = (2 * (t * d + d * e) + 8 * t * k + 4 * e) / kBytes;
  const double array = t * d * e / kMacs, math = 6 * k * t * e / (kElements / 2);
  return {std::max({bytes, array, math}), std::max(bytes, array + math)};
}

TEST_F(WorkedKernelsTest, TopkRoutingIsNearItsRoofline) {
  const double one = time_of("topk-routing", "topk_routing");
  const Bound bound = routing_bound(256, 4096, 64, 2);
  EXPECT_GE(bound.roof / one, 0.85) << one;
  EXPECT_GE(bound.slot / one, 0.93) << one;
  const double all = time_of("topk-routing --set pes=all --set tokens=4096", "topk_routing");
  EXPECT_GE(routing_bound(32, 4096, 64, 2).roof / all, 0.77) << all;
  EXPECT_GE(time_of("topk-routing --set variant=blocking", "topk_routing") / one, 1.45);
  // 512 rows of 8 KiB, which one memory gives and takes.
  const double gather = time_of("topk-routing", "gather_rows");
  EXPECT_GE(2 * 512 * 8192 / kBytes / gather, 0.97) << gather;
}

TEST_F(WorkedKernelsTest, TopkRoutingIsRight) {
  is_right("topk-routing --set tokens=100 --set k=4");
  is_right("topk-routing --set data=real --set dtype=bf16 --set dim=1000 --set tokens=70");
  is_right("topk-routing --set pes=all --set data=real --set tokens=300 --set dim=512 --set experts=11 --set k=3");
  is_right("topk-routing --set pes=all --set tokens=5 --set dim=64 --set experts=1 --set k=1");
  is_right("topk-routing --set tokens=40 --set dim=256 --data eager");
  has_no_races("topk-routing --set pes=all --set tokens=1024 --set dim=512");
  const Outcome outcome = kernbench("run --quiet --out out --bench topk-routing --set k=65");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("k=65: a token has 64 experts to choose from; give k 1 to 64"));
}

// Atomic additions, messages and host in between: equal runs give equal bytes.
TEST_F(WorkedKernelsTest, RoutingIsDeterministic) {
  const std::string options =
      "run --quiet --verify-data --oplog ops.txt --out out --bench topk-routing --set pes=all --set tokens=300 --set "
      "dim=64";
  ASSERT_EQ(kernbench(options).code, 0);
  const std::string log = read("ops.txt");
  const Json result = without_host(Json::parse(read("out/result.json"), nullptr, false));
  ASSERT_EQ(kernbench(options).code, 0);
  EXPECT_EQ(read("ops.txt"), log);
  EXPECT_EQ(without_host(Json::parse(read("out/result.json"), nullptr, false)), result);
}

}  // namespace
}  // namespace kb::test
