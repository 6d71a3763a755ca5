// Wrong usage: one clear message, exit code 2, nothing on standard output, no files (H-83).
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "platform/base/version.h"
#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using UsageTest = CommandLineTest;

TEST_F(UsageTest, EveryCommandHasHelpWithExamples) {
  EXPECT_THAT(kernbench("--help").out, HasSubstr("Examples:"));
  for (const char* command :
       {"run", "list", "probe", "topology", "check", "traffic", "web", "serve", "convert", "model"}) {
    const Outcome outcome = kernbench(std::string(command) + " --help");
    EXPECT_EQ(outcome.code, 0) << command;
    EXPECT_THAT(outcome.out, HasSubstr("Usage: kernbench " + std::string(command)));
    EXPECT_THAT(outcome.out, HasSubstr("Examples:\n  kernbench " + std::string(command)));
  }
}

std::set<std::string> long_options(const std::string& text) {
  static const std::regex option("--[a-z][a-z0-9-]*");
  return {std::sregex_token_iterator(text.begin(), text.end(), option), std::sregex_token_iterator()};
}

// Names in the list of commands that a help has.
std::set<std::string> commands_in(const std::string& text) {
  std::istringstream help(text);
  std::set<std::string> commands;
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (line == "Subcommands:" || line == "Commands:") listed = true;
    if (line.empty()) listed = false;
    if (listed && line.rfind("  ", 0) == 0 && line[2] != ' ') commands.insert(line.substr(2, line.find(' ', 2) - 2));
  }
  return commands;
}

// Chapter 05: every command has a row of its own, with the options that its help declares and no others.
TEST_F(UsageTest, TheSpecificationListsEveryCommandAndOption) {
  std::ifstream page(KB_SOURCE_DIR "/docs/specification/05-cli.md");
  std::map<std::string, std::set<std::string>> documented;
  for (std::string line; std::getline(page, line);) {
    const std::string begin = "| `kernbench ";
    if (line.rfind(begin, 0) != 0) continue;
    const std::string name = line.substr(begin.size(), line.find('`', begin.size()) - begin.size());
    const std::size_t cell = line.find(" | ", begin.size());
    documented[name] = long_options(line.substr(cell, line.find(" | ", cell + 3) - cell));
  }
  std::set<std::string> commands = commands_in(kernbench("--help").out);
  EXPECT_GE(commands.size(), 14u);
  for (const std::string& command : std::set<std::string>(commands)) {
    for (const std::string& part : commands_in(kernbench(command + " --help").out))
      commands.insert(command + " " + part);
  }
  for (const std::string& command : commands) {
    std::istringstream lines(kernbench(command + " --help").out);
    std::set<std::string> declared;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t at = line.find_first_not_of(' ');
      if (at != std::string::npos && at > 0 && line[at] == '-') {
        declared.merge(long_options(line.substr(at, line.find("  ", at) - at)));
      }
    }
    declared.erase("--help");
    EXPECT_EQ(documented[command], declared) << command;
  }
}

TEST_F(UsageTest, VersionIsOneLine) {
  const Outcome outcome = kernbench("--version");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr(std::string("kernbench ") + kVersion));
  EXPECT_EQ(outcome.err, "");
}

struct Wrong {
  const char* arguments;
  const char* message;
};

void PrintTo(const Wrong& wrong, std::ostream* out) {  // the default would print pointers
  *out << wrong.arguments;
}

