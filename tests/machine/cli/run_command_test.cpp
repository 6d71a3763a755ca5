#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "tests/machine/cli/command_line.h"
#include "tests/support/source_file.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// A small machine and a small GEMM: every run takes milliseconds.
class RunCommandTest : public CommandLineTest {
 protected:
  std::string small() const {
    return "run --topology '" + config("one_pe") + "' --bench gemm-single-pe --set m=64 --set k=64 --set n=64 ";
  }
};

TEST_F(RunCommandTest, ResultHasTheContractsMembers) {
  const Outcome outcome = kernbench(small() + "--verify-data --out out");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(files(), testing::ElementsAre("out", "out/inputs.json", "out/result.json"));
  const Json result = Json::parse(read("out/result.json"));
  for (const char* key :
       {"schema", "version", "topology", "config", "bench", "seed", "data_mode", "ok", "error", "sim_time_ns",
        "launch_count", "kernels", "launches", "block_kinds", "verification", "host"}) {
    EXPECT_TRUE(result.contains(key)) << key;
  }
  EXPECT_EQ(result["ok"], true);
  EXPECT_EQ(result["data_mode"], "replay");
  EXPECT_EQ(result["bench"]["params"]["m"]["value"], 64);
  EXPECT_GT(result["sim_time_ns"], 0);
  ASSERT_FALSE(result["launches"].empty());
  const Json& launch = result["launches"][0];
  for (const char* key : {"id", "kernel", "sip", "submit_ns", "start_ns", "completed_ns", "pe_exec_ns", "dma_ns",
                          "compute_ns", "late_pes"}) {
    EXPECT_TRUE(launch.contains(key)) << key;
  }
  ASSERT_FALSE(result["verification"].empty());
  for (const char* key : {"tensor", "dtype", "shape", "max_abs", "max_rel", "tolerance", "ok"}) {
    EXPECT_TRUE(result["verification"][0].contains(key)) << key;
  }
  EXPECT_FALSE(result["block_kinds"].empty());
  EXPECT_FALSE(result.contains("blocks"));
}

TEST_F(RunCommandTest, ReportTellsMachineTimesDataAndFiles) {
  const Outcome outcome = kernbench(small() + "--verify-data --set cube.links.router_link_bw_gbs=64");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"1 SIP x 1 cube x 1 PE = 1 PE", "cube.links.router_link_bw_gbs = 64", "m=64", "simulated",
                           "the data is right", "results/result.json"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
}

TEST_F(RunCommandTest, JsonGoesAloneToStandardOutputAndEqualsTheFile) {
  const Outcome outcome = kernbench(small() + "--json --out out");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, read("out/result.json"));
  json(small() + "--json");
  EXPECT_THAT(files(), Not(Contains("results")));
}

