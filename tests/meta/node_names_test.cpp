// Names of nodes are made from coordinates and are not read for them: no source takes one apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/meta/source_tree.h"

namespace kb::meta {
namespace {

using ::testing::IsEmpty;

// What a line does that takes a dotted name apart; empty for a line that does not.
std::string taking_apart(const std::string& line) {
  static const std::vector<std::pair<std::string, std::regex>> rules = {
      {"splits at dots", std::regex(R"re(\b(split|partition|rpartition)\(.*['"]\.['"])re")},
      {"looks for a dot", std::regex(R"re(\b(r?find\w*|r?index|indexOf|lastIndexOf)\(\s*['"]\.)re")},
      {"looks for a part of the machine",
       std::regex(
           R"re(\b(r?find|search|starts_?[wW]ith|ends_?[wW]ith|startswith|endswith|includes|match|test|exec|replace)\()re"
           R"re([^"'()]*["'`/]\^?(\\?\.)?(sip|cube|pe)(\d|\\|\[|\(|\.|["'`]))re")},
      {"compares the beginning with a part of the machine",
       std::regex(R"re(\bcompare\([^"]*"\.?(sip|cube|pe)(\d|\.|"))re")},
      {"looks for a block behind a dot",
       std::regex(
           R"re((\(|/)[^"'/ ]*["'`/]?\\\.(hbm_ctrl|ucie|pe_\w+|io_\w+|r\\d)|(ends_?[wW]ith|endswith|includes|rfind)\(["'`]\.(hbm_ctrl|ucie|pe_|io_))re")},
      {"has a pattern of numbered parts", std::regex(R"re((sip|cube|\bpe)\(?(\\+d|\[0-9\]))re")},
  };
  // Regular expressions are slow: most lines have none of the words.
  static const std::vector<const char*> words = {"split",   "partition", "find",  "ndex",  "search",
                                                 "ith(",    "includes",  "match", "test",  "exec",
                                                 "replace", "compare",   "\\d",   "[0-9]", "\\."};
  const auto has = [&](const char* word) { return line.find(word) != std::string::npos; };
  if (line.find_first_of("\"'`/") == std::string::npos || std::none_of(words.begin(), words.end(), has)) return "";
  for (const auto& [what, rule] : rules) {
    if (std::regex_search(line, rule)) return what;
  }
  return "";
}

// Sources whose dotted texts are no names of nodes, or were typed by a user.
const std::map<std::string, const char*>& allowed() {
  static const std::map<std::string, const char*> files = {
      {"platform/base/no_match.cpp", "patterns that a user typed"},
      {"platform/data/sql_database.cpp", "names of columns"},
      {"platform/topology/ccl_link.cpp", "keys of a collective configuration"},
      {"platform/topology/checks.cpp", "ids that a user gives IO chiplets"},
      {"platform/topology/component_rules.cpp", "names of implementations"},
      {"platform/topology/config_tree.cpp", "keys of a topology file"},
      {"platform/topology/json_schema.cpp", "keys of a topology file"},
      {"platform/topology/render_json.cpp", "keys of a topology file"},
      {"platform/waves/gtkw_file.cpp", "scopes of a waveform, which are a tree"},
      {"platform/waves/wave_scopes.cpp", "scopes of a waveform, which are a tree"},
      {"sim/cli/run_command.cpp", "keys of --set"},
      {"sim/ports/traffic/trace_csv.cpp", "times that a user wrote into a trace"},
      {"sim/ports/traffic/trace_parser.cpp", "initiators that a user wrote into a trace"},
      {"sim/run/driver/wave_recording.cpp", "a scope that a user typed"},
      {"sim/study/evaluate/evaluator.cpp", "keys of --set"},
      {"sim/study/sweep/axis_reader.cpp", "keys of a sweep"},
      {"sim/study/why/relief.cpp", "shortens patterns, and checks what they match"},
      {"sw/workloads/pe_to_pe.cpp", "PEs that a user typed"},
  };
  return files;
}

std::vector<std::string> sources() {
  std::vector<std::string> all;
  const auto add = [&](const std::string& folder, const std::vector<std::string>& endings) {
    const std::vector<std::string> found = files_below(folder, endings);
    EXPECT_FALSE(found.empty()) << folder;
    all.insert(all.end(), found.begin(), found.end());
  };
  for (const std::string& folder : product_folders()) add(folder, {".h", ".cpp"});
  add("web/src", {".ts", ".tsx"});
  add("python", {".py"});
  return all;
}

TEST(NodeNames, NoSourceTakesOneApart) {
  std::vector<std::string> problems;
  std::map<std::string, const char*> unused = allowed();
  for (const std::string& file : sources()) {
    std::istringstream text(read(file));
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
      const std::string what = taking_apart(line);
      if (what.empty()) continue;
      unused.erase(file);
      if (allowed().count(file) == 0) problems.push_back(file + ":" + std::to_string(number) + " " + what);
    }
  }
  EXPECT_THAT(problems, IsEmpty())
      << "nodes carry coordinates (platform/base/node_coord.h, topology.json, ops.sqlite, web/src/nodes.ts): use them. "
         "For texts that are no names of nodes, or that a user typed, add the file with the reason to this test";
  for (const auto& [file, reason] : unused) ADD_FAILURE() << file << " needs no exception any more (" << reason << ")";
}

TEST(NodeNames, TheRulesSeeWhatTakesNamesApart) {
  for (const char* line : {
           R"re(const std::vector<std::string> parts = split(node, '.');)re",
           R"re(const parts = node.split('.');)re",
           R"re(sip, cube, pe = name.split("."))re",
           R"re(name.substr(0, name.rfind('.')))re",
           R"re(name.slice(0, name.lastIndexOf('.')))re",
           R"re(if (group.find(".cube") != std::string::npos) {)re",
           R"re(if (node.id.rfind("sip0.cube0.pe0", 0) == 0) {)re",
           R"re(if (parts[2].compare(0, 2, "pe") == 0) return scope;)re",
           R"re(one.startsWith('sip'))re",
           R"re(const cube = /\.cube(\d+)$/.exec(group);)re",
           R"re(const isPe = /^pe\d+$/.test(label);)re",
           R"re(op.component.replace(/\.pe_scheduler$/, ''))re",
           R"re(if (id.includes('.hbm_ctrl.')) return;)re",
           R"re(from.endsWith('.pe_dma'))re",
           R"re(static const std::regex pattern("sip([0-9]+)");)re",
       }) {
    EXPECT_NE(taking_apart(line), "") << line;
  }
  for (const char* line : {
           R"re(const auto pes = run.machine()->kinds().find("pe_cpu");)re",
           R"re(fmt::format("sip{}.cube{}", sip.value, cube.value))re",
           R"re(return *graph.find_node("sip0.cube0.pe0." + kind);)re",
           R"re(writer.key("sip").unsigned_integer(launch.sip.value);)re",
           R"re(list("rows", split(text, ',')))re",
           R"re(const dma = `${at}.pe_dma`;)re",
           R"re(a = split_columns(machine, shape, name + "." + what);)re",
       }) {
    EXPECT_EQ(taking_apart(line), "") << line;
  }
}

}  // namespace
}  // namespace kb::meta
