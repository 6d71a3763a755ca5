// `kernbench evaluate`: from runs to figures, again from the data file, and after an interruption (chapter 09).
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;

constexpr const char* kFew = "--shapes 32x64x32,64x128x64,32x1024x32,20x70x33 --exclude 64x128x64";
const std::vector<std::string> kFigures = {"gemm_stage_breakdown", "gemm_mac_utilization_measured",
                                           "gemm_mac_utilization_theoretical_vs_measured"};

class EvaluateTest : public CommandLineTest {
 protected:
  Outcome evaluate(const std::string& options, const std::string& prefix = "") const {
    return kernbench("evaluate gemm --topology '" + config("one_pe") + "' " + options, prefix);
  }
  Json data(const std::string& out) const { return Json::parse(read(out + "/gemm_sweep.json")); }
  static Json run_of(const Json& data, const std::string& shape, const std::string& variant) {
    for (const Json& run : data["runs"]) {
      if (run["shape"] == shape && run["variant"] == variant) return run;
    }
    return {};
  }
};

TEST_F(EvaluateTest, TheWholeSweepPassesItsChecks_E9_E17_E22_E32_E87) {
  const Outcome outcome = evaluate("--out out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("24 points"));
  EXPECT_THAT(outcome.out, HasSubstr("checks passed"));
  std::vector<std::string> expected = {"out", "out/gemm_sweep.csv", "out/gemm_sweep.json", "out/host.json"};
  for (const std::string& figure : kFigures) {
    for (const char* ending : {".png", ".svg"}) expected.push_back("out/" + figure + ending);
  }
  EXPECT_THAT(files(), testing::UnorderedElementsAreArray(expected));
  const Json sweep = data("out");
  EXPECT_EQ(sweep["runs"].size(), 24u);
  EXPECT_EQ(sweep["tile_sizes"], (Json{{"m", 32}, {"k", 64}, {"n", 32}}));
  const Json large = run_of(sweep, "512x512x512", "load_ref");  // E-22: T = 16 * 8 * 16, one operand pinned
  EXPECT_EQ(large["stages"]["FETCH"]["count"], 2048);
  EXPECT_EQ(large["stages"]["DMA_READ"]["count"], 2048);
  EXPECT_EQ(large["stages"]["DMA_WRITE"]["count"], 256);
  const Json deep = run_of(sweep, "32x3072x32", "load_ref");
  EXPECT_GT(deep["pe_window_ns"], deep["composite_window_ns"]);  // E-23: A was loaded before
  EXPECT_NEAR(deep["gemm_utilisation"].get<double>(), 16.0 / 29, 0.03);
  EXPECT_EQ(run_of(sweep, "16x16x16", "ref")["under_tile"], true);  // E-21
  EXPECT_EQ(run_of(sweep, "64x64x64", "ref")["under_tile"], false);
  const std::string picture = read("out/gemm_stage_breakdown.svg");
  EXPECT_THAT(picture, testing::Not(HasSubstr("<text>512x512x512</text>")));
  EXPECT_THAT(picture, HasSubstr("Measured, not drawn: 512x512x512."));
  EXPECT_THAT(picture, HasSubstr(sweep["config_digest"].get<std::string>().substr(0, 12)));
  EXPECT_EQ(read("out/gemm_stage_breakdown.png").substr(1, 3), "PNG");
}

TEST_F(EvaluateTest, EqualInputsGiveEqualBytes_E5) {
  ASSERT_EQ(evaluate(std::string(kFew) + " --out a --jobs 1").code, 0);
  ASSERT_EQ(evaluate(std::string(kFew) + " --out b --jobs 3", "MATMUL_M=7 MATMUL_DTYPE=f32").code, 0);
  std::vector<std::string> names = {"gemm_sweep.json", "gemm_sweep.csv"};
  for (const std::string& figure : kFigures) names.push_back(figure + ".svg");
  for (const std::string& name : names) {
    EXPECT_GT(read("a/" + name).size(), 500u) << name;
    EXPECT_EQ(read("a/" + name), read("b/" + name)) << name;
  }
}

TEST_F(EvaluateTest, FastDrawsWithoutSimulating_E3_E4) {
  ASSERT_EQ(evaluate(std::string(kFew) + " --out out").code, 0);
  const std::string before = read("out/gemm_sweep.json"), picture = read("out/gemm_stage_breakdown.svg");
  for (const auto& [options, prefix] :
       {std::pair("--out out --fast", ""), std::pair("--out out", "MILESTONE_FAST=1")}) {
    fs::remove(folder() + "/out/gemm_stage_breakdown.svg");
    const Outcome outcome = evaluate(options, prefix);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("drawn from the data file"));
    EXPECT_EQ(read("out/gemm_sweep.json"), before);
    EXPECT_EQ(read("out/gemm_stage_breakdown.svg"), picture);
  }
  const Outcome missing = evaluate("--out nothing --fast");
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("nothing/gemm_sweep.json"));
  EXPECT_FALSE(fs::exists(folder() + "/nothing"));
}