class WrongUsageTest : public CommandLineTest, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongUsageTest, IsExplained) {
  const Outcome outcome = kernbench(GetParam().arguments);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(files(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Cases, WrongUsageTest,
    testing::Values(
        Wrong{"", "Usage: kernbench"}, Wrong{"rum", "did you mean 'run'?"},
        Wrong{"--verison", "did you mean '--version'?"}, Wrong{"run --bnech x", "did you mean '--bench'?"},
        Wrong{"run --bench gemm-sinle-pe", "did you mean 'gemm-single-pe'?"}, Wrong{"run --bench 99", "99"},
        Wrong{"run --bench ''", "--bench is given an empty value"},
        Wrong{"probe --topology ''", "--topology is given an empty value"},
        Wrong{"run --seed -1", "--seed needs a whole number from 0 to 18446744073709551615, not '-1'"},
        Wrong{"run --seed 18446744073709551616", "not '18446744073709551616'"},
        Wrong{"run --seed 0x10", "--seed needs a whole number"}, Wrong{"run --seed 1.5", "not '1.5'"},
        Wrong{"run --seed nan", "not 'nan'"}, Wrong{"run --seed 7up", "not '7up'"},
        Wrong{"run --time-limit-ns nan", "--time-limit-ns needs a number from 0.000001 to 1000000000000, not 'nan'"},
        Wrong{"run --time-limit-ns 1e400", "not '1e400'"}, Wrong{"run --time-limit-ns 0", "not '0'"},
        Wrong{"run --time-limit-ns 1e-9", "not '1e-9'"},
        Wrong{"run --host-time-limit-s 0", "--host-time-limit-s needs a number from 0.001 to 100000000, not '0'"},
        Wrong{"traffic --trace t.csv --host-time-limit-s soon", "not 'soon'"},
        Wrong{"evaluate gemm --jobs 0", "--jobs needs a whole number from 1 to 9999, not '0'"},
        Wrong{"evaluate gemm --jobs 99999999999999999999", "--jobs needs a whole number"},
        Wrong{"run --device sip:0x1", "write 'all' or 'sip:N'"},
        Wrong{"run --device sip:99999999999999999999", "the machine has 2 SIPs"},
        Wrong{"run --set system.sips.count=99999999999999999999", "is out of range"},
        Wrong{"run --bench copy --bench copy", "--bench is given twice"},
        Wrong{"run --bench", "--bench needs a value after it"},
        Wrong{"run --bench --json", "--bench needs a value after it"},
        Wrong{"run --bench --", "--bench needs a value after it"},
        Wrong{"run --bench=", "--bench is given an empty value"},
        Wrong{"run --json=maybe", "--json takes no value, not 'maybe'"}, Wrong{"run -x", "unknown option -x"},
        Wrong{"run -help", "did you mean '--help'?"}, Wrong{"list -- x", "there is no workload and no kernel 'x'"},
        Wrong{"list gemm-sinle-pe", "did you mean 'gemm-single-pe'?"},
        Wrong{"list matmul", "did you mean 'matmul-composite'?"}, Wrong{"list xyzzy", "'kernbench list' shows them"},
        Wrong{"list copy mlp", "unexpected argument 'mlp'"},
        Wrong{"run -- --bench copy", "unexpected argument '--bench' after --"},
        Wrong{"probe -- x", "unexpected argument 'x' after --"},
        Wrong{"traffic --trace a -- b", "unexpected argument 'b' after --"},
        Wrong{"evaluate gemm -- x", "unexpected argument 'x'"}, Wrong{"topology -- a b", "unexpected argument 'b'"},
        Wrong{"check -- a --b", "there is no file './--b'"}, Wrong{"-- list", "no command given before --"},
        Wrong{"run '\x1b[31m'", "unexpected argument '\\x1b[31m'"}, Wrong{"run extra", "unexpected argument 'extra'"},
        Wrong{"run --set m", "--set needs name=value"},
        Wrong{"run --bench gemm-single-pe --set mm=4", "no such parameter"},
        Wrong{"run --bench gemm-single-pe --set m=x", "is not a whole number"},
        Wrong{"run --bench gemm-single-pe --set m=99999999999999999999", "does not fit 64 bits"},
        Wrong{"run --set cube.links.router_link_bw_gsb=4", "did you mean 'router_link_bw_gbs'?"},
        Wrong{"run --set cube.links.router_link_bw_gbs=fast", "router_link_bw_gbs"},
        Wrong{"run --device sip:7", "sip:"}, Wrong{"run --device both", "both"},
        Wrong{"run --data repaly", "did you mean 'replay'?"}, Wrong{"run --data off --verify-data", "--data off"},
        Wrong{"run --vcd-filter 'x*'", "--vcd"}, Wrong{"run --wave w.txt", "ends in .vcd"},
        Wrong{"run --wave w.vcd --vcd w.vcd", "leave one out"}, Wrong{"run --wave-until-ns 5", "--wave FILE"},
        Wrong{"run --gtkw w.gtkw", "--wave FILE"},
        Wrong{"run --wave w.vcd --wave-detail flits", "did you mean 'flit'?"},
        Wrong{"run --wave-detail flit", "--wave FILE"},
        Wrong{"run --wave w.vcd --wave-from-ns 5 --wave-until-ns 4", "is before --wave-from-ns"},
        Wrong{"run --time-limit-ns -5", "--time-limit-ns"},
        Wrong{"run --time-limit-ns soon", "--time-limit-ns needs a number from 0.000001 to 1000000000000, not 'soon'"},
        Wrong{"run --seed abc", "not 'abc'"},
        Wrong{"run --plugin nothing.so", "kernbench run: error: the plug-in 'nothing.so' cannot be loaded"},
        Wrong{"run --topology nothing.yaml", "nothing.yaml"}, Wrong{"run --topology .", "directory"},
        Wrong{"probe --case pe-local", "did you mean 'pe-local-hbm'?"}, Wrong{"check", "FILES is required"},
        Wrong{"traffic", "--trace is required"},
        Wrong{"traffic --trace nothing.csv", "kernbench traffic: error: there is no traffic file 'nothing.csv'"},
        Wrong{"traffic t1.csv", "unexpected argument 't1.csv'; did you mean --trace t1.csv?"},
        Wrong{"check nothing.yaml", "kernbench check: error: there is no file 'nothing.yaml'"},
        Wrong{"run --bench gemmm", "(did you mean 'gemm-"}, Wrong{"run --bench nope", "(known: "},
        Wrong{"run --result x", "unknown option --result\nTry"}, Wrong{"run --ccl x", "unknown option --ccl\nTry"},
        Wrong{"run --log foo=debug", "write --log foo:debug"},
        Wrong{"topology --json --dot", "--json excludes --dot; give one of them"}));

TEST_F(UsageTest, ALibraryThatIsNoPluginIsNamed) {
  const Outcome outcome = kernbench("run --plugin /lib/x86_64-linux-gnu/libm.so.6");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("not a kernbench plug-in"));
}

TEST_F(UsageTest, ListNamesWorkloadsKernelsAndParameters) {
  const nlohmann::json list = json("list --json");
  std::vector<std::string> names;
  for (const auto& workload : list["benches"]) {
    names.push_back(workload["name"]);
    EXPECT_EQ(workload["index"], names.size());  // H-71
    EXPECT_NE(workload["description"], "");
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char* name : {"copy", "gemm-multi-pe", "gemm-single-pe", "vector-add"}) {
    EXPECT_THAT(names, testing::Contains(name));
  }
  EXPECT_FALSE(list["kernels"].empty());
}

// H-117
TEST_F(UsageTest, ListHasAHeadingForEveryGroup) {
  const nlohmann::json list = json("list --json");
  const std::string text = kernbench("list").out;
  const std::size_t kernels = text.find("\nKernels: ");
  ASSERT_NE(kernels, std::string::npos);
  const auto expect_below = [&](const nlohmann::json& one, std::size_t begin, std::size_t end) {
    const std::string group = one["group"], name = one["name"];
    const std::size_t heading = text.find("\n\n" + group + "\n", begin);
    ASSERT_LT(heading, end) << group;
    const std::size_t next = text.find("\n\n", heading + 2);
    EXPECT_LT(text.find(" " + name + " ", heading), next) << name << " is not below " << group;
  };
  for (const auto& workload : list["benches"]) expect_below(workload, 0, kernels);
  for (nlohmann::json kernel : list["kernels"]) {
    const std::string line = "\n" + kernel["name"].get<std::string>() + " ";
    const std::size_t at = text.find(line, kernels), heading = text.rfind("\n\n", at);
    ASSERT_NE(at, std::string::npos) << line;
    EXPECT_EQ(text.substr(heading + 2, text.find('\n', heading + 2) - heading - 2), kernel["group"]);
  }
}

// H-117
TEST_F(UsageTest, ListShowsPlugInsBelowTheirNameOrWhatTheyState) {
  const auto group = [&](const char* plugin, const char* list, const char* name) {
    const nlohmann::json all = json(std::string("list --json --plugin ") + plugin);
    for (const auto& one : all[list]) {
      if (one["name"] == name) return one["group"].get<std::string>();
    }
    return std::string("not there");
  };
  EXPECT_EQ(group(KB_TP_MLP_PLUGIN, "benches", "my-tp-mlp"), "plug-in tp_mlp_plugin");
  EXPECT_EQ(group(KB_PING_PONG_PLUGIN, "benches", "ping-pong"), "messages between PEs");
  EXPECT_EQ(group(KB_PING_PONG_PLUGIN, "kernels", "ping_pong"), "messages between PEs");
  EXPECT_EQ(group(KB_PING_PONG_PLUGIN, "kernels", "gemm"), "matrix multiplication");
  const std::string text = kernbench("list --plugin " KB_TP_MLP_PLUGIN).out;
  EXPECT_THAT(text, HasSubstr("\n\nplug-in tp_mlp_plugin\n"));
  EXPECT_LT(text.find("\n\nmicrobenchmarks"), text.find("\n\nplug-in")) << "they come last";
}

int longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return static_cast<int>(longest);
}

