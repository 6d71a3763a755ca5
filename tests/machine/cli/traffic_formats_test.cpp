// kernbench traffic with traces of memory simulators.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;

class TrafficFormatsTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    traffic_ = "traffic --topology '" + config("one_cube") + "' --trace ";
    // The slice of PE 2 begins 12 GiB behind that of PE 0.
    write("rows.csv",
          "id,issue_ns,op,src,dst,bytes\n1,62,pe_read,sip0.cube0.pe2,0x2300400140,32\n"
          "2,66,pe_write,sip0.cube0.pe2,0x2300400160,32\n4,66,pe_read,sip0.cube0.pe2,0x2300400180,512\n");
    write("t.stl", "31: read 0x400140\n33: write 0x400160 0x0123\n# comment\n33: (512) read 0x400180\n");
    write("t.rstl", "31: read 0x400140\n2: write 0x400160 0x0123\n# comment\n0: (512) read 0x400180\n");
  }

  std::string traffic_;
};

// The same transactions as rows of CSV are the oracle.
TEST_F(TrafficFormatsTest, AnStlTraceIsItsRowsOfCsv_H123) {
  const Outcome rows = kernbench(traffic_ + "rows.csv");
  EXPECT_EQ(rows.code, 0) << rows.err;
  const std::string options = " --clock-mhz 500 --src sip0.cube0.pe2";
  EXPECT_EQ(kernbench(traffic_ + "t.stl" + options).out, rows.out);
  EXPECT_EQ(kernbench(traffic_ + "t.rstl" + options + " --base 0x2300000000").out, rows.out);
  EXPECT_EQ(kernbench(traffic_ + "/dev/stdin --format dramsys" + options, "cat t.stl |").out, rows.out);
  EXPECT_EQ(kernbench(traffic_ + "t.rstl.gz" + options, "gzip -k t.rstl;").out, rows.out);
  EXPECT_EQ(kernbench(traffic_ + "rows.csv.gz", "gzip -k rows.csv;").out, rows.out);
  EXPECT_EQ(kernbench(traffic_ + "rows.stl --format csv", "cp rows.csv rows.stl;").out, rows.out);
}

TEST_F(TrafficFormatsTest, LoadsAndStoresGoAtOnceOrByTheClock_H123) {
  const auto rows = [&](const std::string& times) {
    std::istringstream issue(times);
    std::string text = "id,issue_ns,op,src,dst,bytes\n", time;
    for (int i = 1; issue >> time; ++i) {
      const std::string n = std::to_string(i);
      text += n + "," + time + (i == 2 ? ",pe_write" : ",pe_read") + ",sip0.cube0.pe0,0x200000" + n + "000,64\n";
    }
    write("ls.csv", text);
    return kernbench(traffic_ + "ls.csv").out;
  };
  write("ls.txt", "LD 0x1000\nST 8192\nLD 0x3000\n");
  const std::string command = traffic_ + "ls.txt --format ramulator --bytes 64";
  EXPECT_EQ(kernbench(command).out, rows("0 0 0"));
  EXPECT_EQ(kernbench(command + " --clock-mhz 250").out, rows("0 4 8"));
}

TEST_F(TrafficFormatsTest, WrongUseIsNamed) {
  write("far.stl", "0: read 0x0\n1: read 0xfffffffff\n");
  const std::pair<const char*, const char*> wrong[] = {
      {"t.stl", "--clock-mhz is required: the times of dramsys are cycles"},
      {"t.stl --clock-mhz 0", "--clock-mhz needs a number from 0.001 to 1000000, not '0'"},
      {"t.stl --format dramsyss", "--format: there is no format 'dramsyss' (did you mean 'dramsys'?)"},
      {"rows.csv --src sip0.cube0.pe0", "--src is for traces of accesses, --format dramsys or ramulator; rows of csv"},
      {"rows.csv --bytes 64", "--bytes is for traces of accesses"},
      {"t.stl --clock-mhz 1 --bytes 0", "--bytes needs a whole number from 1 to 1048576, not '0'"},
      {"t.stl --clock-mhz 1 --src pe9", "--src: 'pe9' is not a PE"},
      {"t.stl --clock-mhz 1 --base 0x1", "--base: 0x1: sip0.cube0.pe0 PE_CPU_DTCM +0x1 is neither HBM"},
      {"far.stl --clock-mhz 1", "far.stl:2: address: 0xfffffffff is outside of the memory: from --base 0x2000000000"},
      {"none.stl --clock-mhz 1", "there is no traffic file 'none.stl'"},
      {"rows.txt --format ramulator --allow-unsorted", "--allow-unsorted is for lines that have cycles"},
      {"rows.txt", "write exactly id,issue_ns,op,src,dst,bytes, or name the format by --format"},
  };
  write("rows.txt", "31: read 0x400140\n");
  for (const auto& [arguments, text] : wrong) {
    const Outcome outcome = kernbench(traffic_ + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(text)) << arguments;
  }
}

}  // namespace
}  // namespace kb::test
