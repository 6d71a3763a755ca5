#include "platform/waves/wave_recorder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "platform/base/error.h"
#include "platform/base/glob.h"
#include "platform/waves/fst_file.h"
#include "platform/waves/vcd_file.h"

namespace kb::waves {
namespace {

constexpr const char* kPurpose = "the waveform file";

class WaveRecorderTest : public testing::Test {
 protected:
  void SetUp() override {
    file_ = (std::filesystem::temp_directory_path() / ("kb_vcd_" + std::to_string(::getpid()) + ".vcd")).string();
  }
  void TearDown() override { std::filesystem::remove(file_); }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(file_).rdbuf();
    return text.str();
  }
  std::string body() const {
    const std::string text = content();
    const std::string before = "$enddefinitions $end\n";
    return text.substr(text.find(before) + before.size());
  }

  std::string file_;
};

TEST_F(WaveRecorderTest, ScopesFollowTheNodeIdAndAreOpenedOnce) {
  observe::OutputFile file(file_, kPurpose);
  VcdFile format(file);
  WaveRecorder vcd(format, {});
  vcd.declare("sip0.cube0.sram", "busy", 1);
  vcd.declare("sip0.io0.pcie_ep", "to_sip0.r1.queue", 8);
  vcd.declare("sip0.cube0.m_cpu", "state", 2);
  vcd.finish(5_fs);
  file.commit();
  const std::string text = content();
  EXPECT_NE(text.find("$timescale 1 fs $end\n"
                      "$scope module sip0 $end\n"
                      "$scope module cube0 $end\n"
                      "$scope module m_cpu $end\n"
                      "$var wire 2 # state [1:0] $end\n"
                      "$upscope $end\n"
                      "$scope module sram $end\n"
                      "$var wire 1 ! busy $end\n"
                      "$upscope $end\n"
                      "$upscope $end\n"
                      "$scope module io0 $end\n"
                      "$scope module pcie_ep $end\n"
                      "$var wire 8 \" to_sip0_r1_queue [7:0] $end\n"
                      "$upscope $end\n"
                      "$upscope $end\n"
                      "$upscope $end\n"
                      "$enddefinitions $end\n"),
            std::string::npos)
      << text;
}

TEST_F(WaveRecorderTest, OrdersChangesAndDropsThoseThatChangeNothing) {
  observe::OutputFile file(file_, kPurpose);
  VcdFile format(file);
  WaveRecorder vcd(format, {});
  const auto a = vcd.declare("n", "a", 1);
  const auto b = vcd.declare("n", "b", 4);
  vcd.change(b, 30_fs, 5);
  vcd.change(a, 20_fs, 1);
  vcd.change(a, 10_fs, 1);
  vcd.change(b, 10_fs, 0);
  vcd.change(b, 30_fs, 6);  // the latest report of one time counts
  vcd.change(a, 99_fs, 0);  // after the end
  vcd.finish(40_fs);
  file.commit();
  EXPECT_EQ(body(), "#0\n$dumpvars\n0!\nb0 \"\n$end\n#10\n1!\n#30\nb110 \"\n#40\n");
}

TEST_F(WaveRecorderTest, ValuesAtTimeZeroAreInTheInitialDump) {
  observe::OutputFile file(file_, kPurpose);
  VcdFile format(file);
  WaveRecorder vcd(format, {});
  const auto a = vcd.declare("n", "a", 3);
  vcd.change(a, 0_fs, 4);
  vcd.finish(0_fs);
  file.commit();
  EXPECT_EQ(body(), "#0\n$dumpvars\nb100 !\n$end\n");
}

TEST_F(WaveRecorderTest, FiltersByGlobAndNamesTheUnmatchedOnes) {
  observe::OutputFile file(file_, kPurpose);
  VcdFile format(file);
  WaveRecorder::Options options;
  options.filters = {"sip0.*.busy", "*.nothing"};
  WaveRecorder vcd(format, options);
  EXPECT_NE(vcd.declare("sip0.cube1", "busy", 1), contract::kNoSignal);
  EXPECT_EQ(vcd.declare("sip1.cube1", "busy", 1), contract::kNoSignal);
  EXPECT_EQ(vcd.declare("sip0.cube1", "depth", 1), contract::kNoSignal);
  vcd.change(contract::kNoSignal, 1_fs, 1);
  EXPECT_EQ(vcd.unmatched_filters(), std::vector<std::string>{"*.nothing"});
  EXPECT_EQ(vcd.example(), "sip0.cube1.busy");
  EXPECT_EQ(vcd.changes(), 0u);
}

TEST_F(WaveRecorderTest, SpilledBuffersGiveTheSameFile) {
  std::mt19937 random(7);
  std::vector<std::array<std::uint64_t, 3>> changes;  // signal, time, value
  for (int i = 0; i < 5000; ++i) changes.push_back({random() % 120, random() % 900, random() % 16});
  const auto write = [&](std::size_t buffered) {
    observe::OutputFile file(file_, kPurpose);
    VcdFile format(file);
    WaveRecorder::Options options;
    options.buffered_changes = buffered;
    WaveRecorder vcd(format, options);
    for (int i = 0; i < 120; ++i) vcd.declare("n" + std::to_string(i), "v", 4);
    for (const auto& [signal, at, value] : changes) {
      vcd.change(static_cast<contract::SignalId>(signal), TimeFs(at), value);
    }
    vcd.finish(1000_fs);
    file.commit();
    return content();
  };
  const std::string whole = write(100000);
  EXPECT_EQ(write(64), whole);
  EXPECT_NE(whole.find("#899\n"), std::string::npos);
}

// Reports everything up to a time when it has come.
class Clockwork final : public contract::IDeferredSignals {
 public:
  Clockwork(WaveRecorder& recorder, contract::SignalId signal, TimeFs half_period)
      : recorder_(recorder), signal_(signal), half_period_(half_period), next_(half_period) {
    recorder.add_late(*this);
  }
  TimeFs report_until(TimeFs now) override {
    for (; next_ < now; next_ += half_period_) {
      recorder_.change(signal_, next_, static_cast<std::uint64_t>(next_ / half_period_ % 2));
    }
    return now;
  }