TEST_F(EvaluateTest, AViolatedCheckIsNamedAndFails_E9) {
  ASSERT_EQ(evaluate(std::string(kFew) + " --out out").code, 0);
  Json sweep = data("out");
  sweep["runs"][0]["stages"]["FETCH"]["count"] = 9;
  write("out/gemm_sweep.json", sweep.dump());
  const Outcome outcome = evaluate("--out out --fast");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("check E-22 failed: 32x64x32 ref: 9 records of stage FETCH instead of 1"));
  EXPECT_THAT(outcome.out, HasSubstr("checks FAILED"));
}

TEST_F(EvaluateTest, ADamagedDataFileIsNoCrash) {
  ASSERT_EQ(evaluate("--shapes 32x64x32 --out out").code, 0);
  Json sweep = data("out");
  sweep["runs"][0].erase("stages");
  for (const std::string& text :
       {std::string("{"), std::string("[]"), std::string("{\"evaluation\": 3}"), sweep.dump()}) {
    write("out/gemm_sweep.json", text);
    const Outcome outcome = evaluate("--out out --fast");
    EXPECT_EQ(outcome.code, 2) << text.substr(0, 40) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("gemm_sweep.json"));
  }
}

// Killed without a chance to clean up, it goes on from the finished points and ends with the bytes of an undisturbed
// one.
TEST_F(EvaluateTest, AKilledEvaluationGoesOn_E7) {
  const std::string shapes = "--shapes 32x64x32,32x128x32,512x512x256,512x512x512";
  ASSERT_EQ(evaluate(shapes + " --out whole").code, 0);
  std::ptrdiff_t rows = 0;
  for (int attempt = 0; attempt < 5 && rows == 0;
       ++attempt) {  // none is left if it ends before it is seen to have begun
    fs::remove_all(folder() + "/out");
    evaluate(shapes + " --out out --jobs 1", signalled_when("KILL", "out/.kernbench-staging/row-*.json"));
    const std::vector<std::string> left = files();
    rows = std::count_if(left.begin(), left.end(), [](const std::string& file) {
      return fs::path(file).parent_path() == "out/.kernbench-staging" &&
             fs::path(file).filename().string().rfind("row-", 0) == 0;
    });
  }
  ASSERT_GT(rows, 0);
  const Outcome outcome = evaluate(shapes + " --out out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("(" + std::to_string(rows) + " from an interrupted call)"));
  EXPECT_EQ(read("out/gemm_sweep.json"), read("whole/gemm_sweep.json"));
  EXPECT_FALSE(fs::exists(folder() + "/out/.kernbench-staging"));
}

TEST_F(EvaluateTest, RowsOfAnotherMachineAreNotTaken_E7) {
  const std::string small = " --out out --set cube.memory_map.hbm_total_gb_per_cube=0.0009765625 ";
  const std::string shape = "--shapes 32x64x32" + small;
  EXPECT_EQ(evaluate(shape, "PATH=/nonexistent").code, 2);  // no gnuplot: the data file is there
  EXPECT_TRUE(fs::exists(folder() + "/out/gemm_sweep.json"));
  EXPECT_EQ(evaluate("--fast" + small).code, 0);
  const std::string fails = "--shapes 32x64x32,1024x1024x32 --jobs 1" + small;  // A does not fit the HBM
  const Outcome failed = evaluate(fails);
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err, HasSubstr("point 1024x1024x32_ref"));
  EXPECT_THAT(failed.err, HasSubstr("ALLOCATION_ERROR"));
  ASSERT_TRUE(fs::exists(folder() + "/out/.kernbench-staging/row-32x64x32_load.json"));
  const Outcome same = evaluate(shape);
  EXPECT_THAT(same.out, HasSubstr("(3 from an interrupted call)"));
  EXPECT_EQ(evaluate(fails).code, 1);
  const Outcome other = evaluate(shape + "--set cube.pe_template.components.pe_gemm.attrs.mac_per_ns=8192");
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_THAT(other.out, testing::Not(HasSubstr("from an interrupted call")));
}

