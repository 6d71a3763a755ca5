// An FST is read back by the library that wrote it.
#include "platform/waves/fst_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bitset>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "platform/waves/wave_recorder.h"
#ifdef KB_HAS_FST
#include <fstapi.h>
#endif

namespace kb::waves {
namespace {

class FstFileTest : public testing::Test {
 protected:
  void SetUp() override {
    file_ = (std::filesystem::temp_directory_path() / ("kb_fst_" + std::to_string(::getpid()) + ".fst")).string();
  }
  void TearDown() override {
    std::filesystem::remove(file_);
    std::filesystem::remove(file_ + ".vcd");
  }
  std::string file_;
};

#ifdef KB_HAS_FST

// As a value change dump, from the first time on.
std::string read_back(const std::string& name) {
  void* const reader = ::fstReaderOpen(name.c_str());
  if (reader == nullptr) return "no FST";
  std::FILE* const out = std::fopen((name + ".vcd").c_str(), "w");
  ::fstReaderProcessHier(reader, out);
  ::fstReaderSetFacProcessMaskAll(reader);
  ::fstReaderIterBlocks(reader, nullptr, nullptr, out);
  std::fclose(out);
  ::fstReaderClose(reader);
  std::ostringstream text;
  text << std::ifstream(name + ".vcd").rdbuf();
  return text.str();
}

TEST_F(FstFileTest, ScopesValuesAndWordsComeBack) {
  observe::OutputFile file(file_, "the waveform file");
  const std::unique_ptr<IWaveFile> format = make_fst_file(file);
  WaveRecorder recorder(*format, {});
  const auto bit = recorder.declare("sip0.cube0", "busy", 1);
  const auto state = recorder.declare({"sip0.cube0", "to_sip0.r1", "state", 2, {"idle", "runs"}});
  const auto wide = recorder.declare("sip0", "wide", 64);
  recorder.change(bit, 10_fs, 1);
  recorder.change(state, 10_fs, 1);
  recorder.change(wide, 20_fs, 0x8000000000000001u);
  recorder.change(state, 30_fs, 0);
  recorder.change(bit, 31_fs, 0);  // after the end
  recorder.finish(30_fs);
  file.commit();
  const std::string text = read_back(file_);
  EXPECT_THAT(text, testing::HasSubstr("$scope module sip0 $end\n"
                                       "$var wire 64 ! wide [63:0] $end\n"
                                       "$scope module cube0 $end\n"
                                       "$var wire 1 \" busy $end\n"
                                       "$scope module to_sip0_r1 $end\n"
                                       "$var wire 2 # state [1:0] $end\n"
                                       "$var string 0 $ state_text $end\n"
                                       "$upscope $end\n$upscope $end\n$upscope $end\n"));
  std::map<std::int64_t, std::set<std::string>> changes;  // the order of one time is the library's
  std::int64_t now = 0;
  std::istringstream lines(text.substr(text.find("$end\n#10\n") + 5));
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '#') {
      now = std::stoll(line.substr(1));
    } else {
      changes[now].insert(line);
    }
  }
  const std::map<std::int64_t, std::set<std::string>> expected = {
      {10, {"1\"", "b01 #", "sruns $"}}, {20, {"b1" + std::string(62, '0') + "1 !"}}, {30, {"b00 #", "sidle $"}}};
  EXPECT_EQ(changes, expected);
}

TEST_F(FstFileTest, SeveralSectionsAreOneFile) {
  constexpr int kChanges = 200'000;
  constexpr TimeFs kStep = 3'000_fs;
  observe::OutputFile file(file_, "the waveform file");
  const std::unique_ptr<IWaveFile> format = make_fst_file(file);
  WaveRecorder::Options options;
  options.section_changes = 1000;
  WaveRecorder recorder(*format, options);
  const auto bit = recorder.declare("n", "a", 1);
  for (int i = 1; i <= kChanges; ++i) {
    recorder.change(bit, i * kStep, static_cast<std::uint64_t>(i % 2));
    if (i % 700 == 0) recorder.advance(i * kStep);
  }
  recorder.finish(kChanges * kStep);
  file.commit();
  std::istringstream lines(read_back(file_));
  int next = 1;
  std::int64_t now = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '#') now = std::stoll(line.substr(1));
    if (now == 0 || line.size() != 2 || line[1] != '!') continue;
    ASSERT_EQ(now, next * 3000);
    ASSERT_EQ(line[0], '0' + next % 2);
    ++next;
  }
  EXPECT_EQ(next, kChanges + 1);
}