TEST_F(RunCommandTest, QuietPrintsNothing) {
  const Outcome outcome = kernbench(small() + "--quiet");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST_F(RunCommandTest, EqualRunsGiveEqualBytes) {
  for (const char* name : {"a", "b"}) {
    const std::string n = name;
    EXPECT_EQ(kernbench(small() + "--verify-data --out " + n + " --oplog " + n + ".log --vcd " + n + ".vcd").code, 0);
  }
  EXPECT_EQ(read("a.log"), read("b.log"));
  EXPECT_EQ(read("a.vcd"), read("b.vcd"));
  EXPECT_NE(read("a.log"), "");
  const std::string a = read("a/result.json"), b = read("b/result.json");
  EXPECT_EQ(a.substr(0, a.find("\"host\"")), b.substr(0, b.find("\"host\"")));
}

TEST_F(RunCommandTest, DataModesAndWaveformsDoNotMoveATime) {
  const Json off = json(small() + "--json --details --data off");
  for (const char* variant :
       {"--data replay", "--data eager", "--verify-data", "--data off --vcd w.vcd", "--oplog o.log"}) {
    const Json other = json(small() + "--json --details " + variant);
    EXPECT_EQ(other["sim_time_ns"], off["sim_time_ns"]) << variant;
    EXPECT_EQ(other["launches"], off["launches"]) << variant;
    EXPECT_EQ(other["blocks"], off["blocks"]) << variant;
  }
  const Json replay = json(small() + "--json --verify-data"),
             eager = json(small() + "--json --verify-data --data eager");
  EXPECT_EQ(replay["verification"], eager["verification"]);
}

TEST_F(RunCommandTest, AnEditedBandwidthChangesTheRunAndNamesItself) {
  const Json base = json(small() + "--json");
  const Json slow = json(small() + "--json --set cube.links.pe_to_router_bw_gbs=32");
  EXPECT_GT(slow["sim_time_ns"], base["sim_time_ns"]);
  EXPECT_EQ(slow["config"]["cube.links.pe_to_router_bw_gbs"]["origin"], "--set");
  EXPECT_EQ(base["config"]["cube.links.pe_to_router_bw_gbs"]["origin"], "default");
  EXPECT_EQ(slow["settings"][0],
            (Json{{"key", "cube.links.pe_to_router_bw_gbs"}, {"value", 32}, {"origin", "--set"}, {"reference", 256}}));
}

// An edited copy of the reference file: everything in it has the origin "file", the edit alone is a setting.
TEST_F(RunCommandTest, AnEditInACopyOfTheReferenceIsNamedAlone) {
  std::string text = source_file("configs/reference.yaml");
  const std::string line = "pe_to_router_bw_gbs: 256.0";
  ASSERT_NE(text.find(line), std::string::npos);
  text.replace(text.find(line), line.size(), "pe_to_router_bw_gbs: 128.0");
  write("my.yaml", text);
  const Json edited = json("run --topology my.yaml --bench noop --json");
  EXPECT_EQ(
      edited["settings"],
      (Json::array(
          {{{"key", "cube.links.pe_to_router_bw_gbs"}, {"value", 128}, {"origin", "file"}, {"reference", 256}}})));
  EXPECT_THAT(kernbench("run --topology my.yaml --bench noop").out,
              HasSubstr("cube.links.pe_to_router_bw_gbs = 128 (file, reference: 256)"));
}

// A launch without data has nothing to verify; it is not a failure (H-81).
TEST_F(RunCommandTest, NothingToVerifyIsNoFailure) {
  const Outcome outcome = kernbench("run --topology '" + config("one_pe") + "' --bench noop --verify-data");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the workload compared no data"));
  const Outcome mapped =
      kernbench("run --topology '" + config("one_pe") + "' --bench map-tensors --set tensors=3 --verify-data");
  EXPECT_EQ(mapped.code, 0) << mapped.err;  // tensors that nobody writes
  EXPECT_THAT(mapped.out, HasSubstr("nothing was verified: the workload wrote no tensor"));
}

TEST_F(RunCommandTest, CommandLineBeatsEnvironmentBeatsDefault) {
  const std::string run = "run --topology '" + config("one_pe") + "' --bench gemm-single-pe --dump-config --json";
  const auto value = [&](const Outcome& outcome) { return Json::parse(outcome.out)["bench"]["params"]["m"]; };
  EXPECT_EQ(value(kernbench(run))["origin"], "default");
  EXPECT_EQ(value(kernbench(run, "GEMM_SINGLE_PE_M=32"))["value"], 32);
  EXPECT_EQ(value(kernbench(run, "GEMM_SINGLE_PE_M=32"))["origin"], "environment GEMM_SINGLE_PE_M");
  EXPECT_EQ(value(kernbench(run + " --set m=48", "GEMM_SINGLE_PE_M=32"))["value"], 48);
}

TEST_F(RunCommandTest, AMisspeltVariableGetsAWarningAndChangesNothing) {  // H-74
  const Outcome plain = kernbench(small() + "--dump-config");
  const Outcome misspelt = kernbench(small() + "--dump-config", "GEMM_SINGLE_PE_TIEL_M=8");
  EXPECT_EQ(misspelt.code, 0);
  EXPECT_EQ(misspelt.out, plain.out);
  EXPECT_THAT(misspelt.err, HasSubstr("warning: environment variable GEMM_SINGLE_PE_TIEL_M"));
  EXPECT_THAT(misspelt.err, HasSubstr("did you mean 'GEMM_SINGLE_PE_TILE_M'?"));
  EXPECT_EQ(kernbench(small() + "--dump-config --quiet", "GEMM_SINGLE_PE_TIEL_M=8").err, "");
}

TEST_F(RunCommandTest, DumpConfigNamesOriginsAndRunsNothing) {
  const Outcome outcome = kernbench(small() + "--dump-config --set system.ns_per_mm=0.02");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("system.ns_per_mm = 0.02  # --set"));
  EXPECT_THAT(outcome.out, HasSubstr("m = 64  # command line"));
  EXPECT_TRUE(files().empty());
}

// How long the only signal of a waveform file is 1.
double high_ns(const std::string& vcd) {
  std::istringstream lines(vcd);
  double now = 0, since = 0, high = 0;
  bool value = false;
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '#') now = std::stod(line.substr(1)) / 1e6;
    if (line[0] != '0' && line[0] != '1') continue;
    if (value) high += now - since;
    value = line[0] == '1';
    since = now;
  }
  return high;
}

