// The shipped evaluations on machines other than the reference machine, and interruptions (chapter 09). On the
// reference machine: tests/machine/evaluations.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/machine/cli/command_line.h"
#include "tests/support/sqlite_rows.h"

namespace kb::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class EvaluateTest : public CommandLineTest {
 protected:
  // A copy with these shapes, "m,k,n" each.
  void gemm_of(const std::string& shapes) const {
    fs::remove_all(folder() + "/g");
    ASSERT_EQ(kernbench("evaluate gemm --copy g").code, 0);
    std::string lines = "m,k,n,drawn\n";
    for (const char c : shapes) lines += c == ' ' ? std::string(",yes\n") : std::string(1, c);
    write("g/shapes.csv", lines + ",yes\n");
  }
  Outcome gemm(const std::string& options, const std::string& prefix = "") const {
    return kernbench("evaluate g --topology '" + config("one_pe") + "' " + options, prefix);
  }
  SqlRows rows(const std::string& database, const std::string& query) const {
    return sql_rows(folder() + "/" + database, query);
  }
};

// The model follows what a machine is made for to study, so that the simulation stays below it and long runs come near.
TEST_F(EvaluateTest, TheModelFollowsTheMachine_E30_E32) {
  gemm_of("32,64,32 32,3000,32 70,300,65");
  const std::string pe = "--set cube.pe_template.components.";
  const std::string wide =
      " --set cube.memory_map.hbm_channel_bw_gbs=64 --set cube.links.hbm_to_router_bw_gbs=512"
      " --set cube.links.pe_to_router_bw_gbs=512";
  for (const std::string& machine :
       {pe + "pe_mmu.attrs.tlb_overhead_ns=12", pe + "pe_fetch_store.attrs.overhead_ns=20",
        pe + "pe_tcm.attrs.write_bw_gbs=2", wide, wide + " " + pe + "pe_dma.attrs.rd_engines=2",
        pe + "pe_dma.attrs.baaw_overhead_ns=9 --set cube.memory_map.address_model=la",
        std::string("--set cube.components.hbm_ctrl.attrs.overhead_ns=15")}) {
    const Outcome outcome = gemm("--out out " + machine);
    EXPECT_EQ(outcome.code, 0) << machine << ": " << outcome.err;
    EXPECT_EQ(
        rows("out/gemm.sqlite",
             "SELECT count(*), sum(gemm_utilisation <= round_trips_utilisation * (1 + 1e-9)), "
             "sum(k = 3000 AND variant = 'load_ref' AND gemm_utilisation > 0.97 * round_trips_utilisation) FROM gemm"),
        (SqlRows{{"9", "9", "1"}}))
        << machine;
  }
}

// The figures follow the machine as the roofline says.
TEST_F(EvaluateTest, AFasterArrayIsUsedLessWhereReadsLimit_E30) {
  gemm_of("32,1024,32");
  ASSERT_EQ(gemm("--out slow").code, 0);
  ASSERT_EQ(gemm("--out fast --set cube.pe_template.components.pe_gemm.attrs.mac_per_ns=8192 "
                 "--set cube.pe_template.components.pe_tcm.attrs.read_bw_gbs=1024 "
                 "--set cube.pe_template.links.fetch_store_to_tcm_bw_gbs=1024")
                .code,
            0);
  const auto utilisation = [&](const std::string& out, const std::string& variant) {
    return std::stod(
        rows(out + "/gemm.sqlite", "SELECT gemm_utilisation FROM gemm WHERE variant = '" + variant + "'")[0][0]);
  };
  EXPECT_NEAR(utilisation("fast", "load") / utilisation("slow", "load"), 1.0, 0.1);  // nothing but the array
  EXPECT_NEAR(utilisation("fast", "load_ref") / utilisation("slow", "load_ref"), 0.5, 0.05);
}

// A that is loaded whole has to fit the TCM: the shape's other variant and the other shapes are measured.
TEST_F(EvaluateTest, AShapeThatDoesNotFitIsNamedAndTheOthersGoOn_E17) {
  gemm_of("1024,1024,32 32,64,32");
  const Outcome outcome = gemm("--out out");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("note: 1024x1024x32 load_ref does not fit"),
                                 HasSubstr("note: 1024x1024x32 load does not fit")));
  EXPECT_EQ(rows("out/gemm.sqlite", "SELECT count(*) FROM gemm"), (SqlRows{{"4"}}));
}

TEST_F(EvaluateTest, TheAllReduceTakesTheCubesOfAnyMachine_E12_E34_E37_E41_E45_E46_E76) {
  const std::string machine = write("machine.yaml",
                                    "system: { sips: { count: 2 } }\nsip: { cube_mesh: { w: 2, h: 2 } }\n"
                                    "cube: { pe_layout: { corners: [NW, NE, SW], pe_per_corner: 1 } }\n");
  const Outcome outcome = kernbench("evaluate allreduce --out out --topology '" + folder() + "/" + machine + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("6 SIPs instead of the machine's 2"));
  EXPECT_TRUE(fs::exists(folder() + "/out/allreduce_topology.svg"));
  const Outcome sips = kernbench("evaluate allreduce --set system.sips.count=4");
  EXPECT_EQ(sips.code, 2);
  EXPECT_THAT(sips.err, HasSubstr("leave this option out"));
}

