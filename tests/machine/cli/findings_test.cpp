// Planted causes of slowness: each is the first finding, with a gain that mending it brings.
#include "tests/machine/cli/findings.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

// The rows of B that a tile reads lie 512 B apart: every second burst, so every second pseudo-channel.
TEST_F(FindingsTest, IdlePseudoChannelsOfTheDefaultGemm) {
  const Json narrow = run("--bench gemm-multi-pe"), wide = run("--bench gemm-multi-pe --set tile_n=256");
  EXPECT_EQ(first(narrow), "idle_pseudo_channels");
  EXPECT_FALSE(has(wide, "idle_pseudo_channels"));
  expect_gain(narrow, wide, 0.2);
  EXPECT_THAT(narrow["findings"][0]["headline"].get<std::string>(), HasSubstr("hbm_ctrl"));
  EXPECT_THAT(narrow["findings"][0]["evidence"][0].get<std::string>(), HasSubstr("of 8 are busy"));
}

TEST_F(FindingsTest, APitchThatIsAPowerOfTwo) {
  const Json square = run("--bench gemm-single-pe");
  EXPECT_EQ(first(square), "idle_pseudo_channels");
  expect_gain(square, run("--bench gemm-single-pe --set cube.components.hbm_ctrl.attrs.channel_hash=xor"), 0.2);
  const std::string gemm =
      "--bench gemm-single-pe --set m=32 --set k=512 --set n=1024 --set tile_n=128 --set tile_k=256";
  const Json by_address = run(gemm);
  EXPECT_EQ(first(by_address), "idle_pseudo_channels");
  expect_gain(by_address, run(gemm + " --set cube.components.hbm_ctrl.attrs.channel_hash=xor"), 0.2);
}

// One read at a time: the way there and back is longer than the data.
TEST_F(FindingsTest, SmallTransfersOfAComposite) {
  const Json one = run("--bench matmul-composite");
  EXPECT_EQ(first(one), "small_transfers");
  expect_gain(one, run("--bench matmul-composite --set cube.pe_template.components.pe_dma.attrs.rd_outstanding=4"),
              0.1);
}

TEST_F(FindingsTest, SmallMessages) {
  const Json small = slow("small-messages");
  EXPECT_EQ(first(small), "small_transfers");
  expect_gain(small, slow("none"), 0.2);
}

TEST_F(FindingsTest, MissingOverlap) {
  const Json blocking = run("--bench flash-attention --set variant=blocking");
  EXPECT_EQ(first(blocking), "missing_overlap");
  expect_gain(blocking, run("--bench flash-attention --set variant=double_buffered"), 0.2);
  const std::string spread = "--bench gemm-single-pe --set cube.components.hbm_ctrl.attrs.channel_hash=xor";
  EXPECT_EQ(first(run(spread)), "missing_overlap");
}

TEST_F(FindingsTest, HotSlice) {
  const std::string one_cube = "--topology '" + config("one_cube") + "'";
  const Json of_eight = slow("hot-slice", one_cube);
  EXPECT_EQ(first(of_eight), "hot_slice");
  // The promise is that of a copy for each PE, which brings more than spreading the tensor.
  const double brought = longest_launch_ns(of_eight) / longest_launch_ns(slow("none", one_cube));
  EXPECT_GE(of_eight["findings"][0]["factor"].get<double>(), brought);
  EXPECT_LE(of_eight["findings"][0]["factor"].get<double>(), 1.3 * brought);
  const Json result = slow("hot-slice");
  EXPECT_EQ(first(result), "hot_slice");
  EXPECT_THAT(result["findings"][0]["headline"].get<std::string>(), HasSubstr("sip0.cube0.hbm_ctrl.pe0"));
  EXPECT_GT(longest_launch_ns(result) / longest_launch_ns(slow("none")), 20.0);
}

