// Attention panels on the reference machine (K-82 .. K-93, K-102).
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "tests/machine/cli/command_line.h"
#include "tests/support/sqlite_rows.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using Counts = std::map<std::string, int>;

const std::vector<std::string> kPanels{"single_user_prefill", "multi_user_prefill", "single_user_decode",
                                       "multi_user_decode"};

class AttentionTest : public CommandLineTest {
 protected:
  Outcome start(const std::string& options) {
    return kernbench("run --quiet --topology '" + config(machine_) + "' --bench attention --details --out out " +
                     options);
  }
  Json attention(const std::string& panel, const std::string& options, const std::string& mode = "--verify-data") {
    const Outcome outcome = start("--set panel=" + panel + " " + options + " " + mode);
    EXPECT_EQ(outcome.code, 0) << panel << " " << options << "\n" << outcome.err;
    const Json result = detailed();
    EXPECT_EQ(result.value("ok", false), true) << panel << " " << options;
    if (mode == "--verify-data") {
      EXPECT_EQ(result["verification"].size(), 1u) << panel;
    }
    return result;
  }
  // The five counts of K-93, from the statistics of the blocks.
  static Counts counts(const Json& result) {
    const std::map<std::string, std::vector<std::pair<std::string, std::string>>> of_block{
        {"pe_gemm", {{"commands", "gemm"}}},
        {"pe_dma", {{"read_commands", "dma_read"}, {"write_commands", "dma_write"}}},
        {"pe_ipcq",
         {{"E.sent", "ipcq_send"}, {"W.sent", "ipcq_send"}, {"E.received", "ipcq_recv"}, {"W.received", "ipcq_recv"}}}};
    Counts out;
    for (const auto& [node, statistics] : result["blocks"].items()) {
      const auto found = of_block.find(node.substr(node.rfind('.') + 1));
      if (found == of_block.end()) continue;
      for (const auto& [statistic, count] : found->second) {
        if (statistics.contains(statistic)) out[count] += statistics[statistic]["value"].get<int>();
      }
    }
    return out;
  }
  std::string machine_ = "reference";
};

// Prefill: n ranks, n blocks: 2 n^2 GEMMs and 2 n (n - 1) messages. Decode: 2 n GEMMs, n - 1 messages. Q, K and V are
// read once.
TEST_F(AttentionTest, ThePanelsAreRightAndCounted_K84_K87_K93_K102) {
  const std::map<std::string, Counts> expected{
      {"single_user_prefill",
       {{"gemm", 128}, {"ipcq_send", 112}, {"ipcq_recv", 112}, {"dma_read", 24}, {"dma_write", 8}}},
      {"multi_user_prefill", {{"gemm", 32}, {"ipcq_send", 24}, {"ipcq_recv", 24}, {"dma_read", 12}, {"dma_write", 4}}},
      {"single_user_decode", {{"gemm", 16}, {"ipcq_send", 7}, {"ipcq_recv", 7}, {"dma_read", 24}, {"dma_write", 1}}},
      {"multi_user_decode", {{"gemm", 8}, {"ipcq_send", 3}, {"ipcq_recv", 3}, {"dma_read", 12}, {"dma_write", 1}}},
  };
  for (const auto& [panel, count] : expected) EXPECT_EQ(counts(attention(panel, "")), count) << panel;
}

// The log has the same counts, and with rank_axis 1 nobody but PE 0 of the four cubes is in it.
TEST_F(AttentionTest, SilentPesDoNothing_K86_K102_E73) {
  for (const std::string panel : {"multi_user_prefill", "multi_user_decode"}) {
    attention(panel, "--oplog ops.sqlite");
    std::set<std::string> places;
    int gemms = 0;
    for (const auto& row : sql_rows(folder() + "/ops.sqlite", "SELECT component, op_name FROM ops")) {
      const std::size_t pe = row[0].find(".pe");
      if (pe == std::string::npos || row[0].find(".pe_", pe) == pe) continue;
      places.insert(row[0].substr(0, row[0].find('.', pe + 1)));
      gemms += row[1].rfind("gemm_", 0) == 0 ? 1 : 0;
    }
    EXPECT_EQ(places, (std::set<std::string>{"sip0.cube0.pe0", "sip0.cube1.pe0", "sip0.cube2.pe0", "sip0.cube3.pe0"}));
    EXPECT_EQ(gemms, panel == "multi_user_decode" ? 8 : 32);
  }
}

