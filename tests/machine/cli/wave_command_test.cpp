// Waveform files of whole runs: formats, windows, details and the save file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "tests/machine/cli/command_line.h"
#include "tests/support/source_file.h"
#ifdef KB_HAS_FST
#include <fstapi.h>
#endif

namespace kb {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using Changes = std::vector<std::pair<std::int64_t, std::string>>;  // fs, value

// A value change dump, by "scope.name" with the range of bits: every value that differs from the one before.
std::map<std::string, Changes> parse_vcd(const std::string& text) {
  std::map<std::string, Changes> signals;
  std::map<std::string, std::string> names;
  std::vector<std::string> scopes;
  std::istringstream lines(text);
  std::int64_t now = 0;
  bool declared = false;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, type, third, id, name, range;
    words >> kind;
    if (kind == "$scope") {
      words >> type >> third;
      scopes.push_back(third);
    } else if (kind == "$upscope") {
      scopes.pop_back();
    } else if (kind == "$var") {
      words >> type >> third >> id >> name >> range;
      std::string full;
      for (const std::string& scope : scopes) full += scope + ".";
      names[id] = full + name + (range == "$end" ? "" : range);
      signals[names[id]];
    } else if (kind == "$enddefinitions") {
      declared = true;
    } else if (!declared || kind.empty()) {
      continue;
    } else if (kind[0] == '#') {
      now = std::stoll(kind.substr(1));
    } else if (kind[0] == 'b' || kind[0] == 's' || kind[0] == '0' || kind[0] == '1') {
      const bool one = kind[0] == '0' || kind[0] == '1';
      std::string value = one ? kind.substr(0, 1) : kind;
      if (one) id = kind.substr(1);
      if (!one) words >> id;
      if (value[0] == 'b') value = "b" + value.substr(std::min(value.find('1'), value.size() - 1));
      Changes& changes = signals[names.at(id)];
      if (changes.empty() || changes.back().second != value) changes.emplace_back(now, value);
    }
  }
  return signals;
}

class WaveCommandTest : public test::CommandLineTest {
 protected:
  static std::string small() {
    return "run --topology '" + config("one_cube") + "' --bench vector-add --quiet --out out ";
  }
  // As the library reads it, the same that GTKWave reads with.
  std::string unpacked(const std::string& fst) const {
#ifdef KB_HAS_FST
    void* const reader = ::fstReaderOpen((folder() + "/" + fst).c_str());
    EXPECT_NE(reader, nullptr);
    std::FILE* const out = std::fopen((folder() + "/unpacked.vcd").c_str(), "w");
    EXPECT_NE(::fstReaderProcessHier(reader, out), 0);
    ::fstReaderSetFacProcessMaskAll(reader);
    EXPECT_NE(::fstReaderIterBlocks(reader, nullptr, nullptr, out), 0);
    std::fclose(out);
    ::fstReaderClose(reader);
#endif
    return read("unpacked.vcd");
  }
};

TEST_F(WaveCommandTest, AnFstHasTheContentOfTheVcd) {
  for (const std::string options : {"", "--wave-detail flit", "--wave-from-ns 300 --wave-until-ns 900"}) {
    ASSERT_EQ(kernbench(small() + options + " --wave w.vcd --wave-strings").code, 0);
    ASSERT_EQ(kernbench(small() + options + " --wave w.fst").code, 0);
    const auto vcd = parse_vcd(read("w.vcd")), back = parse_vcd(unpacked("w.fst"));
    EXPECT_EQ(vcd, back) << options;
    EXPECT_GT(vcd.size(), 100u);
  }
}

TEST_F(WaveCommandTest, TheToolsOfGtkwaveReadAnFst) {
  if (std::system("command -v fst2vcd > /dev/null") != 0) GTEST_SKIP() << "fst2vcd is not here: install gtkwave";
  ASSERT_EQ(kernbench(small() + "--wave w.vcd --wave-strings --wave-detail flit").code, 0);
  ASSERT_EQ(kernbench(small() + "--wave w.fst --wave-detail flit").code, 0);
  ASSERT_EQ(
      std::system(("cd '" + folder() +
                   "' && fst2vcd w.fst > back.vcd && vcd2fst w.vcd other.fst > log && fst2vcd other.fst > other.vcd")
                      .c_str()),
      0);
  const auto vcd = parse_vcd(read("w.vcd"));
  EXPECT_EQ(parse_vcd(read("back.vcd")), vcd);
  EXPECT_EQ(parse_vcd(read("other.vcd")), vcd) << "vcd2fst keeps the words of states, too";
}

