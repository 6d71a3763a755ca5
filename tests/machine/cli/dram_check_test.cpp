// kernbench check --dram-trace: commands of memory channels.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;

// Ticks of 1 ns. The trace is written by hand, so that the test needs no channel.
constexpr const char* kHeader =
    "# kernbench dram-trace 2\n# preset hbm2_2000\n# tck_fs 1000000\n"
    "# geometry pcs 2 sids 1 bank_groups 4 banks 4 rows 32768\n# half_ticks ACT 4 PRE 2 PRE_edge 2\n"
    "# timing BL 2 CL 14 CWL 5 RCDRD 16 RCDWR 12 RP 14 RAS 34 RC 48 CCDS 2 CCDL 4 CCDR 0 RRDS 4 RRDL 4 FAW 15 RTP 5 WR "
    "16 WTRS 6 WTRL 8 RTW 13 PPD 0 RFC 260 RFCPB 160 RREFD 8\n"
    "# time_fs channel command bank row transaction\n";

class DramCheckTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    write("good.txt", std::string(kHeader) + "0 0 ACT 3 7 1\n17000000 0 RD 3 7 1\n17000000 1 ACT 0 0 2\n");
    write("bad.txt", std::string(kHeader) + "0 0 ACT 3 7 1\n16000000 0 RD 3 7 1\n18000000 0 RD 4 7 1\n");
  }
};

TEST_F(DramCheckTest, SaysWhatWasChecked) {  // H-122
  const Outcome good = kernbench("check --dram-trace good.txt");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_EQ(good.out, "good.txt: ok (hbm2_2000 with RCDRD 16, 3 commands of 2 channels: ACT 2, RD 1)\n");
}

TEST_F(DramCheckTest, ViolationsNameLineRuleAndTicks) {  // H-122
  const Outcome bad = kernbench("check --dram-trace bad.txt");
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.err, "");
  EXPECT_EQ(
      bad.out,
      "bad.txt: 2 violations (hbm2_2000 with RCDRD 16, 3 commands of 1 channel: ACT 1, RD 2)\n"
      "bad.txt:9: RD of bank 3 in channel 0 at 16 ns: tRCDRD needs 16 ticks from the end of one command to that of "
      "the other, has 15\n"
      "bad.txt:10: RD of bank 4 in channel 0 at 18 ns: the bank is closed\n");
  const Outcome outcome = kernbench("check --dram-trace bad.txt --json");
  EXPECT_EQ(outcome.code, 1);
  const nlohmann::json report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["preset"], "hbm2_2000");
  EXPECT_EQ(report["overrides"], nlohmann::json({{"RCDRD", 16}}));
  EXPECT_EQ(report["commands"], 3);
  EXPECT_EQ(report["counts"]["RD"], 2);
  EXPECT_EQ(report["violations"], 2);
  EXPECT_EQ(report["first"][0], nlohmann::json({{"line", 9},
                                                {"time_ns", 16},
                                                {"channel", 0},
                                                {"command", "RD"},
                                                {"bank", 3},
                                                {"row", 7},
                                                {"rule", "tRCDRD"},
                                                {"needed_ticks", 16},
                                                {"seen_ticks", 15.0}}));
  EXPECT_FALSE(report["first"][1].contains("needed_ticks"));
}

TEST_F(DramCheckTest, AnUnknownPresetHasItsWholeTiming) {
  std::string text = read("good.txt");
  text.replace(text.find("hbm2_2000"), 9, "my_part");
  write("own.txt", text);
  EXPECT_THAT(kernbench("check --dram-trace own.txt").out, HasSubstr("my_part with BL 2, CL 14, CWL 5, RCDRD 16, "));
}

TEST_F(DramCheckTest, TheFirstOfManyViolationsArePrinted) {
  std::string text = kHeader;
  for (int i = 0; i < 50; ++i) text += std::to_string(i * 4'000'000LL) + " 0 RD 0 0 1\n";
  write("t.txt", text);
  const Outcome outcome = kernbench("check --dram-trace t.txt");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 12);
  EXPECT_THAT(outcome.out, HasSubstr("t.txt: 50 violations"));
  EXPECT_THAT(outcome.out, HasSubstr("\nand 40 more\n"));
}

// A million commands from a pipe.
TEST_F(DramCheckTest, PackedTracesAreReadInPieces) {
  write("make.sh",
        "cat good.txt; awk 'BEGIN { for (i = 1; i <= 1000000; ++i) print (1000 + 4 * i) \"000000 0 RD 3 7 1\" }'\n");
  const Outcome small = kernbench("check --dram-trace good.txt.gz", "gzip -k good.txt;");
  EXPECT_EQ(small.code, 0) << small.err;
  EXPECT_EQ(small.out, "good.txt.gz: ok (hbm2_2000 with RCDRD 16, 3 commands of 2 channels: ACT 2, RD 1)\n");
  const Outcome large = kernbench("check --dram-trace /dev/stdin", "sh make.sh | gzip -1 |");
  EXPECT_EQ(large.code, 0) << large.err;
  EXPECT_THAT(large.out, HasSubstr("1000003 commands of 2 channels: ACT 2, RD 1000001"));
  const Outcome cut = kernbench("check --dram-trace cut.gz", "head -c 60 good.txt.gz > cut.gz;");
  EXPECT_EQ(cut.code, 2);
  EXPECT_THAT(cut.err, HasSubstr("cut.gz: the packed file is cut off"));
}

TEST_F(DramCheckTest, WhatIsNoTraceIsRefused) {
  write("t.txt", std::string(kHeader) + "0 0 ACT 3 7\n");
  const std::pair<const char*, const char*> wrong[] = {
      {"none.txt", "there is no file 'none.txt' (check the path given to --dram-trace)"},
      {".", "'.' cannot be read: Is a directory"},
      {"make.sh", "make.sh:1: is not a trace of memory commands"},
      {"t.txt", "t.txt:8: '0 0 ACT 3 7' is no command"},
      {"good.txt --plugin x.so", "--plugin excludes --dram-trace; give one of them"},
      {"good.txt a.yaml", "FILES excludes --dram-trace; give one of them"},
  };
  write("make.sh", "echo\n");
  for (const auto& [arguments, text] : wrong) {
    const Outcome outcome = kernbench(std::string("check --dram-trace ") + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(text));
  }
  EXPECT_THAT(kernbench("check --json").err, HasSubstr("--json requires --dram-trace"));
}

}  // namespace
}  // namespace kb::test