TEST_F(FindingsTest, SlicesInTurn) {
  const Json in_turn = slow("in-turn"), staggered = slow("staggered");
  EXPECT_EQ(first(in_turn), "slices_in_turn");
  // An even use of the slices is the most: accesses in different orders still collide.
  const double brought = longest_launch_ns(in_turn) / longest_launch_ns(staggered);
  EXPECT_GE(in_turn["findings"][0]["factor"].get<double>(), brought);
  EXPECT_LE(in_turn["findings"][0]["factor"].get<double>(), 2 * brought);
  EXPECT_NE(first(run("--bench flash-attention --device sip:0 --set pes=all --set queries=4096 --set context=4096 "
                      "--set mask=causal")),
            "slices_in_turn")
      << "its PEs begin with different blocks";
}

TEST_F(FindingsTest, Straggler) {
  const Json result = slow("straggler");
  EXPECT_EQ(first(result), "straggler");
  EXPECT_EQ(result["findings"][0]["headline"], "sip0.cube1.pe2 ends late");
  expect_gain(result, slow("none"), 0.2);
}

TEST_F(FindingsTest, SlowLink) {
  const std::string narrow = "--set cube.links.pe_to_router_bw_gbs=32";
  const Json result = slow("none", narrow);
  EXPECT_EQ(first(result), "hot_link");
  EXPECT_THAT(result["findings"][0]["headline"].get<std::string>(), HasSubstr("pe_dma is full"));
  expect_gain(result, slow("none", "--set cube.links.pe_to_router_bw_gbs=64"), 0.2);
}

// The cable of SIP 2 to the switch has a quarter of the lanes of the others, in one direction.
TEST_F(FindingsTest, ASlowLinkAmongEqualOnes) {
  KB_SKIP_UNDER_SANITIZERS();
  write("m.yaml", read_config("six_sips_torus") +
                      "replace: [{ links: \"sip2.io0.pcie_ep -> *switch*\", attrs: { bw_gbs: 8 } }]\n");
  const std::string sips = "--topology m.yaml --set system.links.io_ep_to_switch_bw_gbs=32 --bench ccl-allreduce ";
  const std::string ring = sips + "--set n_elem=2048 --set algorithm=ring_allreduce ";
  const Json slow_ring = run(ring), mended = run(ring + "--set 'replace[0].attrs.bw_gbs=32'");
  EXPECT_EQ(first(slow_ring), "slow_link");
  EXPECT_EQ(slow_ring["findings"][0]["headline"], "the wire sip2.io0.pcie_ep -> fabric.switch0 is slow");
  EXPECT_THAT(slow_ring["findings"][0]["evidence"][0].get<std::string>(),
              HasSubstr("it carries 8 GB/s, others of its kind 32, and is busy for "));
  EXPECT_FALSE(has(mended, "slow_link"));
  expect_gain(slow_ring, mended, 0.2);
  const Json small = run(sips + "--set n_elem=256 --set algorithm=ring_allreduce");
  EXPECT_FALSE(has(small, "slow_link")) << "busy for two thirds of the kernel, and in nobody's way";
  const Json blocks = run(sips + "--set n_elem=32768");
  EXPECT_EQ(first(blocks), "slow_link") << "also where the launch that ended last is on another SIP";
  EXPECT_NE(blocks["findings"][0]["launch"], blocks["launches"][3]["id"]);
}

TEST_F(FindingsTest, HostBound) {
  const Json copies = slow("host"), none = slow("launches");
  EXPECT_EQ(first(copies), "host_bound");
  EXPECT_FALSE(has(none, "host_bound"));
  EXPECT_NEAR(copies["findings"][0]["factor"].get<double>() * span_ns(none) / span_ns(copies), 1.0, 0.01);
}

TEST_F(FindingsTest, LaunchOverhead) {
  EXPECT_EQ(first(run("--bench noop")), "launch_overhead");
}

TEST_F(FindingsTest, SerialChainOfMessages) {
  EXPECT_EQ(first(run("--bench ccl-allreduce")), "header_bound");
  EXPECT_EQ(first(run("--bench ccl-allreduce --set candidates=hierarchical --set n_elem=8192")),
            "waiting_for_messages");
}

