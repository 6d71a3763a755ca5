// An FST is read back by the library that wrote it.
#include "platform/waves/fst_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bitset>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "platform/base/error.h"
#include "platform/waves/wave_recorder.h"
#ifdef KB_HAS_FST
#include <fst_names.h>
#include <fstapi.h>

#include "platform/waves/fst_fast_path.h"
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

std::string contents(const std::string& name) {
  std::ostringstream bytes;
  bytes << std::ifstream(name, std::ios::binary).rdbuf();
  return bytes.str();
}

// Both ways of telling the library the same random changes, sections of any length among them.
TEST_F(FstFileTest, TheFastPathWritesTheSameBytes) {
  constexpr int kTimes = 200'000, kVariables = 150;
  const auto write = [&](const std::string& name, bool is_fast) {
    void* const writer = ::fstWriterCreate(name.c_str(), 1);
    FstFastPath fast(writer);
    ::fstWriterSetDate(writer, "");
    ::fstWriterSetPackType(writer, FST_WR_PT_LZ4);
    for (int i = 0; i < kVariables; ++i)
      ::fstWriterCreateVar(writer, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, 1, ("v" + std::to_string(i)).c_str(), 0);
    std::mt19937_64 random(1);
    std::uint64_t now = 0;
    for (int i = 0; i < kTimes; ++i) {
      is_fast ? fast.time(now) : ::fstWriterEmitTimeChange(writer, now);
      for (std::uint64_t k = random() % 3; k-- > 0;) {
        const std::uint64_t draw = random();
        const auto handle = static_cast<std::uint32_t>(1 + draw % kVariables);
        const bool value = (draw >> 32 & 1) != 0;
        is_fast ? fast.bit(handle, value) : ::fstWriterEmitValueChange(writer, handle, value ? "1" : "0");
      }
      now += 1 + (random() >> random() % 64 >> 20);
      if (random() % 10'000 == 0) ::fstWriterFlushContext(writer);
    }
    fast.finish();
    ::fstWriterClose(writer);
    const std::string bytes = contents(name);
    std::filesystem::remove(name);
    return bytes;
  };
  const std::string fast = write(file_, true), plain = write(file_, false);
  ASSERT_GT(plain.size(), 100'000u);
  EXPECT_TRUE(fast == plain);
}

TEST_F(FstFileTest, SeveralSectionsAreOneFile) {
  constexpr int kChanges = 500'000;
  observe::OutputFile file(file_, "the waveform file");
  const std::unique_ptr<IWaveFile> format = make_fst_file(file);
  WaveRecorder recorder(*format, {});
  const auto bit = recorder.declare("n", "a", 1);
  for (int i = 1; i <= kChanges; ++i) recorder.change(bit, i * 3_fs, static_cast<std::uint64_t>(i % 2));
  recorder.finish(kChanges * 3_fs);
  file.commit();
  std::istringstream lines(read_back(file_));
  int next = 1;
  std::int64_t now = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '#') now = std::stoll(line.substr(1));
    if (now == 0 || line.size() != 2 || line[1] != '!') continue;
    ASSERT_EQ(now, next * 3);
    ASSERT_EQ(line[0], '0' + next % 2);
    ++next;
  }
  EXPECT_EQ(next, kChanges + 1);
}

// LZ4 finds nothing in these values, zlib that only four bytes occur.
TEST_F(FstFileTest, ValuesThatDoNotRepeatArePackedByZlib) {
  constexpr int kChanges = 500'000;
  observe::OutputFile file(file_, "the waveform file");
  const std::unique_ptr<IWaveFile> format = make_fst_file(file);
  WaveRecorder recorder(*format, {});
  const auto wide = recorder.declare("n", "a", 64);
  std::uint64_t state = 1;
  const auto next = [&state](int i) {
    auto value = static_cast<std::uint64_t>(i % 2);  // no value comes twice in a row
    for (int byte = 0; byte < 7; ++byte) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      value = value << 8 | 0x11u << (state >> 62);
    }
    return value;
  };
  for (int i = 1; i <= kChanges; ++i) recorder.change(wide, i * 3_fs, next(i));
  recorder.finish(kChanges * 3_fs);
  file.commit();
  EXPECT_LT(std::filesystem::file_size(file_), kChanges * 8 / 2);
  std::istringstream lines(read_back(file_));
  state = 1;
  int found = 0;
  std::int64_t now = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '#') now = std::stoll(line.substr(1));
    if (now == 0 || line[0] != 'b') continue;
    ASSERT_EQ(now, ++found * 3);
    ASSERT_EQ(line, "b" + std::bitset<64>(next(found)).to_string() + " !");
  }
  EXPECT_EQ(found, kChanges);
}

#else

TEST_F(FstFileTest, WithoutTheLibraryTheErrorNamesThePackage) {
  try {
    check_fst("w.fst");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    EXPECT_THAT(error.what(), testing::HasSubstr("apt-get install verilator zlib1g-dev"));
  }
}

#endif

}  // namespace
}  // namespace kb::waves