// A that is loaded whole has to fit the TCM: the shape's other variant and the other shapes are measured.
TEST_F(EvaluateTest, AShapeThatDoesNotFitIsNamedAndTheOthersGoOn) {
  const Outcome outcome = evaluate("--shapes 1024x1024x32,32x64x32 --out out");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* variant : {"load_ref", "load"}) {
    EXPECT_THAT(outcome.err, HasSubstr(std::string("1024x1024x32 ") + variant + " does not fit"));
  }
  const Json sweep = data("out");
  EXPECT_EQ(sweep["runs"].size(), 4u);
  EXPECT_EQ(sweep["does_not_fit"].size(), 2u);
  EXPECT_EQ(sweep["does_not_fit"][0]["shape"], "1024x1024x32");
  EXPECT_THAT(read("out/gemm_mac_utilization_measured.svg"), HasSubstr("does not fit"));
  const Outcome again = evaluate("--fast --quiet --out out");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.err, "");
  const Outcome nothing =
      evaluate("--shapes 32x64x32 --out none --set cube.memory_map.tcm_scheduler_reserved_bytes=1024");
  EXPECT_EQ(nothing.code, 1) << nothing.out;
  EXPECT_THAT(nothing.err, HasSubstr("none of the shapes fits"));
  EXPECT_FALSE(fs::exists(folder() + "/none/gemm_sweep.json"));
}

// What is drawn: all shapes of the command line, of the evaluation's own not the largest; never figures of another
// call.
TEST_F(EvaluateTest, FiguresShowWhatWasAskedFor_E17) {
  ASSERT_EQ(evaluate("--shapes 32x64x32,512x512x512 --out out").code, 0);
  const std::string picture = "out/gemm_stage_breakdown.svg";
  EXPECT_THAT(read(picture), HasSubstr("<text>512x512x512</text>"));
  ASSERT_EQ(evaluate("--fast --exclude 512x512x512 --out out").code, 0);
  EXPECT_THAT(read(picture), testing::Not(HasSubstr("<text>512x512x512</text>")));
  EXPECT_EQ(data("out")["figures"]["excluded"], Json({"512x512x512"}));
  const std::string before = read(picture);
  for (const char* options : {"--exclude 512x512x512,32x64x32", "--fast --exclude 512x512x512,32x64x32",
                              "--exclude 9x9x9", "--shapes 8x8x8 --exclude 8x8x8"}) {
    const Outcome outcome = evaluate(std::string(options) + " --out out");
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_THAT(outcome.err, HasSubstr("--exclude")) << options;
    EXPECT_EQ(read(picture), before) << options;
  }
  ASSERT_EQ(kernbench("evaluate pe-dma --out out --topology '" + config("one_cube") + "'").code, 0);
  EXPECT_TRUE(fs::exists(folder() + "/out/pe_dma_read_congestion.png"));
  ASSERT_EQ(kernbench("evaluate pe-dma --out out --topology '" + config("one_pe") + "'").code, 0);
  EXPECT_TRUE(fs::exists(folder() + "/out/pe_dma_read_no_congestion.png"));
  EXPECT_FALSE(fs::exists(folder() + "/out/pe_dma_read_congestion.png"));
  EXPECT_TRUE(fs::exists(folder() + "/" + picture));  // of another evaluation
}

TEST_F(EvaluateTest, FastRefusesOtherMeasurements_E4) {
  ASSERT_EQ(evaluate("--shapes 32x64x32 --out out").code, 0);
  const std::string before = read("out/gemm_sweep.json");
  EXPECT_EQ(kernbench("evaluate gemm --fast --out out").code, 0);
  EXPECT_EQ(evaluate("--shapes 32x64x32 --fast --jobs 1 --out out").code, 0);
  const Outcome shapes = evaluate("--shapes 32x64x32,8x8x8 --fast --out out");
  EXPECT_EQ(shapes.code, 2);
  EXPECT_THAT(shapes.err, HasSubstr("the data file has 32x64x32"));
  for (const std::string& machine :
       {std::string("--set system.ns_per_mm=0.02"), "--topology '" + config("one_cube") + "'"}) {
    const Outcome other = kernbench("evaluate gemm --fast --out out " + machine);
    EXPECT_EQ(other.code, 2) << machine;
    EXPECT_THAT(other.err, HasSubstr("of another machine")) << machine;
  }
  EXPECT_EQ(read("out/gemm_sweep.json"), before);
}