TEST_F(UsageTest, ListIsAShortTable) {
  const Outcome list = kernbench("list");
  EXPECT_THAT(list.out, HasSubstr("15  gemm-multi-pe              C = A x B"));
  EXPECT_THAT(list.out, HasSubstr("\nself_attention"));
  EXPECT_THAT(list.out, Not(HasSubstr("slot_size")));
  EXPECT_LE(longest_line(list.out), 100);
  const nlohmann::json all = json("list --json");
  std::set<std::string> headings;  // each with an empty line before it
  for (const char* what : {"benches", "kernels"}) {
    for (const auto& one : all[what]) headings.insert(what + one["group"].get<std::string>());
  }
  EXPECT_LE(std::count(list.out.begin(), list.out.end(), '\n') - 2 * static_cast<long>(headings.size()), 160);
}

TEST_F(UsageTest, ListShowsOneWorkloadWithItsParameters) {
  const Outcome by_name = kernbench("list gemm-single-pe");
  EXPECT_THAT(by_name.out, HasSubstr("Workload gemm-single-pe, number 16\n"));
  EXPECT_THAT(by_name.out, HasSubstr("\n  m          512 "));
  EXPECT_THAT(by_name.out, HasSubstr("GEMM_SINGLE_PE_M"));
  EXPECT_THAT(by_name.out, Not(HasSubstr("softmax")));
  EXPECT_EQ(kernbench("list 16").out, by_name.out);
  const std::string both = kernbench("list copy").out;  // also the name of a kernel
  EXPECT_THAT(both, HasSubstr("COPY_BYTES"));
  EXPECT_THAT(both, HasSubstr("Kernel copy"));
  EXPECT_THAT(both, HasSubstr("\n    src_offset: int (optional)\n"));
  const nlohmann::json one = json("list gemm-single-pe --json");
  EXPECT_EQ(one["benches"].size(), 1u);
  EXPECT_EQ(one["benches"][0]["index"], 16);
  const nlohmann::json all = json("list --json");
  for (const auto& workload : all["benches"]) {
    const Outcome outcome = kernbench("list " + workload["name"].get<std::string>());
    EXPECT_EQ(outcome.code, 0) << workload["name"];
    EXPECT_LE(longest_line(outcome.out), 100) << workload["name"];
  }
}