TEST_F(WaveCommandTest, AnFstIsATenthOfTheVcdOrLess) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const std::string options : {"", "--wave-detail flit"}) {
    ASSERT_EQ(kernbench("run --quiet --wave w.vcd " + options).code, 0);
    ASSERT_EQ(kernbench("run --quiet --wave w.fst " + options).code, 0);
    EXPECT_LE(read("w.fst").size() * 10, read("w.vcd").size()) << options;
    ASSERT_EQ(kernbench("run --quiet --wave again.fst " + options).code, 0);
    EXPECT_EQ(read("w.fst"), read("again.fst")) << options;
  }
}

TEST_F(WaveCommandTest, AWindowIsAPartOfTheWhole) {
  constexpr std::int64_t kFrom = 300'000'000, kUntil = 900'000'000;
  ASSERT_EQ(kernbench(small() + "--wave all.vcd").code, 0);
  ASSERT_EQ(kernbench(small() + "--wave part.vcd --wave-from-ns 300 --wave-until-ns 900").code, 0);
  const auto all = parse_vcd(read("all.vcd")), part = parse_vcd(read("part.vcd"));
  ASSERT_EQ(all.size(), part.size());
  std::size_t inside = 0;
  for (const auto& [name, changes] : all) {
    Changes expected;
    for (const auto& [at, value] : changes) {
      if (at <= kFrom) expected.assign(1, {kFrom, value});
      if (at > kFrom && at <= kUntil) expected.emplace_back(at, value);
    }
    EXPECT_EQ(part.at(name), expected) << name;
    inside += expected.size() - 1;
  }
  EXPECT_GT(inside, 100u);
  const test::Outcome late = kernbench("run --bench noop --out out --wave late.vcd --wave-from-ns 1000000");
  EXPECT_EQ(late.code, 0);
  EXPECT_THAT(late.out + late.err, HasSubstr("is after the end of the run"));
}

TEST_F(WaveCommandTest, StatesHaveWordsBesideTheirNumbers) {
  ASSERT_EQ(kernbench(small() + "--wave w.vcd --wave-strings --wave-filter '*.kernel_state'").code, 0);
  const auto vcd = parse_vcd(read("w.vcd"));
  const std::map<std::string, std::string> words = {
      {"b0", "sidle"}, {"b1", "swaits_for_start"}, {"b10", "sruns"}, {"b11", "swaits_for_engine"}};
  const Changes& numbers = vcd.at("sip0.cube0.pe0.pe_cpu.kernel_state[1:0]");
  const Changes& texts = vcd.at("sip0.cube0.pe0.pe_cpu.kernel_state_text");
  ASSERT_EQ(numbers.size(), texts.size());
  ASSERT_GE(numbers.size(), 4u);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(texts[i].first, numbers[i].first);
    EXPECT_EQ(texts[i].second, words.at(numbers[i].second));
  }
}

TEST_F(WaveCommandTest, FlitsOfAWireAreCounted) {
  ASSERT_EQ(
      kernbench(small() +
                "--details --wave w.vcd --wave-strings --wave-detail flit --wave-filter 'sip0.cube0.pe0.pe_dma.*'")
          .code,
      0);
  const auto vcd = parse_vcd(read("w.vcd"));
  const std::string wire = "sip0.cube0.pe0.pe_dma.to_sip0_cube0_r0c0.";
  const std::set<std::string> names = {"valid",   "first",   "last", "txn[31:0]", "flit[23:0]",
                                       "op[1:0]", "op_text", "leg",  "leg_text",  "queue[15:0]"};
  for (const std::string& name : names) EXPECT_EQ(vcd.count(wire + name), 1u) << name;
  const Json statistics = detailed()["blocks"]["sip0.cube0.pe0.pe_dma"];
  std::int64_t high = 0, rise = 0;
  for (const auto& [at, value] : vcd.at(wire + "valid")) {
    if (value == "1") rise = at;
    if (value == "0" && rise > 0) high += at - rise;
  }
  EXPECT_EQ(high, std::llround(statistics["to_sip0.cube0.r0c0.busy"]["value"].get<double>() * 1e6));
  EXPECT_EQ(vcd.at(wire + "op_text").back().second, "swrite");
}