// The last transfers of a run count, too, although nothing comes after them.
TEST_F(RunCommandTest, StatisticsAndWaveformsCoverTheWholeRun) {
  EXPECT_EQ(kernbench(small() + "--details --out out --vcd w.vcd --vcd-filter '*.pe_dma.to_*.busy'").code, 0);
  const Json wire = detailed()["blocks"]["sip0.cube0.pe0.pe_dma"];
  constexpr int kProductBytes = 64 * 64 * 2;
  EXPECT_EQ(wire["to_sip0.cube0.r0c0.bytes"]["value"], kProductBytes);
  constexpr double kBusyNs = kProductBytes / 256.0;  // at 256 B/ns
  EXPECT_EQ(wire["to_sip0.cube0.r0c0.busy"]["value"], kBusyNs);
  EXPECT_NEAR(high_ns(read("w.vcd")), kBusyNs, 1e-9);
}

TEST_F(RunCommandTest, FilteredWaveformHoldsOnlyMatchingSignals) {
  EXPECT_EQ(kernbench(small() + "--vcd all.vcd").code, 0);
  EXPECT_EQ(kernbench(small() + "--vcd some.vcd --vcd-filter '*.pe_dma.*'").code, 0);
  EXPECT_LT(read("some.vcd").size(), read("all.vcd").size());
  EXPECT_THAT(read("some.vcd"), HasSubstr("$scope module pe_dma $end"));
  EXPECT_THAT(read("some.vcd"), Not(HasSubstr("$scope module hbm_ctrl $end")));
  const Outcome outcome = kernbench(small() + "--vcd none.vcd --vcd-filter 'no.such.*' --out out");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'no.such.*' matches no signal"));
  EXPECT_THAT(files(), Not(Contains("none.vcd")));
  EXPECT_THAT(files(), Not(Contains("out/result.json")));
}

// Names "scope.scope.signal" of the variables that a VCD file declares.
std::set<std::string> declared_signals(const std::string& vcd) {
  std::set<std::string> names;
  std::vector<std::string> scopes;
  std::istringstream lines(vcd.substr(0, vcd.find("$enddefinitions")));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, type, third, id, name;
    words >> kind >> type >> third >> id >> name;
    if (kind == "$scope") scopes.push_back(third);
    if (kind == "$upscope") scopes.pop_back();
    if (kind != "$var") continue;
    std::string full;
    for (const std::string& scope : scopes) full += scope + ".";
    names.insert(full + name);
  }
  return names;
}

TEST_F(RunCommandTest, EverySignalOfTheSavedLayoutExists) {
  ASSERT_EQ(kernbench("run --bench noop --quiet --vcd w.vcd").code, 0);
  const std::set<std::string> declared = declared_signals(read("w.vcd"));
  std::istringstream layout(source_file("docs/guides/reference.gtkw"));
  int signals = 0;
  for (std::string line; std::getline(layout, line);) {
    if (line.rfind("+{", 0) != 0) continue;
    const std::string signal = line.substr(line.find("} ") + 2);
    EXPECT_EQ(declared.count(signal.substr(0, signal.find('['))), 1u) << signal;
    ++signals;
  }
  EXPECT_GT(signals, 20);
}

TEST_F(RunCommandTest, EverySipOrOneSip) {  // H-80
  const std::string run = "run --topology '" + config("reference") + "' --bench vector-add --json --verify-data";
  const Json all = json(run), one = json(run + " --device sip:1");
  EXPECT_EQ(all["launches"].size(), 2u);
  ASSERT_EQ(one["launches"].size(), 1u);
  EXPECT_EQ(one["launches"][0]["sip"], 1);
}