TEST_F(FindingsTest, AWaitIsFollowedToItsOrigin) {
  const auto relay = [&](const std::string& options) {
    write("ccl.yaml",
          "defaults: { algorithm: ring }\nalgorithms: { ring: { module: none, links: ["
          "{ from: sip0.cube0.pe0, to: sip0.cube0.pe1, send: next, receive: before }, "
          "{ from: sip0.cube0.pe1, to: sip0.cube0.pe2, send: next, receive: before }, "
          "{ from: sip0.cube0.pe2, to: sip0.cube0.pe3, send: next, receive: before }, "
          "{ from: sip0.cube0.pe3, to: sip0.cube0.pe0, send: next, receive: before }] } }\n");
    return run("--plugin " KB_SLOW_PLUGIN " --bench relay --set ccl=ccl.yaml --topology '" + config("one_cube") + "' " +
               options);
  };
  const Json even = relay("--set rounds=2"), late = relay("--set late=1");
  const Json& headers = finding(even, "header_bound");
  EXPECT_EQ(
      headers["evidence"][2],
      "chain: sip0.cube0.pe3 < sip0.cube0.pe2 < sip0.cube0.pe1 < sip0.cube0.pe0 < sip0.cube0.pe3 < sip0.cube0.pe2 < "
      "sip0.cube0.pe1; 53 % of its 155.9 ns pass on the way of 6 messages");
  EXPECT_EQ(headers["evidence"][3],
            "origin: sip0.cube0.pe1; none of them is late, the longest message, from sip0.cube0.pe3 to sip0.cube0.pe0, "
            "took 23.2 ns");
  EXPECT_EQ(headers["chain"].size(), 6u);
  EXPECT_EQ(headers["chain"][0],
            Json::parse(R"({"pe": "sip0.cube0.pe3", "waited_for": "sip0.cube0.pe2", "awaited_ns": 438.797526,
                            "sent_ns": 516.600034, "arrived_ns": 524.180034, "received_ns": 524.680034})"));
  EXPECT_EQ(first(late), "waiting_for_messages");
  EXPECT_EQ(late["findings"][0]["evidence"][1],
            "it waited longest for sip0.cube0.pe2: 1011.2 ns for 8 of its messages");
  EXPECT_EQ(late["findings"][0]["evidence"][2],
            "chain: sip0.cube0.pe3 < sip0.cube0.pe2 < sip0.cube0.pe1 < sip0.cube0.pe0 < sip0.cube0.pe3 < (25 more) < "
            "sip0.cube0.pe1; 38 % of its 1097.2 ns pass on the way of 30 messages");
  EXPECT_EQ(late["findings"][0]["evidence"][3],
            "origin: sip0.cube0.pe1 was late because it waited for transfers for 85 % of the 460.0 ns before it sent");
  EXPECT_EQ(late["findings"][0]["chain"].size(), 30u);
  EXPECT_TRUE(run("--bench noop")["findings"][0]["chain"].empty());
}

// Messages of 16 B through serial decoders.
TEST_F(FindingsTest, HeadersOfASmallAllReduce) {
  const std::string run_of = "--bench ccl-allreduce --topology '" + config("seed_timing") + "' ";
  const Json small = run(run_of);
  const Json halved = run(run_of +
                          "--set cube.links.router_overhead_ns=1 --set cube.ucie.attrs.overhead_ns=4 "
                          "--set system.components.switch.attrs.overhead_ns=2.5 "
                          "--set 'sip.io_chiplets[0].components.io_ucie.attrs.overhead_ns=4'");
  EXPECT_EQ(first(small), "header_bound");
  EXPECT_EQ(
      small["findings"][0]["evidence"][0],
      "sip0.cube12.pe0 waits 1244.7 ns; the headers of 10 messages and their credits, one behind the other, take 97 % "
      "of it");
  EXPECT_EQ(small["findings"][0]["evidence"][1],
            "most of that passes in nodes of kind ucie, whose one decoder takes headers in turn");
  const auto kernel_ns = [](const Json& result) {
    return result["launches"].back()["pe_exec_ns"]["max"].get<double>();
  };
  const double half = small["findings"][0]["gain_ns"].get<double>() / 2;
  EXPECT_NEAR((kernel_ns(small) - kernel_ns(halved)) / half, 1.0, 0.2);
}