 private:
  WaveRecorder& recorder_;
  contract::SignalId signal_;
  TimeFs half_period_, next_;
};

TEST_F(WaveRecorderTest, WhenItIsSavedDoesNotChangeTheFile) {
  const auto write = [&](std::int64_t saves) {
    observe::OutputFile file(file_, kPurpose);
    WaveRecorder::Options options;
    options.section_changes = 50;
    const auto format = make_fst_file(file);
    WaveRecorder recorder(*format, options);
    const auto a = recorder.declare("n", "a", 8);
    Clockwork clock(recorder, recorder.declare("n", "clock", 1), 30'000'000_fs);
    for (std::int64_t now = 100'000'000; now <= 30'000'000'000; now += 100'000'000) {
      recorder.change(a, TimeFs(now), static_cast<std::uint64_t>(now / 100'000'000 % 256));
      if (saves != 0 && now / 100'000'000 % saves == 0) recorder.save(TimeFs(now));
      recorder.advance(TimeFs(now));
    }
    clock.report_until(30'000'000'000_fs);
    recorder.finish(30'000'000'000_fs);
    file.commit();
    return content();
  };
  const std::string plain = write(0);
  EXPECT_TRUE(write(1) == plain);
  EXPECT_TRUE(write(7) == plain);
  EXPECT_GT(plain.size(), 1500u);
}

TEST_F(WaveRecorderTest, WhatIsSavedIsInPlaceAndStaysThere) {
  {
    observe::OutputFile file(file_, kPurpose);
    VcdFile format(file);
    WaveRecorder vcd(format, {});
    const auto a = vcd.declare("n", "a", 1);
    vcd.change(a, 5_fs, 1);
    EXPECT_FALSE(std::filesystem::exists(file_));
    EXPECT_EQ(vcd.save(8_fs), 7_fs);
    EXPECT_EQ(body(), "#0\n$dumpvars\n0!\n$end\n#5\n1!\n#7\n");
    vcd.change(a, 9_fs, 0);
    vcd.save(20_fs);
    EXPECT_EQ(body(), "#0\n$dumpvars\n0!\n$end\n#5\n1!\n#9\n0!\n#19\n");
  }
  EXPECT_EQ(body(), "#0\n$dumpvars\n0!\n$end\n#5\n1!\n#9\n0!\n#19\n");
}

TEST_F(WaveRecorderTest, SignalsMayComeWhenSectionsAreWritten) {
  observe::OutputFile file(file_, kPurpose);
  VcdFile format(file);
  WaveRecorder::Options options;
  options.section_changes = 1;
  WaveRecorder vcd(format, options);
  const auto a = vcd.declare("n", "a", 1);
  vcd.change(a, 5_fs, 1);
  vcd.save(6_fs);
  const auto b = vcd.declare("m", "b", 2);
  vcd.change(b, 7_fs, 3);
  vcd.save(8_fs);
  vcd.change(a, 9_fs, 0);
  vcd.finish(9_fs);
  file.commit();
  EXPECT_NE(content().find("$scope module m $end\n$var wire 2 \" b [1:0] $end\n"), std::string::npos);
  EXPECT_EQ(body(), "#0\n$dumpvars\n0!\nb0 \"\n$end\n#5\n1!\n#7\nb11 \"\n#9\n0!\n");
}

TEST_F(WaveRecorderTest, AChangeThatComesTooLateIsADefect) {
  observe::OutputFile file(file_, kPurpose);
  VcdFile format(file);
  WaveRecorder vcd(format, {});
  const auto a = vcd.declare("n", "a", 1);
  vcd.save(50_fs);
  vcd.change(a, 50_fs, 1);
  EXPECT_THROW(vcd.change(a, 49_fs, 0), Error);
}

TEST_F(WaveRecorderTest, TheTopScopeIsAroundAllOthersAndNotInFilters) {
  observe::OutputFile file(file_, kPurpose);
  VcdFile format(file);
  WaveRecorder::Options options;
  options.filters = {"sip0.*"};
  options.top = "soc.npu";
  options.has_words = false;
  WaveRecorder vcd(format, options);
  vcd.declare({"sip0", "", "state", 2, {"idle", "runs"}});
  vcd.finish(1_fs);
  file.commit();
  EXPECT_NE(content().find("$scope module soc $end\n$scope module npu $end\n$scope module sip0 $end\n"
                           "$var wire 2 ! state [1:0] $end\n$upscope $end\n"),
            std::string::npos)
      << content();
}

TEST_F(WaveRecorderTest, AWindowBeginsWithTheValuesThatItFinds) {
  observe::OutputFile file(file_, kPurpose);
  VcdFile format(file);
  WaveRecorder::Options options;
  options.from = 20_fs;
  options.until = 40_fs;
  WaveRecorder vcd(format, options);
  const auto a = vcd.declare("n", "a", 1);
  const auto b = vcd.declare("n", "b", 4);
  vcd.change(b, 15_fs, 3);
  vcd.change(b, 10_fs, 2);  // told late
  vcd.change(a, 20_fs, 1);
  vcd.change(a, 30_fs, 0);
  vcd.change(b, 40_fs, 0);
  vcd.change(b, 41_fs, 9);
  vcd.finish(100_fs);
  file.commit();
  EXPECT_EQ(body(), "#20\n$dumpvars\n1!\nb11 \"\n$end\n#30\n0!\n#40\nb0 \"\n");
}

TEST_F(WaveRecorderTest, AWindowAfterTheEndIsEmpty) {
  observe::OutputFile file(file_, kPurpose);
  VcdFile format(file);
  WaveRecorder::Options options;
  options.from = 50_fs;
  WaveRecorder vcd(format, options);
  vcd.declare("n", "a", 1);
  vcd.finish(40_fs);
  file.commit();
  EXPECT_EQ(body(), "#40\n$dumpvars\n0!\n$end\n");
}

TEST_F(WaveRecorderTest, ValuesHaveUpTo64Bits) {
  observe::OutputFile file(file_, kPurpose);
  VcdFile format(file);
  WaveRecorder::Options options;
  options.buffered_changes = 2;
  WaveRecorder vcd(format, options);
  const auto a = vcd.declare("n", "a", 64);
  vcd.change(a, 1_fs, 0x8000000000000001u);
  vcd.change(a, 2_fs, 5);
  vcd.change(a, 3_fs, std::uint64_t{1} << 32);
  vcd.finish(3_fs);
  file.commit();
  EXPECT_EQ(body(), "#0\n$dumpvars\nb0 !\n$end\n#1\nb1" + std::string(62, '0') + "1 !\n#2\nb101 !\n#3\nb1" +
                        std::string(32, '0') + " !\n");
}

TEST_F(WaveRecorderTest, StatesHaveWordsBesideTheirNumbers) {
  observe::OutputFile file(file_, kPurpose);
  VcdFile format(file);
  WaveRecorder vcd(format, {});
  const auto a = vcd.declare({"n", "to_n.1", "state", 2, {"idle", "runs"}});
  const auto b = vcd.declare("n", "b", 1);
  vcd.change(a, 1_fs, 1);
  vcd.change(a, 2_fs, 3);  // has no word
  vcd.change(b, 2_fs, 1);
  vcd.finish(2_fs);
  file.commit();
  EXPECT_NE(content().find("$var wire 1 \" b $end\n"
                           "$scope module to_n_1 $end\n"
                           "$var wire 2 ! state [1:0] $end\n"
                           "$var string 1 !!!\" state_text $end\n"
                           "$upscope $end\n"),
            std::string::npos)
      << content();
  EXPECT_EQ(body(), "#0\n$dumpvars\nb0 !\nsidle !!!\"\n0\"\n$end\n#1\nb1 !\nsruns !!!\"\n#2\nb11 !\ns3 !!!\"\n1\"\n");
}

TEST_F(WaveRecorderTest, TimesOfAnyLengthAreWhole) {
  observe::OutputFile file(file_, kPurpose);
  VcdFile format(file);
  WaveRecorder vcd(format, {});
  const auto a = vcd.declare("n", "a", 1);
  std::string expected = "#0\n$dumpvars\n0!\n$end\n";
  int value = 0;
  for (const std::int64_t at : {9'999'999LL, 10'000'000LL, 10'000'001LL, 20'000'000LL, 123'456'789'012'345LL}) {
    value = 1 - value;
    vcd.change(a, TimeFs(at), static_cast<std::uint64_t>(value));
    expected += "#" + std::to_string(at) + "\n" + std::to_string(value) + "!\n";
  }
  vcd.finish(123'456'789'012'345_fs);
  file.commit();
  EXPECT_EQ(body(), expected);
}

TEST_F(WaveRecorderTest, AFilterForWhatIsDeclaredLaterIsNotRefused) {
  observe::OutputFile file(file_, kPurpose);
  VcdFile format(file);
  WaveRecorder::Options options;
  options.filters = {"*.pe_ipcq.E.*", "sip1.*"};
  WaveRecorder vcd(format, options);
  vcd.announce("sip0.pe_ipcq.*.credits");
  EXPECT_EQ(vcd.unmatched_filters(), std::vector<std::string>{"sip1.*"});
  EXPECT_EQ(vcd.useless_filters(), (std::vector<std::string>{"*.pe_ipcq.E.*", "sip1.*"}));
  EXPECT_NE(vcd.declare({"sip0.pe_ipcq", "E", "credits", 8, {}}), contract::kNoSignal);
  EXPECT_EQ(vcd.useless_filters(), std::vector<std::string>{"sip1.*"});
}

TEST_F(WaveRecorderTest, WithoutFinishThereIsNoFile) {
  {
    observe::OutputFile file(file_, kPurpose);
    VcdFile format(file);
    WaveRecorder vcd(format, {});
  }
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST(GlobMatch, StarsAndQuestionMarks) {
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("sip*.pe0.*", "sip0.cube3.pe0.pe_dma.busy"));
  EXPECT_TRUE(glob_match("a?c", "abc"));
  EXPECT_TRUE(glob_match("*ab", "aaab"));
  EXPECT_FALSE(glob_match("a?c", "ac"));
  EXPECT_FALSE(glob_match("sip0", "sip00"));
  EXPECT_FALSE(glob_match("", "x"));
}

TEST(GlobsMeet, WhenSomeTextMatchesBoth) {
  EXPECT_TRUE(globs_meet("*", ""));
  EXPECT_TRUE(globs_meet("a*c", "ab*"));
  EXPECT_TRUE(globs_meet("*.credits", "sip0.pe_ipcq.*.credits"));
  EXPECT_TRUE(globs_meet("*.E.*", "sip0.pe_ipcq.*.credits"));
  EXPECT_TRUE(globs_meet("?b", "a?"));
  EXPECT_FALSE(globs_meet("*.busy", "sip0.*.credits"));
  EXPECT_FALSE(globs_meet("sip1.*", "sip0.*.credits"));
  EXPECT_FALSE(globs_meet("?", ""));
  EXPECT_FALSE(globs_meet("a*b", "c*b"));
}

}  // namespace
}  // namespace kb::waves
