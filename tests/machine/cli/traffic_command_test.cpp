#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;

constexpr const char* kHeader = "id,issue_ns,op,src,dst,bytes\n";

class TrafficCommandTest : public CommandLineTest {
 protected:
  using Json = nlohmann::json;

  // Last completion of 16 KiB requests of several PEs to PE 0's slice, all issued at 0.
  double last_completed(const std::string& op, const std::vector<int>& pes) {
    std::string rows = kHeader;
    for (const int pe : pes) {
      const std::string n = std::to_string(pe);
      rows += n + ",0," + op + ",sip0.cube0.pe" + n + ",0x" + hex(static_cast<std::uint64_t>(pe) * 65536) + ",16384\n";
    }
    write("t.csv", rows);
    double last = 0.0;
    const Json results = json("traffic --topology '" + config(machine_) + "' --trace t.csv --json");
    EXPECT_EQ(results["rows"].size(), pes.size());
    for (const Json& row : results["rows"]) {
      EXPECT_EQ(row["status"], "OK");
      last = std::max(last, row["completed_ns"].get<double>());
    }
    return last;
  }
  std::string machine_ = "reference";
  static std::string hex(std::uint64_t offset) {
    char text[32];
    std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>((std::uint64_t{1} << 37) + offset));
    return text;
  }
};

TEST_F(TrafficCommandTest, ReferenceLatencies) {  // F-69
  for (const char* op : {"pe_read", "pe_write"}) {
    EXPECT_NEAR(last_completed(op, {0}), 77.0, 1.0) << op;
    EXPECT_NEAR(last_completed(op, {1}), 82.0, 1.0) << op;
    EXPECT_NEAR(last_completed(op, {1, 2}), 158.0, 0.03 * 158) << op;
    EXPECT_NEAR(last_completed(op, {1, 2, 3}), 230.0, 0.03 * 230) << op;
  }
}

// F-69 under the rules of the published figures, to the femtosecond.
TEST_F(TrafficCommandTest, SeedTimingKeepsThePublishedRules) {
  machine_ = "seed_timing";
  for (const char* op : {"pe_read", "pe_write"}) {
    EXPECT_EQ(last_completed(op, {0}), 77.000004) << op;
    EXPECT_EQ(last_completed(op, {1}), 82.060004) << op;
    EXPECT_EQ(last_completed(op, {1, 2}), 158.200003) << op;
    EXPECT_EQ(last_completed(op, {1, 2, 3}), op == std::string("pe_read") ? 225.230003 : 231.230003) << op;
  }
}

TEST_F(TrafficCommandTest, ATraceMayComeFromAPipe) {
  const std::string row = "id,issue_ns,op,src,dst,bytes\\n1,0,pe_read,sip0.cube0.pe0,0x2000000000,256\\n";
  const std::string arguments = "traffic --topology '" + config("one_pe") + "' --trace ";
  const Outcome input = kernbench(arguments + "/dev/stdin", "printf '" + row + "' |");
  const Outcome pipe = kernbench(arguments + "p; wait", "mkfifo p; printf '" + row + "' > p & ");
  EXPECT_EQ(input.code, 0) << input.err;
  EXPECT_THAT(input.out, HasSubstr("sip0.cube0.pe0"));
  EXPECT_EQ(input.out, pipe.out) << pipe.err;
}