// K-97 for attention: queues change times, not data. Blocks follow slots that are too small for them, so that prefill
// adds up in another order then.
TEST_F(AttentionTest, QueuesDoNotChangeTheData_K97) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const std::string& panel : kPanels) {
    const Json expected = attention(panel, "")["verification"];
    for (const char* queues :
         {"--set n_slots=1", "--set n_slots=2", "--set buffer_kind=sram", "--set buffer_kind=hbm --set n_slots=1",
          "--set backpressure=poll --set n_slots=1", "--set credit=fabric"}) {
      EXPECT_EQ(attention(panel, queues)["verification"], expected) << panel << queues;
    }
    for (const char* small : {"--set slot_size=128 --set n_slots=1", "--set slot_size=400 --set n_slots=2"}) {
      attention(panel, small);
    }
  }
}

TEST_F(AttentionTest, NoDataModeMovesATimeStamp_H77) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const std::string& panel : kPanels) {
    const std::string options = "--set q_heads=8 --set kv_heads=2 --set n_slots=1 --set slot_size=512";
    const Json replay = attention(panel, options), eager = attention(panel, options, "--data eager --verify-data"),
               off = attention(panel, options, "--data off");
    EXPECT_EQ(replay["verification"], eager["verification"]);
    EXPECT_EQ(replay["launches"], eager["launches"]);
    EXPECT_EQ(replay["launches"], off["launches"]);
    EXPECT_EQ(replay["sim_time_ns"], off["sim_time_ns"]);
  }
}

TEST_F(AttentionTest, AnyHeadsRanksAndRoots) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const char* options :
       {"--set kv_heads=6 --set q_heads=12", "--set kv_heads=17 --set q_heads=17",
        "--set head_dim=48 --set context=24 --set s_q=8", "--set dtype=f32", "--set dtype=bf16", "--set causal=false",
        "--set causal=false --set s_q=70", "--set s_q=64", "--set context=5 --set s_q=3"}) {
    for (const std::string& panel : kPanels) attention(panel, options);
  }
  for (const char* options : {"--set ranks=1", "--set ranks=2", "--set ranks=3 --set context=64 --set s_q=5"}) {
    for (const std::string panel : {"multi_user_prefill", "multi_user_decode"}) attention(panel, options);
  }
  for (const char* options : {"--set root=0", "--set root=3 --set result=all", "--set result=all --set slot_size=64"}) {
    for (const std::string panel : {"single_user_decode", "multi_user_decode"}) attention(panel, options);
  }
}

// Shares of ranks differ by a row; what the memory of a rank has more is NaN.
TEST_F(AttentionTest, AContextThatTheRanksDoNotDivideIsRight_K89_K102) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const std::string& panel : kPanels) {
    for (const char* options :
         {"--set context=77", "--set context=77 --set s_q=77 --set causal=true", "--set context=77 --set causal=false",
          "--set context=1003 --set s_q=101 --set q_heads=6 --set kv_heads=2 --set data=real --set keys=50"}) {
      attention(panel, options);
    }
    const std::string uneven = "--set context=77 --set s_q=21 --set q_heads=4 --set kv_heads=2";
    const Json replay = attention(panel, uneven), off = attention(panel, uneven, "--data off");
    EXPECT_EQ(replay["launches"], off["launches"]) << panel;
  }
}

// The bound: bytes of K and V over the bandwidth of the ranks' HBM, 256 B/ns, and the exchange, which is what several
// ranks with one key each take longer than one.
TEST_F(AttentionTest, DecodeIsNearItsRoofline_K102) {
  KB_SKIP_UNDER_SANITIZERS();
  const auto time = [&](const std::string& machine, const std::string& panel, const std::string& sizes, int context) {
    machine_ = machine;
    const std::string options = sizes + " --set context=" + std::to_string(context);
    return attention(panel, options, "--data off")["launches"][0]["pe_exec_ns"]["max"].get<double>();
  };
  for (const std::string sizes :
       {"--set kv_heads=1 --set head_dim=64 --set q_heads=4", "--set kv_heads=1 --set head_dim=128 --set q_heads=8"}) {
    const double key = 2 * 2 * (sizes.find("=64") != std::string::npos ? 64 : 128) / 256.0;
    for (const std::string panel : {"single_user_decode", "multi_user_decode"}) {
      const int ranks = panel.front() == 's' ? 8 : 4;
      const double exchange = time("reference", panel, sizes, ranks) - time("one_pe", panel, sizes, 1);
      for (const int keys : {1024, 4096}) {
        const double taken = time("reference", panel, sizes, keys * ranks);
        EXPECT_LE(taken, 1.3 * (key * keys + exchange)) << panel << " " << sizes << " " << keys;
        EXPECT_GE(taken, key * keys + exchange) << panel << " " << sizes << " " << keys;
      }
    }
  }
  // What the guide says of a long context.
  const double exchange = time("reference", "single_user_decode", "", 8) - time("one_pe", "single_user_decode", "", 1);
  EXPECT_LE(time("reference", "single_user_decode", "", 131072), (16384 + exchange) / 0.9);
}

