#include "platform/observe/vcd_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

namespace kb::observe {
namespace {

constexpr const char* kPurpose = "the waveform file";

class VcdWriterTest : public testing::Test {
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
    return text.substr(text.find("#0\n"));
  }

  std::string file_;
};

TEST_F(VcdWriterTest, ScopesFollowTheNodeIdAndAreOpenedOnce) {
  OutputFile file(file_, kPurpose);
  VcdWriter vcd(file, {});
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

TEST_F(VcdWriterTest, OrdersChangesAndDropsThoseThatChangeNothing) {
  OutputFile file(file_, kPurpose);
  VcdWriter vcd(file, {});
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

TEST_F(VcdWriterTest, ValuesAtTimeZeroAreInTheInitialDump) {
  OutputFile file(file_, kPurpose);
  VcdWriter vcd(file, {});
  const auto a = vcd.declare("n", "a", 3);
  vcd.change(a, 0_fs, 4);
  vcd.finish(0_fs);
  file.commit();
  EXPECT_EQ(body(), "#0\n$dumpvars\nb100 !\n$end\n");
}

TEST_F(VcdWriterTest, FiltersByGlobAndNamesTheUnmatchedOnes) {
  OutputFile file(file_, kPurpose);
  VcdWriter vcd(file, {{"sip0.*.busy", "*.nothing"}, 1000});
  EXPECT_NE(vcd.declare("sip0.cube1", "busy", 1), contract::kNoSignal);
  EXPECT_EQ(vcd.declare("sip1.cube1", "busy", 1), contract::kNoSignal);
  EXPECT_EQ(vcd.declare("sip0.cube1", "depth", 1), contract::kNoSignal);
  vcd.change(contract::kNoSignal, 1_fs, 1);
  EXPECT_EQ(vcd.unmatched_filters(), std::vector<std::string>{"*.nothing"});
  EXPECT_EQ(vcd.example(), "sip0.cube1.busy");
  EXPECT_EQ(vcd.changes(), 0u);
}

TEST_F(VcdWriterTest, SpilledBuffersGiveTheSameFile) {
  std::mt19937 random(7);
  std::vector<std::array<std::uint64_t, 3>> changes;  // signal, time, value
  for (int i = 0; i < 5000; ++i) changes.push_back({random() % 120, random() % 900, random() % 16});
  const auto write = [&](std::size_t buffered) {
    OutputFile file(file_, kPurpose);
    VcdWriter vcd(file, {{}, buffered});
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

TEST_F(VcdWriterTest, WithoutFinishThereIsNoFile) {
  {
    OutputFile file(file_, kPurpose);
    VcdWriter vcd(file, {});
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

}  // namespace
}  // namespace kb::observe