TEST_F(TrafficCommandTest, ARowPastTheEndOfSimulatedTimeIsNamed) {
  const std::string machine = "traffic --topology '" + config("one_pe") + "' --trace t.csv --out o.tsv ";
  for (const char* op : {"pe_read", "pe_write"}) {
    const std::string row = std::string(op) + ",sip0.cube0.pe0,0x2000000000,";
    write("t.csv", std::string(kHeader) + "small,0," + row + "256\nlarge,1000000000000," + row + "6000000000\n");
    const Outcome wire = kernbench(machine + "--set cube.links.pe_to_router_bw_gbs=0.001");
    EXPECT_EQ(wire.code, 1) << wire.err;
    EXPECT_THAT(wire.err, HasSubstr("simulated time would pass its end at 4600000000000 ns"));
    EXPECT_THAT(wire.err, HasSubstr("(row 'large', line 3)"));
  }
  std::string rows = kHeader;  // 750 s each
  for (int i = 0; i < 7; ++i) rows += std::to_string(i) + ",0,pe_write,sip0.cube0.pe0,0x2000000000,6000000000\n";
  write("t.csv", rows);
  const Outcome memory = kernbench(machine + "--set cube.memory_map.hbm_channel_bw_gbs=0.001");
  EXPECT_EQ(memory.code, 1) << memory.err;
  EXPECT_THAT(memory.err, HasSubstr("(row '6', line 8)"));
  EXPECT_EQ(files(), std::vector<std::string>{"t.csv"});
}

TEST_F(TrafficCommandTest, JsonAndTsvSayTheSameInFileOrder) {
  write("t.csv", std::string(kHeader) +
                     "late,5.25,host_write,host,0x2000000000,1000\nfirst,0,pe_read,sip0.cube0.pe0,0x2000000000,256\n");
  const std::string command = "traffic --topology '" + config("one_pe") + "' --trace t.csv";
  const Json rows = json(command + " --json")["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["id"], "late");
  EXPECT_EQ(rows[0]["issue_ns"], 5.25);
  EXPECT_EQ(rows[0]["path"].front(), "sip0.io0.pcie_ep");
  EXPECT_EQ(rows[1]["path"].front(), "sip0.cube0.pe0.pe_dma");
  EXPECT_EQ(rows[1]["path"].back(), "sip0.cube0.hbm_ctrl.pe0");
  for (const Json& row : rows) {
    EXPECT_LT(row["issue_ns"], row["delivered_ns"]);
    EXPECT_LE(row["delivered_ns"], row["completed_ns"]);
  }
  const Outcome tsv = kernbench(command);
  EXPECT_THAT(
      tsv.out,
      HasSubstr(
          "id\top\tsrc\tdst\tbytes\tpath\tissue_ns\tdelivered_ns\tcompleted_ns\tstatus\nlate\thost_write\thost\t"));
  EXPECT_EQ(std::count(tsv.out.begin(), tsv.out.end(), '\n'), 3);
}

TEST_F(TrafficCommandTest, TheHostTimeLimitEndsALongRun) {  // H-83a
  std::string rows = kHeader;
  // Read in no time, simulated in many seconds: all PEs want one slice.
  for (int i = 0; i < 2000; ++i) {
    const std::string pe = std::to_string(i % 8), bytes = std::to_string((4 << 20) + 256 * (i % 100));
    rows +=
        std::to_string(i) + "," + std::to_string(i) + ",pe_read,sip0.cube0.pe" + pe + ",0x2000000000," + bytes + "\n";
  }
  write("t.csv", rows);
  const Outcome outcome =
      kernbench("traffic --topology '" + config("one_cube") + "' --trace t.csv --out o.tsv --host-time-limit-s 1");
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the host time limit of 1 s was reached at "));
  EXPECT_THAT(outcome.err, HasSubstr(" of 2000 transactions were not answered"));
  EXPECT_THAT(outcome.err, HasSubstr("who waits"));
  EXPECT_EQ(files(), std::vector<std::string>{"t.csv"});
}

TEST_F(TrafficCommandTest, WrongRowsNameTheLine) {
  write("t.csv",
        std::string(kHeader) +
            "a,0,pe_read,sip0.cube0.pe0,0x2000000000,256\nb,0,pe_read,sip9.cube0.pe0,0x2000000000,0\nc,0,pe_re");
  const Outcome outcome = kernbench("traffic --topology '" + config("one_pe") + "' --trace t.csv --json");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("t.csv:3: src:"));
  EXPECT_THAT(outcome.err, HasSubstr("t.csv:3: bytes:"));
  EXPECT_THAT(outcome.err, HasSubstr("t.csv:4:"));
  EXPECT_THAT(outcome.err, HasSubstr("cut off"));
}

}  // namespace
}  // namespace kb::test