// The tokens of a whole context over 8 ranks: half of the products, and what the mask costs.
TEST_F(AttentionTest, ACausalMaskSavesTime_K102) {
  KB_SKIP_UNDER_SANITIZERS();
  const auto time = [&](const std::string& causal) {
    return attention("single_user_prefill", "--set context=8192 --set s_q=8192 --set causal=" + causal,
                     "--data off")["launches"][0]["pe_exec_ns"]["max"]
        .get<double>();
  };
  EXPECT_LE(time("true"), 0.6 * time("false"));
}

// Scratch does not limit the context, nor the number of queries.
TEST_F(AttentionTest, ALongContextOnOneCube_K84) {
  machine_ = "one_cube";
  attention("single_user_decode", "--set context=131072");
  for (const std::string& panel : kPanels) {
    attention(panel, "--set scale=headline --set context=131072 --set q_heads=8 --set kv_heads=1", "--data off");
  }
  attention("single_user_decode", "--set context=2048 --set s_q=300");
  attention("single_user_prefill", "--set context=2048 --set s_q=2000 --set q_heads=2 --set head_dim=16");
}

// The centre of a row hears the last partial two hops away, an end three.
TEST_F(AttentionTest, TheCentreOfARowCollectsSooner_K91) {
  const auto time = [&](const std::string& root) {
    return attention("multi_user_decode", "--set root=" + root, "--data off")["launches"][0]["pe_exec_ns"]["max"]
        .get<double>();
  };
  EXPECT_LT(time("2"), time("0"));
  EXPECT_EQ(time("2"), time("-1"));
}

TEST_F(AttentionTest, MoreQueriesPerCubeTakeLonger_K92) {
  for (const std::string panel : {"multi_user_prefill", "multi_user_decode"}) {
    double before = 0;
    for (const char* queries : {"1", "2", "4"}) {
      const Json result = attention(panel, "--set queries_per_cube=" + std::string(queries));
      const double time = result["launches"][0]["pe_exec_ns"]["max"].get<double>();
      EXPECT_GT(time, before) << panel << queries;
      before = time;
      EXPECT_EQ(counts(result)["gemm"], panel == "multi_user_decode" ? 8 : 32);
    }
  }
}

// 64 query and 8 K/V heads of 128 over a context of 8192, 8 ranks per K/V head.
TEST_F(AttentionTest, HeadlineScaleIsRight) {
  const Json decode = attention("single_user_decode", "--set scale=headline");
  EXPECT_EQ(counts(decode)["gemm"], 2 * 64 * 8);  // blocks of 128 keys
  EXPECT_EQ(decode["verification"][0]["shape"], (Json{64, 128}));
  EXPECT_EQ(counts(attention("multi_user_decode", "--set scale=headline", "--data off"))["gemm"], 2 * 4 * 8 * 16);
}

TEST_F(AttentionTest, OneCubeAndOnePe) {
  machine_ = "one_cube";
  for (const std::string& panel : kPanels) attention(panel, "");
  machine_ = "one_pe";
  for (const std::string& panel : kPanels) EXPECT_EQ(counts(attention(panel, ""))["ipcq_send"], 0) << panel;
}

TEST_F(AttentionTest, WhatDoesNotFitIsExplained) {
  const auto refused = [&](const std::string& options, int code) {
    const Outcome outcome = start(options);
    EXPECT_EQ(outcome.code, code) << options;
    return outcome.err;
  };
  EXPECT_THAT(refused("--set ranks=4", 1), HasSubstr("4 ranks on the ring of a cube's 8 PEs"));
  EXPECT_THAT(refused("--set panel=multi_user_decode --set ranks=5", 1), HasSubstr("has 4 cubes"));
  EXPECT_THAT(refused("--set s_q=65", 1),
              HasSubstr("65 causal query tokens are the last ones of a context of at least as "
                        "many keys, which has 64; use causal=false"));
  EXPECT_THAT(refused("--set q_heads=3 --set kv_heads=2", 1), HasSubstr("3 into 2"));
  EXPECT_THAT(refused("--set panel=multi_user_decode --set root=4", 1),
              HasSubstr("root = 4 is not a rank; use 0 to 3"));
  EXPECT_THAT(refused("--set slot_size=64", 1), HasSubstr("enlarge slot_size"));
  EXPECT_THAT(refused("--set panel=decode", 2), HasSubstr("single_user_decode"));
}

}  // namespace
}  // namespace kb::test