// A band that is left fails the command with figure, value and band; data and figure are there.
TEST_F(EvaluateTest, TheValidationKeepsItsBands) {
  const std::string command = "evaluate validation --sweeps links --jobs 1 --out out";
  const Outcome good = kernbench(command);
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(fs::exists(folder() + "/out/validation_links.svg"));
  const Outcome serial = kernbench(command + " --set cube.ucie.attrs.decode=serial");
  EXPECT_EQ(serial.code, 1);
  EXPECT_THAT(serial.err, HasSubstr("check band failed: UCIe port eastbound, bytes 256, bandwidth: 3"));
  EXPECT_THAT(serial.err, HasSubstr(" GB/s is outside "));
  const Outcome machine = kernbench("evaluate validation --topology '" + config("one_pe") + "' --out other");
  EXPECT_EQ(machine.code, 2);
  EXPECT_THAT(machine.err, HasSubstr("has machines of its own; leave this option out"));
}

// E-101, E-109: a figure of a device that is known to miss its band is a note, and only while it does.
TEST_F(EvaluateTest, AFigureThatMissesItsBandIsANote) {
  const std::string command = "evaluate validation --sweeps device --jobs 1 --out out",
                    half = "half of the blocks written";
  const Outcome shipped = kernbench(command);
  EXPECT_EQ(shipped.code, 0) << shipped.err;
  EXPECT_THAT(shipped.err,
              HasSubstr("note: HBM3 sequential, " + half + ", bytes 512, share of peak: 98.2 % misses 78.66"));
  const std::string memory = " --set cube.components.hbm_ctrl.attrs.";
  const Outcome other = kernbench(command + memory + "switch_penalty_ns=3" + memory + "channel_hash=none");
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, testing::Not(HasSubstr(half)));
  EXPECT_THAT(other.err,
              HasSubstr("check band failed: HBM3 reads of 64 B at a pitch, pitch 4096, share of random: 13."));
}

TEST_F(EvaluateTest, AFewPairsOfTheMonotony) {
  ASSERT_EQ(kernbench("evaluate validation --copy v").code, 0);
  for (const std::string name : {"v/monotony_transfers.yaml", "v/monotony_workloads.yaml"}) {
    std::string text = read(name);
    for (const std::string all : {"30 * 4 - 1", "10 * 4 - 1"}) {
      for (std::size_t at = text.find(all); at != std::string::npos; at = text.find(all)) {
        text.replace(at, all.size(), "2 * 4 - 1");
      }
    }
    write(name, text);
  }
  const Outcome outcome = kernbench("evaluate v --sweeps monotony_transfers,monotony_workloads --out out");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("16 points, 16 were run"));
  EXPECT_EQ(rows("out/validation.sqlite", "SELECT kind, count(*) FROM monotony_pair GROUP BY kind"),
            (SqlRows{{"transfers", "6"}, {"workload", "6"}}));
  EXPECT_TRUE(fs::exists(folder() + "/out/validation_monotony.svg"));
}

// A rebuild under way: the evaluation goes on with the program that it began with.
TEST_F(EvaluateTest, TheProgramMayBeReplacedMeanwhile) {
  gemm_of("32,64,32 64,128,64");
  const std::string script =
      "cp " KB_PROGRAM_FOLDER "/kernbench mine; ./mine evaluate g --topology '" + config("one_pe") +
      "' --jobs 1 --out out & for i in $(seq 2000); do test -d out/sweeps && break; sleep 0.005; done; rm mine; echo "
      "'#!/bin/false' > mine; wait $!; ";
  const Outcome outcome = kernbench("--version", script);
  EXPECT_THAT(outcome.out, HasSubstr("6 points")) << outcome.err;
  EXPECT_TRUE(fs::exists(folder() + "/out/gemm_stage_breakdown.png")) << outcome.err;
}

TEST_F(EvaluateTest, AnInterruptSaysHowToGoOn) {
  gemm_of("512,512,512 64,128,64 96,128,64");
  const Outcome outcome = gemm("--out out --jobs 1", signalled_when("INT", "out/sweeps/*/journal/*.journal"));
  EXPECT_EQ(outcome.code, 130);
  EXPECT_THAT(outcome.err, HasSubstr("the same command goes on"));
  EXPECT_FALSE(fs::exists(folder() + "/out/gemm.csv"));
}

TEST_F(EvaluateTest, AKilledWorkerIsNamedAndFinishedPointsStay_E100) {
  // The system kills whichever process has used a second; only the large point does.
  gemm_of("32,64,32 4096,4096,4096");
  const Outcome outcome = gemm("--jobs 1 --out out", "ulimit -t 1; ");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("check points failed: runs, point "), HasSubstr("signal 9 (Killed)")));
  gemm_of("32,64,32 64,64,64");
  const Outcome again = gemm("--out out");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("6 points, 3 were run"));
}

TEST_F(EvaluateTest, NamesMayBeginWithADash) {
  fs::copy_file(config("one_pe"), folder() + "/--json");
  gemm_of("32,64,32");
  const Outcome outcome = kernbench("evaluate g --topology=--json --out=--quiet");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(folder() + "/--quiet/gemm_stage_breakdown.png"));
}

TEST_F(EvaluateTest, UsageMistakesAreExplained) {
  for (const auto& [options, says] :
       {std::pair("evaluate gem", "did you mean 'gemm'"), std::pair("evaluate", "NAME"),
        std::pair("evaluate gemm --shapes 3x4x5", "--shapes"), std::pair("evaluate gemm --jobs 0", "1 to 9999"),
        std::pair("evaluate gemm --out /proc/nothing", "/proc/nothing")}) {
    const Outcome outcome = kernbench(options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_THAT(outcome.err, HasSubstr(says)) << options;
  }
}

}  // namespace
}  // namespace kb::test