// No resource of the PE is busy for half of the time, so that the limiter is what it waited for.
TEST_F(FindingsTest, TheLimiterIsWhatThePeWaitedFor) {
  const Outcome outcome = kernbench("run --bench ccl-allreduce --out out");
  EXPECT_THAT(outcome.out, HasSubstr("\n  limiter: waited for messages, mostly from sip1.cube14.pe0, 96.7 % of the "
                                     "kernel's time\n"));
  const Json breakdown = Json::parse(read("out/result.json"))["launches"].back()["breakdown"];
  EXPECT_EQ(breakdown["limiter"], "dependency");
  EXPECT_EQ(breakdown["limiter_text"], "waited for messages, mostly from sip0.cube14.pe0, 96.7 %");
  const Json alone = run("--bench ccl-allreduce --no-findings")["launches"].back()["breakdown"];
  EXPECT_THAT(alone["limiter_text"].get<std::string>(), HasSubstr("waited for other PEs, "));
  const Json gemm = run("--bench gemm-multi-pe")["launches"].back()["breakdown"];
  EXPECT_EQ(gemm["limiter_text"], "the DMA read channels, round trips included, 66.2 %");
}

// 512 reads of 64 KiB tiles and 4 KiB rows: what the wire of the PE does not need is waiting. Products wait for
// nothing.
TEST_F(FindingsTest, MostExpensiveOperations) {
  const Json operations = run("--bench gemm-multi-pe")["operations"];
  ASSERT_EQ(operations.size(), 3u) << "writes of the host are none";
  EXPECT_EQ(operations[0]["name"], "dma_read");
  EXPECT_EQ(operations[0]["count"], 512);
  EXPECT_NEAR(operations[0]["waiting_ns"].get<double>() / operations[0]["time_ns"].get<double>(), 0.505, 0.001);
  EXPECT_EQ(operations[0]["longest"]["pe"], "sip0.cube15.pe3");
  EXPECT_EQ(operations[0]["longest"]["time_ns"], 521.050002);
  EXPECT_EQ(operations[1]["name"], "gemm_f16");
  EXPECT_EQ(operations[1]["waiting_ns"], 0);
  EXPECT_EQ(operations[1]["time_ns"], 65536);
  const Json composite = run("--bench matmul-composite")["operations"];
  EXPECT_EQ(composite.size(), 5u);
  EXPECT_EQ(composite[0]["name"], "composite_gemm");
  EXPECT_TRUE(composite[0]["waiting_ns"].is_null());
  EXPECT_TRUE(run("--bench gemm-multi-pe --no-findings")["operations"].empty());
}

TEST_F(FindingsTest, PaddedTiles) {
  const std::string gemm = "--bench gemm-multi-pe --set rows_per_pe=1 --set tile_n=256";
  const Json padded = run(gemm);
  EXPECT_EQ(first(padded), "padded_tiles");
  expect_gain(padded, run(gemm + " --set cube.pe_template.components.pe_gemm.attrs.gemm_granularity=none"), 0.05);
}

TEST_F(FindingsTest, FullRingOfMessages) {
  const auto stream = [&](int slots, const std::string& options = "") -> Json {
    write("ccl.yaml", "defaults: { algorithm: pair, n_slots: " + std::to_string(slots) + " }\n" +
                          "algorithms: { pair: { module: none, links: "
                          "[{ from: sip0.cube0.pe0, to: sip0.cube0.pe1, send: next, receive: before }] } }\n");
    return run("--plugin " KB_SLOW_PLUGIN " --bench message-stream --set ccl=ccl.yaml --topology '" +
               config("one_cube") + "'" + options);
  };
  const Json one = stream(1), enough = stream(16);
  EXPECT_EQ(first(one), "full_queue");
  EXPECT_EQ(one["findings"][0]["headline"],
            "sip0.cube0.pe0 waits for free slots at sip0.cube0.pe1, which waits for its messages");
  EXPECT_FALSE(has(enough, "full_queue"));
  // The receiver is delayed by its own credits.
  EXPECT_EQ(first(enough), "header_bound");
  expect_gain(enough, stream(16, " --set cube.links.router_overhead_ns=0"), 0.25);
  const Json slow_queue = stream(64, " --set cube.pe_template.components.pe_ipcq.attrs.overhead_ns=20");
  EXPECT_FALSE(has(slow_queue, "full_queue")) << "slots are free";
  expect_gain(one, enough, 0.2);
}

