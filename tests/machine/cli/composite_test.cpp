// Composites on a whole machine: right data in every mode, and times that the blocks' own figures explain.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;

class CompositeTest : public CommandLineTest {
 protected:
  Json run(const std::string& options) {
    const Outcome outcome =
        kernbench("run --quiet --topology '" + config("one_pe") + "' --details --out out " +
                  (options.find("--bench") == std::string::npos ? "--bench matmul-composite " : "") + options);
    EXPECT_EQ(outcome.code, 0) << options << "\n" << outcome.err;
    return detailed();
  }
  static double exec_ns(const Json& result) { return result["launches"].back()["pe_exec_ns"]["max"]; }
  static double figure(const Json& result, const std::string& block, const std::string& name) {
    return result["blocks"]["sip0.cube0.pe0." + block][name]["value"];
  }
};

TEST_F(CompositeTest, DataIsRightForEveryVariantAndDtype) {  // P-90, P-91
  for (const char* variant : {"ref", "load_ref", "load"}) {
    for (const char* dtype : {"f16", "f32", "i8"}) {
      const std::string options =
          std::string("--set m=70 --set k=130 --set n=45 --set variant=") + variant + " --set dtype=" + dtype;
      const Json replay = run(options + " --verify-data");
      EXPECT_EQ(replay["ok"], true) << options;
      EXPECT_EQ(replay["verification"].size(), 1u);
      EXPECT_EQ(run(options + " --data eager --verify-data")["sim_time_ns"], replay["sim_time_ns"]) << options;
      EXPECT_EQ(run(options + " --data off")["sim_time_ns"], replay["sim_time_ns"]) << options;
    }
  }
}

TEST_F(CompositeTest, EpiloguesTakeEffect) {  // P-13, P-14, P-18
  const std::string size = "--set m=70 --set k=130 --set n=45 --set dtype=";
  for (const char* chain : {"f16 --set epilogue=bias,relu", "f32 --set epilogue=scale=0.5:k_tile,relu:k_tile,bias",
                            "bf16 --set epilogue=relu:kernel", "i8 --set epilogue=bias,scale=3,relu",
                            "i8 --set epilogue=dequant:k_tile,bias", "i8 --set epilogue=relu,dequant,bias"}) {
    const Json replay = run(size + chain + " --verify-data");
    EXPECT_EQ(replay["ok"], true) << chain;
    EXPECT_EQ(replay["verification"].size(), 1u);
    EXPECT_EQ(run(size + chain + " --data eager --verify-data")["ok"], true) << chain;
    EXPECT_EQ(run(size + chain + " --data off")["sim_time_ns"], replay["sim_time_ns"]) << chain;
    EXPECT_GT(figure(replay, "pe_math", "commands"), 0) << chain;
  }
}