// A band that is left fails the command with figure, value and band; data and figure are there.
TEST_F(EvaluateTest, TheValidationKeepsItsBands) {
  const std::string command = "evaluate validation --sections links --jobs 1 --out out";
  const Outcome good = kernbench(command);
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(fs::exists(folder() + "/out/validation_links.svg"));
  EXPECT_FALSE(fs::exists(folder() + "/out/.kernbench-staging"));
  const Outcome serial = kernbench(command + " --set cube.ucie.attrs.decode=serial");
  EXPECT_EQ(serial.code, 1);
  EXPECT_THAT(serial.err, HasSubstr("check band failed: UCIe port eastbound, bytes 256, bandwidth: 3"));
  EXPECT_THAT(serial.err, HasSubstr(" GB/s is outside "));
  const Outcome machine = kernbench("evaluate validation --topology '" + config("one_pe") + "' --out other");
  EXPECT_EQ(machine.code, 2);
  EXPECT_THAT(machine.err, HasSubstr("leave --topology out"));
}

// gnuplot itself presses Ctrl-C.
TEST_F(EvaluateTest, AnInterruptWhileDrawingNamesFast) {
  fs::create_directories(folder() + "/bin");
  write("bin/gnuplot", "#!/bin/sh\nkill -INT $PPID\nsleep 5\n");
  fs::permissions(folder() + "/bin/gnuplot", fs::perms::owner_all);
  const Outcome outcome = evaluate("--shapes 32x64x32 --out out", "PATH='" + folder() + "/bin':$PATH");
  EXPECT_EQ(outcome.code, 130);
  EXPECT_THAT(outcome.err, HasSubstr("--fast draws from it"));
  EXPECT_EQ(evaluate("--fast --out out").code, 0);
}

// A rebuild under way: the sweep goes on with the program that it began with.
TEST_F(EvaluateTest, TheProgramMayBeReplacedMeanwhile) {
  const std::string script =
      "cp " KB_PROGRAM_FOLDER "/kernbench mine; ./mine evaluate gemm --topology '" + config("one_pe") +
      "' --shapes 32x64x32,64x128x64 --jobs 1 --out out & for i in $(seq 2000); do test -d "
      "out/.kernbench-staging && break; sleep 0.005; done; rm mine; echo '#!/bin/false' > mine; wait $!; ";
  const Outcome outcome = kernbench("--version", script);
  EXPECT_THAT(outcome.out, HasSubstr("6 points")) << outcome.err;
  EXPECT_TRUE(fs::exists(folder() + "/out/gemm_stage_breakdown.png")) << outcome.err;
}

TEST_F(EvaluateTest, AnInterruptSaysHowToGoOn) {
  const Outcome outcome = evaluate("--out out --jobs 1", signalled_when("INT", "out/.kernbench-staging/row-*.json"));
  EXPECT_EQ(outcome.code, 130);
  EXPECT_THAT(outcome.err, HasSubstr("run the same command again"));
  EXPECT_FALSE(fs::exists(folder() + "/out/gemm_sweep.json"));
}

// The figures follow the machine as the roofline says.
TEST_F(EvaluateTest, AFasterArrayIsUsedLessWhereReadsLimit_E30) {
  ASSERT_EQ(evaluate("--shapes 32x1024x32 --out slow").code, 0);
  ASSERT_EQ(evaluate("--shapes 32x1024x32 --out fast --set cube.pe_template.components.pe_gemm.attrs.mac_per_ns=8192 "
                     "--set cube.pe_template.components.pe_tcm.attrs.read_bw_gbs=1024 "
                     "--set cube.pe_template.links.fetch_store_to_tcm_bw_gbs=1024")
                .code,
            0);
  for (const char* variant : {"load_ref", "load"}) {
    const Json slow = run_of(data("slow"), "32x1024x32", variant), fast = run_of(data("fast"), "32x1024x32", variant);
    const double ratio = fast["gemm_utilisation"].get<double>() / slow["gemm_utilisation"].get<double>();
    if (std::string(variant) == "load") {
      EXPECT_NEAR(ratio, 1.0, 0.1);  // nothing but the array
    } else {
      EXPECT_NEAR(ratio, 0.5, 0.05);
    }
  }
}