TEST_F(RunCommandTest, ConfigurationsHaveTheirOwnProgram) {
  const Outcome outcome = program("sim_one_pe", "--bench gemm-single-pe --set m=64 --set k=64 --set n=64 --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json own = Json::parse(outcome.out), file = json(small() + "--json");
  EXPECT_EQ(own["launches"], file["launches"]);
  EXPECT_EQ(own["topology"]["sha256"], file["topology"]["sha256"]);
  EXPECT_EQ(own["topology"]["file"], "configs/one_pe.yaml");
  EXPECT_EQ(program("sim_one_pe", "--topology x.yaml").code, 2);
}

// From any folder: the machines that come with the program, here those of the source tree.
TEST_F(RunCommandTest, ShippedMachinesAreFoundByName) {
  const Json named = json("run --topology one_cube --bench noop --json");
  EXPECT_EQ(named["topology"]["file"], std::string(KB_SOURCE_DIR) + "/configs/one_cube.yaml");
  write("one_cube", read_config("one_pe"));  // the user's own goes first
  EXPECT_EQ(json("run --topology one_cube --bench noop --json")["topology"]["file"], "one_cube");
  const Outcome wrong = kernbench("run --topology one_cub");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err,
              ::testing::AllOf(
                  HasSubstr("there is no file 'one_cub'"), HasSubstr("did you mean 'one_cube'?"),
                  HasSubstr("machines of " + std::string(KB_SOURCE_DIR) + "/configs: h100_like, hbm3, large, modern")));
}

TEST_F(RunCommandTest, ReplaceCanBeSet) {
  const std::string set = " --set 'replace=[{nodes: sip0.cube0.sram, attrs: {overhead_ns: 77}}]' ";
  EXPECT_THAT(kernbench("topology --topology one_cube --json" + set).out, HasSubstr("77"));
  const Json result = json("run --topology one_cube --bench noop --json" + set);
  EXPECT_THAT(result["config"].dump(), HasSubstr("77"));
  const Outcome wrong = kernbench("run --set 'replace=[{nodes: nothing, attrs: {overhead_ns: 1}}]'");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("replace[0].nodes"));
}

// What single PEs and blocks did stands in the database and in what is printed; the rest is the same.
TEST_F(RunCommandTest, DetailsAreInTheDatabaseAndInWhatIsPrinted) {
  ASSERT_EQ(kernbench("run --quiet --out short").code, 0);
  ASSERT_EQ(kernbench("run --quiet --details --out out").code, 0);
  Json small = without_host(Json::parse(read("short/result.json")));
  EXPECT_EQ(without_host(Json::parse(read("out/result.json"))), small);
  EXPECT_LT(read("short/result.json").size(), 60'000u);
  const Json whole = without_host(json("run --json --details"));
  EXPECT_EQ(without_host(detailed()), whole);
  EXPECT_GT(whole["blocks"].size(), 100u);
  EXPECT_EQ(whole["launches"][0]["per_pe"].size(), 128u);
}

// Sums by kind are those of the blocks, and sums by kernel those of the launches.
TEST_F(RunCommandTest, SumsAreThoseOfTheDetails) {
  const Json all = json("run --json --details --bench tp-mlp");
  std::map<std::string, double> messages;
  for (const auto& [node, statistics] : all["blocks"].items()) {
    for (const auto& [name, one] : statistics.items()) {
      if (name.find("to_") == 0 && name.find(".bytes") != std::string::npos)
        messages["bytes"] += one["value"].get<double>();
    }
  }
  double sum = 0;
  std::size_t blocks = 0;
  for (const Json& kind : all["block_kinds"]) {
    blocks += kind["count"].get<std::size_t>();
    for (const auto& [name, one] : kind["statistics"].items()) {
      if (name.find("to_") == 0 && name.find(".bytes") != std::string::npos) sum += one["sum"].get<double>();
    }
  }
  EXPECT_GT(sum, 0);
  EXPECT_EQ(sum, messages["bytes"]);
  EXPECT_EQ(blocks, all["blocks"].size());
  double time = 0, kernels = 0;
  for (const Json& launch : all["launches"])
    time += launch["completed_ns"].get<double>() - launch["submit_ns"].get<double>();
  for (const Json& kernel : all["kernels"]) kernels += kernel["time_ns"].get<double>();
  EXPECT_NEAR(kernels, time, 1e-5);
}

// However many launches there are.
TEST_F(RunCommandTest, AResultOfManyLaunchesIsShort) {
  ASSERT_EQ(kernbench("run --quiet --out out --topology one_pe --bench noop --set launches=3000").code, 0);
  const std::string text = read("out/result.json");
  const Json result = Json::parse(text);
  EXPECT_LT(text.size(), 600'000u);
  EXPECT_EQ(result["launch_count"], 3000);
  EXPECT_EQ(result["launches"].size(), 256u);
  EXPECT_EQ(result["kernels"][0]["launches"], 3000);
  EXPECT_EQ(result["figures"].size(), 256u);
  EXPECT_THAT(result["notes"].dump(), HasSubstr("the 256 longest of 3000 launches"));
  EXPECT_THAT(result["notes"].dump(), HasSubstr("the first 256 of 12000 figures"));
}

}  // namespace
}  // namespace kb::test