TEST_F(UsageTest, HelpOfARunShowsTheParametersOfItsWorkload) {
  for (const char* arguments :
       {"run --bench gemm-single-pe --help", "run --help --bench=gemm-single-pe", "run -h --bench 16"}) {
    const Outcome outcome = kernbench(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("Usage: kernbench run")) << arguments;
    EXPECT_THAT(outcome.out, HasSubstr("Parameters of gemm-single-pe:\n\n  parameter  default")) << arguments;
  }
  EXPECT_THAT(kernbench("run --help").out, Not(HasSubstr("Parameters of")));
  EXPECT_THAT(program("sim_one_pe", "--bench noop --help").out, HasSubstr("Parameters of noop:"));
  const Outcome wrong = kernbench("run --bench gemm-sinle-pe --help");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'gemm-single-pe'?"));
}

TEST_F(UsageTest, HelpFitsATerminal) {
  for (const char* command :
       {"", "run", "list", "probe", "topology", "check", "traffic", "evaluate", "compare", "web", "serve", "convert"}) {
    const Outcome outcome = kernbench(std::string(command) + " --help");
    EXPECT_LE(longest_line(outcome.out), 120) << command << "\n" << outcome.out;
  }
}

TEST_F(UsageTest, AFullStandardOutputIsAnError) {
  for (const std::string& command : {std::string("list"), "check '" + config("one_pe") + "'"}) {
    const Outcome outcome = kernbench(command + " > /dev/full");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("kernbench " + command.substr(0, 4)));
    EXPECT_THAT(outcome.err, HasSubstr("error: cannot write to standard output: No space left on device"));
    EXPECT_THAT(outcome.err, Not(HasSubstr("one_pe")));
  }
}