// What a viewer shows of random signals of all widths, with words and without: every value that differs from the one
// before, by name.
TEST_F(FstFileTest, RandomSignalsComeBackWhateverIsSavedMeanwhile) {
  using Values = std::map<std::string, std::vector<std::pair<std::int64_t, std::string>>>;
  std::mt19937_64 random(3);
  observe::OutputFile file(file_, "the waveform file");
  const std::unique_ptr<IWaveFile> format = make_fst_file(file);
  WaveRecorder::Options options;
  options.section_changes = 3000;
  WaveRecorder recorder(*format, options);
  Values expected;
  std::vector<std::pair<std::string, int>> signals;
  const auto declare = [&] {
    const auto i = signals.size();
    const int bits = i % 3 == 0 ? 1 : static_cast<int>(1 + random() % 64);
    const std::string scope = "s" + std::to_string(random() % 5), name = "v" + std::to_string(i);
    std::vector<std::string> words;
    if (i % 7 == 0) words = {"idle", "runs"};
    recorder.declare({scope, "", name, bits, words});
    signals.emplace_back(scope + "." + name, bits);
    expected[signals.back().first] = {{0, std::string(static_cast<std::size_t>(bits), '0')}};
    if (!words.empty()) expected[signals.back().first + "_text"] = {{0, "idle"}};
  };
  for (int i = 0; i < 40; ++i) declare();
  std::int64_t now = 0;
  for (int step = 0; step < 40'000; ++step) {
    now += static_cast<std::int64_t>(random() % 3'000);
    const std::size_t s = random() % signals.size();
    const auto& [name, bits] = signals[s];
    const std::uint64_t value = bits == 64 ? random() : random() % (std::uint64_t{1} << bits);
    recorder.change(static_cast<contract::SignalId>(s), TimeFs(1 + now), value);
    const std::string digits = std::bitset<64>(value).to_string().substr(64 - static_cast<std::size_t>(bits));
    const std::string word = value < 2 ? (value == 0 ? "idle" : "runs") : std::to_string(value);
    const auto put = [&, at = 1 + now](const std::string& signal, const std::string& text) {
      auto& list = expected[signal];
      if (list.back().first == at) list.pop_back();
      if (list.empty() || list.back().second != text) list.emplace_back(at, text);
    };
    put(name, digits);
    if (s % 7 == 0) put(name + "_text", word);
    if (step % 1000 == 0) recorder.advance(TimeFs(now));
    if (random() % 5000 == 0) recorder.save(TimeFs(now));
    if (step == 30'000) declare();  // long after the first section
  }
  recorder.finish(TimeFs(now + 5));
  file.commit();
  Values found;
  std::istringstream lines(read_back(file_));
  std::map<std::string, std::string> names;
  std::string scope;
  std::int64_t at = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, second, third, id, name;
    words >> kind >> second >> third >> id >> name;
    if (kind == "$scope") scope = third;
    if (kind == "$var") names[id] = scope + "." + name;
    if (kind[0] == '#') at = std::stoll(kind.substr(1));
    if (names.empty() || kind[0] == '#' || kind[0] == '$') continue;
    const bool is_bit = kind[0] == '0' || kind[0] == '1';
    found[names.at(is_bit ? kind.substr(1) : second)].emplace_back(at, is_bit ? kind.substr(0, 1) : kind.substr(1));
  }
  EXPECT_EQ(found, expected);
}

// A copy of the file as it was when it was saved, as after the process has been killed.
TEST_F(FstFileTest, WhatIsSavedCanBeReadAtOnce) {
  observe::OutputFile file(file_, "the waveform file");
  const std::unique_ptr<IWaveFile> format = make_fst_file(file);
  WaveRecorder::Options options;
  options.section_changes = 100;
  WaveRecorder recorder(*format, options);
  const auto bit = recorder.declare("n", "a", 1);
  for (int i = 1; i <= 1000; ++i) {
    recorder.change(bit, i * 3_fs, static_cast<std::uint64_t>(i % 2));
    if (i % 150 == 0) recorder.advance(i * 3_fs);
    if (i % 333 != 0) continue;
    recorder.save(i * 3_fs);
    const std::string text = read_back(file_);
    const std::string last = "#" + std::to_string(3 * (i - 1)) + "\n" + std::to_string((i - 1) % 2) + "!\n";
    EXPECT_THAT(text, testing::HasSubstr("#3\n1!\n#6\n0!\n"));
    EXPECT_THAT(text, testing::EndsWith(last)) << i;
    EXPECT_EQ(std::count(text.begin(), text.end(), '#'), i) << "0, and what is before the time of saving";
  }
}

#endif

}  // namespace
}  // namespace kb::waves