TEST_F(WaveCommandTest, CreditsOfQueuesFallWithMessagesAndComeBack) {
  ASSERT_EQ(kernbench("run --bench ccl-allreduce --quiet --out out --wave w.vcd --wave-filter '*.credits'").code, 0);
  const auto vcd = parse_vcd(read("w.vcd"));
  ASSERT_GT(vcd.size(), 100u);
  std::size_t used = 0;
  for (const auto& [name, changes] : vcd) {
    EXPECT_THAT(name, HasSubstr(".pe_ipcq."));
    if (changes.size() < 3) continue;  // installed at the begin, used, returned
    ++used;
    EXPECT_EQ(changes.front().second, changes.back().second) << name << ": every credit has come back";
  }
  EXPECT_GT(used, 10u);
}

TEST_F(WaveCommandTest, AFilterForQueuesOfARunWithoutQueuesIsAWarning) {
  const test::Outcome outcome = kernbench("run --bench noop --wave w.vcd --wave-filter '*.pe_ipcq.*'");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("has matched no signal of this run"));
}

// What ends a run before its time leaves a file that can be read, with the beginning of the whole one.
class KeptWavesTest : public WaveCommandTest {
 protected:
  static constexpr const char* kRun =
      "run --bench gpt3-qkv --set model=13b --no-findings --quiet --wave-filter 'sip0.cube0.pe0.*' ";

  std::map<std::string, Changes> signals_of(const std::string& file) const {
    return parse_vcd(file.substr(file.size() - 4) == ".fst" ? unpacked(file) : read(file));
  }
  static void expect_beginning(const std::map<std::string, Changes>& kept,
                               const std::map<std::string, Changes>& whole) {
    std::size_t changes = 0;
    for (const auto& [name, some] : kept) {
      const Changes& all = whole.at(name);
      ASSERT_LE(some.size(), all.size()) << name;
      EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << name;
      changes += some.size();
    }
    EXPECT_GT(changes, kept.size()) << "more than the first values";
  }
};

TEST_F(KeptWavesTest, AfterAnInterruptAndAfterAKill) {
  KB_SKIP_UNDER_SANITIZERS();
#ifndef KB_HAS_FST
  GTEST_SKIP() << "an FST cannot be read back here: install verilator";
#endif
  ASSERT_EQ(kernbench(std::string(kRun) + "--wave whole.vcd").code, 0);
  const auto whole = signals_of("whole.vcd");
  for (const auto& [signal, code] : {std::pair{"INT", 130}, std::pair{"TERM", 130}, std::pair{"KILL", 128 + 9}}) {
    for (const std::string file : {"w.fst", "w.vcd"}) {
      const test::Outcome outcome = kernbench(kRun + ("--wave " + file), signalled_when(signal, file));
      EXPECT_EQ(outcome.code, code) << outcome.err;
      if (code == 130) {
        EXPECT_THAT(outcome.err, HasSubstr("; " + file + " has the waveforms up to "));
      }
      auto kept = signals_of(file);
      for (auto one = kept.begin(); one != kept.end();)
        one = whole.count(one->first) != 0 ? std::next(one) : kept.erase(one);
      EXPECT_EQ(kept.size(), whole.size()) << "an FST has words besides";
      expect_beginning(kept, whole);
      std::remove((folder() + "/" + file).c_str());
    }
  }
}

TEST_F(KeptWavesTest, RawTrafficHasWaveforms) {
  write("t.csv", "id,issue_ns,op,src,dst,bytes\na,10,pe_read,sip0.cube0.pe0,0x2000000000,4096\n");
  const std::string run = "traffic --topology '" + config("one_cube") + "' --trace t.csv --out t.tsv ";
  const test::Outcome outcome = kernbench(run + "--wave w.vcd --gtkw w.gtkw --wave-filter '*.pe0.pe_dma.*'");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto vcd = parse_vcd(read("w.vcd"));
  std::size_t changes = 0;
  for (const auto& [name, list] : vcd) changes += list.size() - 1;
  EXPECT_GE(changes, 2u);
  EXPECT_THAT(read("w.gtkw"), HasSubstr("sip0.cube0.pe0.pe_dma.to_"));
  EXPECT_EQ(kernbench(run + "--wave-strings").code, 2);
}