// The model follows what a machine is made for to study, so that the simulation stays below it and long runs come near.
TEST_F(EvaluateTest, TheModelFollowsTheMachine_E30_E32) {
  const std::string pe = "--set cube.pe_template.components.";
  const std::string wide =
      " --set cube.memory_map.hbm_channel_bw_gbs=64 --set cube.links.hbm_to_router_bw_gbs=512"
      " --set cube.links.pe_to_router_bw_gbs=512";
  for (const std::string& machine :
       {pe + "pe_mmu.attrs.tlb_overhead_ns=12", pe + "pe_fetch_store.attrs.overhead_ns=20",
        pe + "pe_tcm.attrs.write_bw_gbs=2", wide, wide + " " + pe + "pe_dma.attrs.rd_engines=2",
        pe + "pe_dma.attrs.baaw_overhead_ns=9 --set cube.memory_map.address_model=la",
        std::string("--set cube.components.hbm_ctrl.attrs.overhead_ns=15")}) {
    const Outcome outcome = evaluate("--shapes 32x64x32,32x3000x32,70x300x65 --out out " + machine);
    EXPECT_EQ(outcome.code, 0) << machine << ": " << outcome.err;
    const Json sweep = data("out");
    for (const Json& run : sweep["runs"]) {
      const double bound = run["theory"]["round_trips"]["gemm_utilisation"], simulated = run["gemm_utilisation"];
      EXPECT_LE(simulated, bound * (1 + 1e-9)) << machine << run["shape"] << run["variant"];
      if (run["shape"] != "32x3000x32" || run["variant"] != "load_ref") continue;
      EXPECT_GT(simulated, 0.97 * bound) << machine;
    }
  }
}

// Every way of a text into gnuplot: the output folder, the name of the topology file, members of a data file (E-97).
TEST_F(EvaluateTest, HostileTextExecutesNothing_E97) {
  fs::copy_file(config("one_pe"), folder() + "/t`touch PWN`.yaml");
  const std::string out = "'o`touch PWN`\"x'";
  const Outcome outcome = kernbench("evaluate gemm --shapes 32x64x32 --topology 't`touch PWN`.yaml' --out " + out);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  Json sweep = data("o`touch PWN`\"x");
  EXPECT_THAT(read("o`touch PWN`\"x/gemm_stage_breakdown.svg"), HasSubstr("topology t`touch PWN`.yaml"));
  sweep["topology"]["file"] = "`touch PWN`\\\"; system('touch PWN')\n\x1b[31m$(touch PWN)";
  write("o`touch PWN`\"x/gemm_sweep.json", sweep.dump());
  const Outcome fast = kernbench("evaluate gemm --fast --out " + out);
  EXPECT_EQ(fast.code, 0) << fast.err;
  EXPECT_THAT(read("o`touch PWN`\"x/gemm_stage_breakdown.svg"), HasSubstr("\\x1b[31m$(touch PWN)"));
  EXPECT_THAT(files(), testing::Not(testing::Contains(testing::AnyOf("PWN", testing::EndsWith("/PWN")))));
}

TEST_F(EvaluateTest, NamesMayBeginWithADash) {
  fs::copy_file(config("one_pe"), folder() + "/--json");
  const Outcome outcome = kernbench("evaluate gemm --shapes 32x64x32 --topology=--json --out=--quiet");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(folder() + "/--quiet/gemm_stage_breakdown.png"));
}

TEST_F(EvaluateTest, WhatAUserHasInTheOutputFolderStays_E98) {
  for (const char* name : {"out/staging", "out/figures.part", "out/.kernbench-staging"}) {
    fs::create_directories(folder() + "/" + name);
    write(std::string(name) + "/mine.txt", "mine");
  }
  const Outcome refused = evaluate("--shapes 32x64x32 --out out");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("out/.kernbench-staging was not made by kernbench"));
  EXPECT_EQ(files().size(), 7u);
  fs::remove_all(folder() + "/out/.kernbench-staging");
  EXPECT_EQ(evaluate("--shapes 32x64x32 --out out").code, 0);
  EXPECT_EQ(read("out/staging/mine.txt"), "mine");
  EXPECT_EQ(read("out/figures.part/mine.txt"), "mine");
}

TEST_F(EvaluateTest, AKilledWorkerIsNamedAndFinishedPointsStay_E100) {
  // The system kills whichever process has used a second; only the large point does.
  const Outcome outcome = evaluate("--shapes 32x64x32,4096x4096x4096 --jobs 1 --out out", "ulimit -t 1; ");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, testing::AllOf(HasSubstr("point "), HasSubstr("signal 9 (Killed)"), HasSubstr("--jobs")));
  const Outcome again = evaluate("--shapes 32x64x32,64x64x64 --out out");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("from an interrupted call"));
}

TEST_F(EvaluateTest, UsageMistakesAreExplained) {
  for (const auto& [options, says] :
       {std::pair("evaluate gem", "did you mean 'gemm'"), std::pair("evaluate", "NAME"),
        std::pair("evaluate gemm --shapes 3x4", "is not a shape"), std::pair("evaluate gemm --exclude 3", "--exclude"),
        std::pair("evaluate gemm --jobs 0", "1 to 9999"),
        std::pair("evaluate gemm --out /proc/nothing", "/proc/nothing")}) {
    const Outcome outcome = kernbench(options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_THAT(outcome.err, HasSubstr(says)) << options;
  }
}

}  // namespace
}  // namespace kb::test