// A longer queue behind an engine brings nothing when what empties it is busy all the time.
TEST_F(FindingsTest, AQueueBeforeAFullStoreCannotPay) {
  const std::string pe = " --set cube.pe_template.components.";
  const std::string gemm = "--bench matmul-composite --set variant=load --set m=512 --set k=64 --set n=512";
  const Json busy = run(gemm + pe + "pe_fetch_store.attrs.queue_depth=1" + pe + "pe_tcm.attrs.write_bw_gbs=64");
  EXPECT_GT(busy["launches"].back()["breakdown"]["queue_full_ns"].get<double>(), 4000);
  const Json deep = run(gemm + pe + "pe_tcm.attrs.write_bw_gbs=64");
  expect_gain(busy, deep, 0.1);
}

TEST_F(FindingsTest, ALateLaunch) {
  const Json result = run("--plugin " KB_SLOW_PLUGIN " --bench late");
  EXPECT_EQ(first(result), "late_launch");
  const Json small = run("--plugin " KB_SLOW_PLUGIN " --bench late --set blocks=1");
  const Json none = run("--plugin " KB_SLOW_PLUGIN " --bench late --set blocks=0");
  EXPECT_EQ(first(small), "late_launch");
  EXPECT_NE(first(none), "late_launch");
  EXPECT_GT(longest_launch_ns(small) / longest_launch_ns(none), 20.0);
}

// The memory delivers all the time, so that no overlap could bring more.
TEST_F(FindingsTest, AFullMemoryIsNoMissingOverlap) {
  const Json result = run("--bench matmul-composite --set cube.pe_template.components.pe_dma.attrs.rd_outstanding=4");
  EXPECT_FALSE(has(result, "missing_overlap"));
}

TEST_F(FindingsTest, ComputeBound) {
  EXPECT_EQ(first(run("--bench gemm-single-pe --set cube.pe_template.components.pe_gemm.attrs.mac_per_ns=128")),
            "compute_bound");
}

// The longer launch begins first; until the other one has ended, the time counts for that.
TEST_F(FindingsTest, LaunchesThatOverlapOnASip) {
  const Json result = slow("beside");
  EXPECT_EQ(result["launches"].size(), 2u);
  EXPECT_LT(result["launches"][1]["submit_ns"], result["launches"][0]["start_ns"]);
  EXPECT_EQ(first(result), "small_transfers");
  EXPECT_EQ(result["findings"][0]["launch"], result["launches"][0]["id"]);
}

TEST_F(FindingsTest, TheReportSaysWhatToTry) {
  const Outcome outcome = kernbench("run --out out");
  EXPECT_THAT(outcome.out, HasSubstr("\nFindings"));
  EXPECT_THAT(outcome.out, HasSubstr("try: make rows that are read together cover all channels"));
}

// Findings that say little in particular are behind others that gain nearly as much. Headers of
// transfers promise more than was counted for them, by which they stand.
TEST_F(FindingsTest, GainsAreSortedAndLessThanTheirLaunch) {
  for (const char* options : {"--bench tp-mlp", "--bench attention", "--bench layernorm"}) {
    std::map<bool, double> last{{false, 1e9}, {true, 1e9}};
    const Json all = run(options);
    for (const Json& finding : all["findings"]) {
      const double factor = finding["factor"].get<double>();
      const std::string rule = finding["rule"];
      const bool general = rule == "missing_overlap" || rule == "waiting_for_messages" || rule == "compute_bound";
      EXPECT_GT(factor, 1.0);
      EXPECT_LT(finding["gain_ns"], finding["of_ns"]);
      if (finding["headline"].get<std::string>().rfind("transfers spend", 0) == 0) continue;
      EXPECT_LE(factor, last[general]) << rule;
      last[general] = factor;
    }
  }
}

}  // namespace
}  // namespace kb::test