TEST_F(UsageTest, FilesFollowADoubleDash) {
  write("-m.yaml", read_config("one_pe"));
  const Outcome outcome = kernbench("check -- -m.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("./-m.yaml: ok"));
}

TEST_F(UsageTest, SeedsAreDecimal) {
  for (const auto& [text, seed] : {std::pair{"010", 10}, {"1e3", 1000}, {"8", 8}}) {
    const std::string run = "run --bench noop --json --topology '" + config("one_pe") + "' --seed ";
    EXPECT_EQ(json(run + text)["seed"], seed);
  }
  EXPECT_EQ(json("run --bench noop --json --topology '" + config("one_pe") + "' --seed 18446744073709551615")["seed"],
            18446744073709551615U);
}

// The name of a file steers no terminal and no reader.
TEST_F(UsageTest, NamesArePrintedWithoutControlCharacters) {
  const std::string name = "a\x1b[2J\u202e\xff.yaml";
  write(name, read_config("one_pe"));
  const Outcome good = kernbench("check '" + name + "'");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("a\\x1b[2J\\u202e\\xff.yaml: ok"));
  const Outcome report = kernbench("run --bench noop --topology '" + name + "'");
  EXPECT_THAT(report.out, HasSubstr("a\\x1b[2J\\u202e\\xff.yaml"));
  EXPECT_EQ(report.out.find('\x1b'), std::string::npos);
  const Outcome bad = kernbench("check '" + name + "' --set 'cube.\x1b]0;x\x07=1'");
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(bad.err.find('\x1b'), std::string::npos);
  EXPECT_EQ(bad.err.find('\x07'), std::string::npos);
  EXPECT_EQ(json("run --bench noop --json --topology '" + name + "'")["ok"], true);  // valid UTF-8 all the same
}

TEST_F(UsageTest, AVeryLongArgumentIsShortened) {
  const Outcome outcome = kernbench("run --bench " + std::string(100000, 'x'));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_LT(outcome.err.size(), 3000u);
}

// A path that no system takes is named by its ends, and the remedy behind it is there.
TEST_F(UsageTest, AVeryLongPathIsShortenedAndTheRemedyKept) {
  const std::string path(3000, '9');
  for (const char* command : {"check ", "topology ", "probe --topology ", "run --topology ", "traffic --trace ",
                              "run --plugin ", "evaluate gemm --topology "}) {
    const Outcome outcome = kernbench(command + path);
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_LT(outcome.err.size(), 800u) << command;
    EXPECT_THAT(outcome.err, HasSubstr("(shorten the path)")) << command;
    EXPECT_THAT(outcome.err, HasSubstr("999 ... (")) << command;
  }
}

// A usage error is one line, whatever the argument holds.
TEST_F(UsageTest, LineEndsAndTabsOfAnArgumentAreWrittenOut) {
  const std::string bad = "'a\n\tb'";
  for (const char* command : {"",
                              "list ",
                              "run ",
                              "run --",
                              "run --seed ",
                              "run --set ",
                              "run --bench ",
                              "run --data ",
                              "run --device ",
                              "run --bench copy --set bytes=",
                              "probe --case ",
                              "check ",
                              "topology ",
                              "evaluate ",
                              "evaluate gemm --jobs ",
                              "traffic --trace ",
                              "run --json=",
                              "check --set a=b ",
                              "topology a b",
                              "run --time-limit-ns ",
                              "run --bench copy --set elements",
                              "run --out a --bench "}) {
    const Outcome outcome = kernbench(std::string(command) + bad);
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("\\n\\t")) << command;
    EXPECT_EQ(outcome.err.find('\t'), std::string::npos) << command << outcome.err;
    EXPECT_EQ(outcome.err.find("\n\n"), std::string::npos) << command << outcome.err;
  }
}

}  // namespace
}  // namespace kb::test