// Identifiers, types and values of IEEE 1364 alone.
TEST_F(WaveCommandTest, AVcdIsOneForStrictReaders) {
  ASSERT_EQ(kernbench(small() + "--wave w.vcd --wave-detail flit").code, 0);
  std::istringstream lines(read("w.vcd"));
  std::set<std::string> kinds;
  bool declared = false;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, type, bits, id, name;
    words >> first >> type >> bits >> id >> name;
    if (first == "$var") {
      EXPECT_EQ(type, "wire") << line;
      EXPECT_TRUE(std::isalpha(static_cast<unsigned char>(name[0])) != 0) << line;
    }
    if (declared) kinds.insert(first.substr(0, first[0] == '$' ? std::string::npos : 1));
    declared = declared || first == "$enddefinitions";
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"#", "$dumpvars", "$end", "0", "1", "b"}));
}

// The lines of a save file that name signals.
std::vector<std::string> shown_signals(const std::string& save) {
  std::vector<std::string> names;
  std::istringstream lines(save);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("+{", 0) == 0) names.push_back(line.substr(line.find("} ") + 2));
  }
  return names;
}

TEST_F(WaveCommandTest, TheSaveFileShowsExactlyWhatWasRecorded) {
  for (const std::string options : {"", "--wave-detail flit", "--wave-filter 'sip0.cube0.pe*'"}) {
    ASSERT_EQ(kernbench(small() + options + " --wave w.vcd --gtkw w.gtkw").code, 0);
    std::set<std::string> recorded;
    for (const auto& [name, changes] : parse_vcd(read("w.vcd"))) recorded.insert(name);
    const std::vector<std::string> shown = shown_signals(read("w.gtkw"));
    EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()), recorded) << options;
    EXPECT_EQ(shown.size(), recorded.size()) << options;
  }
}

TEST_F(WaveCommandTest, TheSaveFileIsSetToTheLongestLaunch) {
  ASSERT_EQ(kernbench(small() + " --wave w.vcd --gtkw w.gtkw").code, 0);
  const Json launches = Json::parse(read("out/result.json"))["launches"];
  ASSERT_EQ(launches.size(), 1u);
  const auto fs = [&](const char* key) { return std::llround(launches[0][key].get<double>() * 1e6); };
  const std::int64_t begin = fs("submit_ns"), end = fs("completed_ns");
  const std::string save = read("w.gtkw");
  EXPECT_THAT(save, HasSubstr("[dumpfile] \"" + folder() + "/w.vcd\"\n"));
  std::istringstream zoom_line(save.substr(save.find("\n*") + 2));
  double zoom = 0;
  std::int64_t primary = 0, first = 0, second = 0, third = 0;
  zoom_line >> zoom >> primary >> first >> second >> third;
  EXPECT_EQ(primary, begin);
  EXPECT_EQ(first, begin);
  EXPECT_EQ(second, end);
  EXPECT_EQ(third, -1);
  const std::int64_t left = std::stoll(save.substr(save.find("[timestart] ") + 12));
  const double shown = std::exp2(-zoom) / 200.0 * 900.0;  // 900 pixels
  EXPECT_LE(left, begin);
  EXPECT_GE(static_cast<double>(left) + shown, static_cast<double>(end));
  EXPECT_LE(shown, 1.2 * static_cast<double>(end - begin));
  EXPECT_THAT(save, HasSubstr("[markername] Alaunch "));
}

TEST_F(WaveCommandTest, TheCommandsOfTheGuideWork) {
  KB_SKIP_UNDER_SANITIZERS();
  std::istringstream guide(test::source_file("docs/guides/waveforms.md"));
  int commands = 0;
  for (std::string line; std::getline(guide, line);) {
    if (line.rfind("kernbench run ", 0) != 0) continue;
    const test::Outcome outcome = kernbench(line.substr(std::string("kernbench ").size()) + " --quiet --strict");
    EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
    ++commands;
  }
  EXPECT_GE(commands, 9);
}

}  // namespace
}  // namespace kb