// Random chains of operations of PE_MATH with tensors, of both kinds of composites: verified in both modes that
// compute, with equal times in all three, and reads of exactly the operands' parts (P-14, P-25, P-102).
TEST_F(CompositeTest, RandomChainsAreRightAndReadWhatTheyNeed) {
  std::mt19937 random(7);
  const auto pick = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  const auto number = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int trial = 0; trial < 8; ++trial) {
    const int m = number(1, 80), k = number(1, 150), n = number(1, 80);
    const int tm = number(8, 32), tk = 2 * number(8, 32), tn = number(8, 32);
    const bool product = trial % 4 != 3;
    const std::string dtype = pick({"f16", "bf16", "f32"}), operand = pick({"f16", "f32"});
    const auto ceil = [](int a, int b) { return (a + b - 1) / b; };
    const int rows = ceil(m, tm), columns = ceil(n, tn), depths = ceil(k, tk), outputs = rows * columns;
    const int item = operand == "f32" ? 4 : 2;
    std::string chain;
    double operand_bytes = 0;
    int tensors = 0;  // a chain takes four
    for (int steps = number(1, 3); steps > 0; --steps) {
      const std::string op = tensors + steps < 4 ? pick({"mul", "add", "maximum", "fma"}) : "mul";
      const std::string scope = pick({"", ":output_tile"});
      std::string operands;
      for (int left = op == "fma" ? 2 : 1; left > 0; --left, ++tensors) {
        const std::string spread = pick({"full", "row", "column"});
        operands += (operands.empty() ? "=" : "/") + spread;
        operand_bytes += item * (spread == "full" ? m * n : spread == "row" ? n * rows : m * columns);
      }
      chain += (chain.empty() ? "" : ",") + op + operands + scope;
      if (steps == 1) chain += pick({"", ",gelu", ",silu,relu", ",tanh:kernel", ",sub=1@2"});
    }
    const std::string reuse = pick({"auto", "off"});
    const std::string options = (product ? "--bench matmul-composite --set k=" + std::to_string(k) +
                                               " --set tile_k=" + std::to_string(tk) + " --set reuse_a=" + reuse
                                         : "--bench math-composite --set op=" + pick({"gelu", "abs", "cast"})) +
                                " --set m=" + std::to_string(m) + " --set n=" + std::to_string(n) +
                                " --set tile_m=" + std::to_string(tm) + " --set tile_n=" + std::to_string(tn) +
                                " --set dtype=" + dtype + " --set operand_dtype=" + operand +
                                " --set epilogue=" + chain;
    const Json replay = run(options + " --verify-data");
    ASSERT_EQ(replay["ok"], true) << options;
    const Json eager = run(options + " --data eager --verify-data");
    EXPECT_EQ(eager["ok"], true) << options;
    EXPECT_EQ(eager["sim_time_ns"], replay["sim_time_ns"]) << options;
    EXPECT_EQ(run(options + " --data off")["sim_time_ns"], replay["sim_time_ns"]) << options;
    const int own = dtype == "f32" ? 4 : 2;
    const int a_times = reuse == "auto" ? 1 : columns;  // everything fits
    const double inputs = product ? own * (m * k * a_times + k * n * rows) : own * m * n;
    EXPECT_EQ(figure(replay, "pe_dma", "read_bytes"), inputs + operand_bytes) << options;
    EXPECT_EQ(figure(replay, "pe_scheduler", "tiles"), product ? outputs * depths : outputs) << options;
  }
}

TEST_F(CompositeTest, OperandsOfEveryScopeAndPlaceAreRight) {  // P-13, P-14
  const std::string size = "--set m=70 --set k=130 --set n=45 --verify-data --set dtype=";
  for (const char* chain :
       {"f16 --set epilogue=mul=row:k_tile,add=full:kernel", "f16 --set epilogue=where=full/0@2,add=column:k_tile",
        "bf16 --set epilogue=sub=full@2,clamp=-3/3", "f32 --set epilogue=gt=0 --set operand_dtype=f32",
        "i8 --set epilogue=add=full,mul=column,dequant,gelu", "i32 --set epilogue=shl=row,bit_and=255",
        "f16 --set epilogue=fma=row/full,silu --set memory=tcm,hbm,sram"}) {
    EXPECT_EQ(run(size + chain)["ok"], true) << chain;
  }
  for (const char* model : {"va", "la"}) {
    EXPECT_EQ(run(size + "f16 --set epilogue=mul=row,add=full --set cube.memory_map.address_model=" + model)["ok"],
              true)
        << model;
  }
}

TEST_F(CompositeTest, TheLogNamesOperandsOfEpilogues) {
  run("--set m=64 --set k=64 --set n=32 --set epilogue=gelu,add=full,fma=row/2@3 --oplog ops.tsv");
  const std::string log = read("ops.tsv");
  EXPECT_THAT(log, testing::HasSubstr(R"("operand":"epilogue","epilogue":1,"nbytes":2048})"));
  EXPECT_THAT(log, testing::HasSubstr(R"({"op":"gelu","scope":"output_tile"},{"op":"add","scope":"output_tile",)"
                                      R"("src_addr":)"));
  EXPECT_THAT(log, testing::HasSubstr(R"("op":"fma","scope":"output_tile","product_input":3,"src_addr":)"));
  EXPECT_THAT(log, testing::HasSubstr(R"("second":{"value":2}})"));
}

TEST_F(CompositeTest, AIsReadOncePerRowOfTiles) {  // P-102
  const std::string attribute = " --set cube.pe_template.components.pe_scheduler.attrs.reuse_a=";
  const std::string size = "--set m=70 --set k=130 --set n=100 --verify-data";
  const auto reads = [&](const std::string& options) {
    const Json result = run(size + options);
    EXPECT_EQ(result["ok"], true) << options;
    return figure(result, "pe_dma", "read_bytes");
  };
  const double a = 70 * 130 * 2, b = 130 * 100 * 2 * 3;
  EXPECT_EQ(reads(""), a + b);
  EXPECT_EQ(reads(attribute + "off"), 4 * a + b);
  EXPECT_EQ(reads(attribute + "off --set reuse_a=auto"), a + b);
  EXPECT_EQ(reads(" --set reuse_a=off"), 4 * a + b);
  EXPECT_EQ(reads(" --set cube.memory_map.tcm_scheduler_reserved_bytes=24576"), a + b);  // 3 x 4096 + 2 x 6144
  EXPECT_EQ(reads(" --set cube.memory_map.tcm_scheduler_reserved_bytes=24560"), 4 * a + b);
}

