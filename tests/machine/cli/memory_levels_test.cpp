// What each level of the memory moved in whole runs, against traffic worked out by hand. H-82o.
#include "sim/analysis/recorded/memory_levels.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "sim/analysis/recorded/run_folder.h"
#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using analysis::MemoryLevel;

class MemoryLevelsRunTest : public CommandLineTest {
 protected:
  // The levels of the longest launch, from its submission to its completion.
  std::map<std::string, MemoryLevel> levels(const std::string& options) {
    const Outcome outcome = kernbench("run --quiet --record rec " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const nlohmann::json launches = nlohmann::json::parse(read("rec/result.json"))["launches"];
    double begin = 0, end = 0;
    for (const nlohmann::json& launch : launches) {
      if (launch["completed_ns"].get<double>() - launch["submit_ns"].get<double>() <= end - begin) continue;
      begin = launch["submit_ns"];
      end = launch["completed_ns"];
    }
    const analysis::RunFolder run(folder() + "/rec");
    const auto fs = [](double ns) { return std::llround(ns * 1e6); };
    const std::vector<analysis::Use> uses = run.activity().uses(fs(begin), fs(end));
    std::map<std::string, MemoryLevel> found;
    for (const MemoryLevel& level : memory_levels(run.activity(), uses, *run.machine(), run.nodes().scope("sip0")))
      found[level.name] = level;
    return found;
  }
};

// Without reuse a tile of C needs all tiles of its row of A and its column of B: A is read n / tile_n times, B
// m / tile_m times, and C is written once.
TEST_F(MemoryLevelsRunTest, AGemm) {
  const double size = 256, tile = 32, f16 = 2;
  const double read = 2 * size * size * f16 * (size / tile), written = size * size * f16;
  const std::string gemm =
      "--topology '" + config("one_pe") +
      "' --bench matmul-composite --set m=256 --set k=256 --set n=256 --set tile_m=32 --set tile_n=32 "
      "--set tile_k=64 --set reuse_a=off ";
  auto found = levels(gemm);
  EXPECT_EQ(found.size(), 3u) << "HBM, TCM and the link of the PE";
  EXPECT_DOUBLE_EQ(found["HBM"].bytes, read + written);
  EXPECT_DOUBLE_EQ(found["HBM"].gbs, 256) << "8 channels of 32 GB/s";
  EXPECT_DOUBLE_EQ(found["TCM"].bytes, read) << "every tile that is read is fetched";
  EXPECT_DOUBLE_EQ(found["TCM"].gbs, 512);
  EXPECT_DOUBLE_EQ(found["link"].bytes, read);
  EXPECT_DOUBLE_EQ(found["link"].gbs, 256);
  found = levels(gemm + "--set cube.components.hbm_ctrl.attrs.efficiency=0.5");
  EXPECT_DOUBLE_EQ(found["HBM"].bytes, read + written);
  EXPECT_DOUBLE_EQ(found["HBM"].gbs, 128 * (read + written) / read) << "writes have a wire of their own";
}

TEST_F(MemoryLevelsRunTest, ADmaOverOnePairOfUcieWires) {
  const std::string one = "--topology '" + config("one_sip") +
                          "' --bench pe-to-pe --set method=dma --set bytes=65536 --set from=sip0.cube0.pe0 ";
  auto found = levels(one + "--set to=sip0.cube1.pe0");
  EXPECT_DOUBLE_EQ(found["UCIe"].bytes, 65536);
  EXPECT_DOUBLE_EQ(found["UCIe"].gbs, 512);
  EXPECT_DOUBLE_EQ(found["link"].bytes, 65536) << "in for the load and out for the store: one direction counts";
  EXPECT_DOUBLE_EQ(found["link"].gbs, 256);
  EXPECT_DOUBLE_EQ(found["HBM"].bytes, 2 * 65536) << "read here and written there";
  EXPECT_DOUBLE_EQ(found["HBM"].gbs, 2 * 256) << "two slices";
  EXPECT_EQ(found.count("PCIe"), 0u);
  found = levels(one + "--set to=sip0.cube15.pe0");
  EXPECT_DOUBLE_EQ(found["UCIe"].bytes, 65536) << "a byte counts once, over how many wires it may go";
}

// One B for the cube in its SRAM, of which each of 8 PEs reads all; two tiles of C beside each other need it by halves.
TEST_F(MemoryLevelsRunTest, TheSramOfACube) {
  auto found = levels("--topology '" + config("one_cube") +
                      "' --bench gemm-multi-pe --set rows_per_pe=8 --set k=256 --set n=256 --set memory=hbm,sram,hbm");
  EXPECT_DOUBLE_EQ(found["SRAM"].bytes, 8 * 256 * 256 * 2);
  EXPECT_DOUBLE_EQ(found["SRAM"].gbs, 128);
}

}  // namespace
}  // namespace kb::test