TEST_F(CompositeTest, TheLogHasEveryStageOfEveryTile) {  // P-25, P-72: 8 tiles, 4 of the output
  run("--set m=64 --set k=128 --set n=64 --set epilogue=relu --oplog ops.tsv");
  std::map<std::string, int> count;
  std::istringstream lines(read("ops.tsv"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i < 7; ++i) std::getline(fields, field, '\t');
    ++count[field];
  }
  EXPECT_EQ(count["TileToken/DMA_READ"], 12);  // B for each tile, A for those of the first column (P-102)
  for (const char* name : {"TileToken/FETCH", "TileToken/GEMM"}) EXPECT_EQ(count[name], 8) << name;
  for (const char* name : {"TileToken/MATH", "TileToken/STORE", "TileToken/DMA_WRITE"})
    EXPECT_EQ(count[name], 4) << name;
  EXPECT_EQ(count["composite_gemm"], 1);
}

TEST_F(CompositeTest, AnUnknownEpilogueIsRefusedByName) {  // P-14
  const auto refused = [&](const std::string& epilogue) {
    const Outcome outcome = kernbench("run --quiet --bench matmul-composite --set epilogue=" + epilogue + " --out out");
    EXPECT_EQ(outcome.code, 2) << epilogue;  // a mistake of the command line
    EXPECT_THAT(files(), testing::Not(testing::Contains("out/result.json"))) << epilogue;
    return outcome.err;
  };
  EXPECT_THAT(refused("rleu"), testing::HasSubstr("did you mean 'relu'?"));
  EXPECT_THAT(refused("relu:ktile"), testing::HasSubstr("did you mean 'k_tile'?"));
  EXPECT_THAT(refused("scale"), testing::HasSubstr("scale needs its factor"));
  EXPECT_THAT(refused("bias,dequant,dequant:k_tile"), testing::HasSubstr("one dequant can take the tensor"));
  EXPECT_THAT(refused("scale=0.5 --set dtype=i8"), testing::HasSubstr("the product is an integer"));
  EXPECT_THAT(refused("geru"), testing::HasSubstr("did you mean 'gelu'?"));
  EXPECT_THAT(refused("sum"), testing::HasSubstr("no element-wise operation 'sum'"));
  EXPECT_THAT(refused("mul=roow"), testing::HasSubstr("'roow' is neither a number nor full, row or column"));
  EXPECT_THAT(refused("fma=2"), testing::HasSubstr("fma takes 2 operands beside the product, not 1"));
  EXPECT_THAT(refused("sub=1@3"), testing::HasSubstr("it has 1 to 2"));
  EXPECT_THAT(refused("gelu --set dtype=i8"), testing::HasSubstr("defined for floats"));
  EXPECT_THAT(refused("add=full --set operand_dtype=i8"), testing::HasSubstr("give a float operand"));
  EXPECT_THAT(refused("none --set tile_m=16"), testing::HasSubstr("all of tile_m, tile_k and tile_n"));
}

TEST_F(CompositeTest, TheReadChannelLimitsStreamedOperands) {  // P-11, P-37: at least 95 % of its busy time
  const Json result = run("--set m=256 --set k=512 --set n=256");
  const double limit = figure(result, "pe_dma", "read_busy");
  EXPECT_GT(limit, figure(result, "pe_gemm", "busy"));
  EXPECT_GE(exec_ns(result), limit);
  EXPECT_LE(exec_ns(result), limit / 0.95);
}

// Femtoseconds of a time in a result.
std::int64_t fs(const Json& ns) {
  return std::llround(ns.get<double>() * 1e6);
}

TEST_F(CompositeTest, TheReportSaysWhereTheTimeWentAndWhatLimits) {
  const std::string attrs = "cube.pe_template.components.";
  const auto limiter = [&](const std::string& options) {
    const Json launch = run(options)["launches"].back();
    const Json& parts = launch["breakdown"];
    std::int64_t sum = 0;
    for (const auto& [name, value] : parts.items()) {
      if (value.is_number()) sum += fs(value);
    }
    EXPECT_EQ(sum, fs(launch["completed_ns"]) - fs(launch["submit_ns"])) << options;
    EXPECT_GT(parts["gemm_ns"], 0);
    return parts["limiter"].get<std::string>();
  };
  EXPECT_EQ(limiter(""), "read_channel");
  EXPECT_EQ(limiter("--set " + attrs + "pe_dma.attrs.rd_engines=2"), "hbm_slice");
  EXPECT_EQ(limiter("--set variant=load"), "compute");
  EXPECT_EQ(limiter("--set " + attrs + "pe_tcm.attrs.write_bw_gbs=1"), "tcm_write");
  EXPECT_EQ(limiter("--set " + attrs + "pe_tcm.attrs.read_bw_gbs=50"), "tcm_read");
}

// The bars of a GEMM with two read channels: 95 % of the busiest of array, wire and memory, which also takes the
// writes.
TEST_F(CompositeTest, TwoReadChannelsReachTheLink) {
  const std::string two = "--set cube.pe_template.components.pe_dma.attrs.rd_engines=2";
  for (const char* rate : {"4096", "1024"}) {
    const Json result = run(two + " --set cube.pe_template.components.pe_gemm.attrs.mac_per_ns=" + rate);
    const Json& busy = result["launches"].back()["breakdown"]["busy"];
    const double bound = std::max(
        {busy["compute_ns"].get<double>(), busy["read_link_ns"].get<double>(), busy["hbm_slice_ns"].get<double>()});
    EXPECT_GE(exec_ns(result), bound);
    EXPECT_LE(exec_ns(result), bound / 0.95) << rate;
  }
}

TEST_F(CompositeTest, TheArrayLimitsLoadedOperands) {  // P-40: 512 tiles of 16 ns
  const Json result = run("--set m=256 --set k=512 --set n=256 --set variant=load");
  EXPECT_DOUBLE_EQ(figure(result, "pe_gemm", "busy"), 512 * 16.0);
  EXPECT_LE(exec_ns(result) - figure(result, "pe_dma", "read_busy"), 512 * 16.0 / 0.95);
}

TEST_F(CompositeTest, DotAndCompositeOccupyTheArrayAlike) {  // P-28: edges of every size, and rows alone
  for (const char* size : {"--set m=1 --set k=512 --set n=256", "--set m=70 --set k=130 --set n=45"}) {
    const Outcome outcome = kernbench("run --quiet --topology '" + config("one_pe") +
                                      "' --details --out dot --bench gemm-single-pe " + size);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json dot = detailed("dot"), composite = run(size);
    for (const char* name : {"busy", "macs", "useful_macs"}) {
      EXPECT_EQ(figure(dot, "pe_gemm", name), figure(composite, "pe_gemm", name)) << size << " " << name;
    }
    const Json& launch = dot["launches"].back();
    EXPECT_EQ(launch["macs"], figure(dot, "pe_gemm", "macs"));
    EXPECT_GT(launch["macs"], launch["useful_macs"]);
  }
}

TEST_F(CompositeTest, TheTileShapeIsTheMachinesUnlessGiven) {  // P-20
  const std::string size = "--set m=64 --set k=128 --set n=64";
  EXPECT_EQ(figure(run(size), "pe_scheduler", "tiles"), 8);
  EXPECT_EQ(
      figure(run(size + " --set cube.pe_template.components.pe_scheduler.attrs.tile_k=32"), "pe_scheduler", "tiles"),
      16);
  EXPECT_EQ(figure(run(size + " --set tile_m=64 --set tile_k=128 --set tile_n=64 --set "
                              "cube.pe_template.components.pe_fetch_store.attrs.register_file_kb=96"),
                   "pe_scheduler", "tiles"),
            1);
  EXPECT_EQ(kernbench("run --quiet --bench matmul-composite --set tile_m=64 --out out").code, 2);
}

TEST_F(CompositeTest, TilesThatDoNotFitAreRefused) {
  const Outcome outcome =
      kernbench("run --quiet --topology '" + config("one_pe") +
                "' --bench matmul-composite --set tile_m=1024 --set tile_k=64 --set tile_n=1024 --out out");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, testing::HasSubstr("OUT_OF_REGISTERS"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("choose a smaller tile shape"));
}

}  // namespace
}  // namespace kb::test
