#include "sim/ports/traffic/trace_reader.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "platform/address/phys_addr.h"
#include "platform/topology/topology.h"

namespace kb::sim {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// Two SIPs of 4x4 cubes with 8 PEs, 6 GiB slices.
const topology::Graph& machine() {
  static const topology::LoadedTopology loaded = topology::load_text(
      "system: {sips: {count: 2}}\nsip: {cube_mesh: {w: 4, h: 4}}\n"
      "cube: {pe_layout: {corners: [NW, NE, SW, SE], pe_per_corner: 2}}\n",
      "test.yaml");
  return loaded.graph;
}

std::string hex(const address::PhysAddr& address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address.value()));
  return text;
}

constexpr const char* kHeader = "id,issue_ns,op,src,dst,bytes\n";

Trace parse(const std::string& rows) {
  return parse_trace(kHeader + rows, "t.csv", machine());
}

// The diagnostics of a text that must be refused.
std::vector<Diagnostic> problems(const std::string& text) {
  try {
    parse_trace(text, "t.csv", machine());
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    return error.diagnostics();
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}
std::vector<Diagnostic> row_problems(const std::string& row) {
  return problems(kHeader + row + "\n");
}

TEST(TraceReader, ReadsRowsInFileOrderWithCommentsAndBlankLines) {
  const Trace trace = parse_trace(
      "# a comment\n\nid, issue_ns, op, src, dst, bytes\r\n# "
      "another\nb,12.5,pe_read,sip1.cube3.pe7,0x2000000100,300\r\n"
      "a,0,host_write,host,0x2000000000,1\n",
      "t.csv", machine());
  ASSERT_THAT(trace.rows, SizeIs(2));
  const TraceRow& row = trace.rows[0];
  EXPECT_EQ(row.id, "b");
  EXPECT_EQ(row.issue, 12.5_ns);
  EXPECT_EQ(row.op, TraceOp::pe_read);
  EXPECT_EQ(row.src, (PeCoord{SipId(1), CubeId(3), PeId(7)}));
  EXPECT_EQ(row.dst, 0x2000000100u);
  EXPECT_EQ(row.bytes, 300u);
  EXPECT_EQ(row.line, 5);
  EXPECT_EQ(trace.rows[1].op, TraceOp::host_write);
  EXPECT_THAT(trace.warnings, SizeIs(0));
}

TEST(TraceReader, IssueTimesAreExactToTheFemtosecond) {
  const Trace trace = parse(
      "a,0.000001,host_read,host,0x2000000000,1\nb,123456789.123456,host_read,host,0x2000000000,1\nc,7.5,host_read,"
      "host,0x2000000000,1\n");
  EXPECT_EQ(trace.rows[0].issue, 1_fs);
  EXPECT_EQ(trace.rows[1].issue, 123'456'789'123'456_fs);
  EXPECT_EQ(trace.rows[2].issue, 7.5_ns);
}

TEST(TraceReader, RefusesWrongTimes) {
  for (const char* time : {"-1", "1e3", "0.1234567", "", ".5", "5.", "abc", "1 2", "99999999999999"}) {
    const auto found = row_problems(std::string("a,") + time + ",host_read,host,0x2000000000,1");
    ASSERT_THAT(found, SizeIs(1)) << time;
    EXPECT_EQ(found[0].key, "issue_ns");
    EXPECT_EQ(found[0].line, 2);
    EXPECT_EQ(found[0].file, "t.csv");
  }
}

TEST(TraceReader, NamesTheNearestOperation) {
  const auto found = row_problems("a,0,pe_raed,sip0.cube0.pe0,0x2000000000,1");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].text(), HasSubstr("t.csv:2: op: 'pe_raed' is not an operation (did you mean 'pe_read'?)"));
}

TEST(TraceReader, RefusesDuplicateAndEmptyIds) {
  const auto found = problems(
      std::string(kHeader) +
      "a,0,host_read,host,0x2000000000,1\na,1,host_read,host,0x2000000000,1\n,1,host_read,host,0x2000000000,1\n");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[0].text(), HasSubstr("t.csv:3: id: the id 'a' was already used in line 2"));
  EXPECT_THAT(found[1].text(), HasSubstr("t.csv:4: id: the id is empty"));
}

TEST(TraceReader, ChecksTheSourceAgainstTheMachine) {
  EXPECT_THAT(row_problems("a,0,pe_read,sip0.cube16.pe0,0x2000000000,1")[0].text(),
              HasSubstr("the machine has no sip0.cube16.pe0"));
  EXPECT_THAT(row_problems("a,0,pe_read,sip2.cube0.pe0,0x2000000000,1")[0].remedy,
              HasSubstr("2 SIPs of 16 cubes with 8 PEs"));
  EXPECT_THAT(row_problems("a,0,pe_read,host,0x2000000000,1")[0].text(), HasSubstr("'host' is not a PE"));
  EXPECT_THAT(row_problems("a,0,pe_read,sip0.cube0.pe0.pe_dma,0x2000000000,1")[0].text(), HasSubstr("is not a PE"));
  EXPECT_THAT(row_problems("a,0,host_read,sip0.cube0.pe0,0x2000000000,1")[0].text(), HasSubstr("write host"));
}

TEST(TraceReader, AWrongAddressIsShownAsItWasTyped) {
  EXPECT_THAT(row_problems("a,0,pe_read,sip0.cube0.pe0,0x0,64")[0].text(),
              HasSubstr("dst: 0x0: sip0.cube0.pe0 PE_CPU_DTCM +0x0 is neither HBM"));
}

TEST(TraceReader, BelowAWrongHeaderNothingIsRead) {
  EXPECT_THAT(problems("id,issue,op,src,dst,bytes\na,0,pe_read,host,0x0,64\n"), SizeIs(1));
  EXPECT_THAT(problems("id,op,issue_ns,src,dst,bytes\na,0,pe_read,host,0x0,64\n"), SizeIs(1));
}

TEST(TraceReader, ChecksTheTargetBytes) {
  using address::PhysAddr;
  const std::uint64_t slice = machine().spec.hbm_slice_bytes();
  const PhysAddr end = PhysAddr::pe_hbm_addr(SipId(1), CubeId(5), PeId(2), slice - 256, slice);
  EXPECT_THAT(parse("a,0,pe_write,sip0.cube0.pe0," + hex(end) + ",256\n").rows, SizeIs(1));
  const auto crossing = row_problems("a,0,pe_write,sip0.cube0.pe0," + hex(end) + ",257");
  ASSERT_THAT(crossing, SizeIs(1));
  EXPECT_EQ(crossing[0].key, "dst");
  EXPECT_THAT(crossing[0].text(), HasSubstr("cross from the HBM slice of pe2 into that of pe3"));

  const std::uint64_t sram = machine().spec.sram_bytes_per_cube;
  const PhysAddr last = PhysAddr::cube_sram_addr(SipId(0), CubeId(0), sram - 1);
  EXPECT_THAT(parse("a,0,pe_read,sip0.cube0.pe0," + hex(last) + ",1\n").rows, SizeIs(1));
  EXPECT_THAT(row_problems("a,0,pe_read,sip0.cube0.pe0," + hex(last) + ",2"), SizeIs(1));

  const PhysAddr tcm = PhysAddr::pe_tcm_addr(SipId(0), CubeId(0), PeId(0), 0);
  EXPECT_THAT(row_problems("a,0,pe_read,sip0.cube0.pe0," + hex(tcm) + ",2")[0].text(),
              HasSubstr("the TCM of the PE that asks"));
  EXPECT_THAT(parse("a,0,pe_read,sip0.cube0.pe1," + hex(tcm) + ",2\n").rows, SizeIs(1));
  EXPECT_THAT(parse("a,0,host_write,host," + hex(tcm) + ",2\n").rows, SizeIs(1));
  EXPECT_THAT(row_problems("a,0,host_write,host,0x24000000,2")[0].text(),
              HasSubstr("neither HBM nor cube SRAM nor the TCM of a PE"));
  EXPECT_THAT(row_problems("a,0,pe_read,sip0.cube0.pe0,0xfffffffffffffff,2")[0].text(), HasSubstr("no valid address"));
  EXPECT_THAT(row_problems("a,0,pe_read,sip0.cube0.pe0," + hex(PhysAddr::hbm_addr(SipId(3), CubeId(0), 0)) + ",2"),
              SizeIs(1));
}

TEST(TraceReader, RefusesAddressesAndSizesThatAreNoNumbers) {
  for (const char* address : {"100", "0x", "0xg", "x10", "-0x1", "0x11111111111111111"}) {
    EXPECT_THAT(row_problems(std::string("a,0,host_read,host,") + address + ",1")[0].key, "dst") << address;
  }
  for (const char* bytes : {"0", "-1", "1.5", "", "0x10", "99999999999999999999"}) {
    EXPECT_THAT(row_problems(std::string("a,0,host_read,host,0x2000000000,") + bytes)[0].key, "bytes") << bytes;
  }
  EXPECT_THAT(row_problems("a,0,host_read,host,0x2000000000,18446744073709551615"), SizeIs(1));
}

TEST(TraceReader, ReportsEveryProblemAtOnce) {
  const auto found =
      problems(std::string(kHeader) + "a,x,no,host,0x2000000000,0\nb,0,host_read,host,0x2000000000,1,9\n");
  EXPECT_THAT(found, SizeIs(4));
}

TEST(TraceReader, RefusesWrongHeadersAndEmptyFiles) {
  EXPECT_THAT(problems("")[0].text(), HasSubstr("no header line"));
  EXPECT_THAT(problems("# only\n")[0].text(), HasSubstr("no header line"));
  EXPECT_THAT(problems(kHeader)[0].text(), HasSubstr("no rows"));
  EXPECT_THAT(problems("id,issue,op,src,dst,bytes\n")[0].text(), HasSubstr("unknown column 'issue'"));
  EXPECT_THAT(problems("id,op,issue_ns,src,dst,bytes\n")[0].text(), HasSubstr("in order"));
}

TEST(TraceReader, RecognisesACutOffFile) {
  const auto found = problems(std::string(kHeader) + "a,0,host_read,host,0x2000000000,1\nb,0,host_re");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].line, 3);
  EXPECT_THAT(found[0].text(), HasSubstr("cut off here"));
  const Trace trace = parse("a,0,host_read,host,0x2000000000,16");
  ASSERT_THAT(trace.warnings, SizeIs(1));
  EXPECT_THAT(trace.warnings[0].text(), HasSubstr("may be incomplete"));
}

TEST(TraceReader, StopsAfterFiftyProblems) {
  std::string text = kHeader;
  for (int i = 0; i < 1000; ++i) text += "x\n";
  const auto found = problems(text);
  EXPECT_THAT(found, SizeIs(51));
  EXPECT_THAT(found.back().text(), HasSubstr("t.csv:51: the rest of the file was not read"));
}

TEST(TraceReader, ALineIsShort) {
  EXPECT_THAT(row_problems("# " + std::string(4000, 'x')).front().text(), HasSubstr("no rows"));
  const auto found = problems(kHeader + std::string(5000, 'x') + "\n");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].text(), HasSubstr("t.csv:2: the line is longer than 4096 characters"));
}

TEST(TraceReader, IdsCanBeShown) {
  for (const char* id : {"a\x1b[31m", "a\x7f", "\xff", "a\u202e"}) {
    const auto found = row_problems(std::string(id) + ",0,host_read,host,0x2000000000,1");
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].key, "id");
  }
  EXPECT_THAT(parse("\u6a21,0,host_read,host,0x2000000000,1\n").rows, SizeIs(1));
}

// They have no end; a reader that wants all of it would take all memory.
TEST(TraceReader, FilesWithoutEndAreRefused) {
  for (const char* file : {"/dev/zero", "/dev/urandom"})
    EXPECT_THROW(read_trace(file, machine(), trace_format("csv", file)), Error) << file;
}

TEST(TraceReader, PiecesMayEndAnywhere) {
  std::string text = kHeader;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + ",0.5,host_read,host,0x2000000000,1\r\n";
  const std::string file = testing::TempDir() + "kb_trace_pieces.csv";
  std::ofstream(file, std::ios::binary) << text;
  const Trace whole = parse_trace(text, file, machine()),
              pieces = read_trace(file, machine(), trace_format("csv", file));
  ASSERT_THAT(pieces.rows, SizeIs(20000));
  for (std::size_t i = 0; i < whole.rows.size(); ++i) {
    ASSERT_EQ(pieces.rows[i].id, whole.rows[i].id);
    ASSERT_EQ(pieces.rows[i].line, whole.rows[i].line);
  }
  std::filesystem::remove(file);
}

TEST(TraceReader, MissingFilesAreNamed) {
  try {
    read_trace("/no/such/file.csv", machine(), trace_format("", "a.csv"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/no/such/file.csv"));
  }
  EXPECT_THROW(read_trace("/tmp", machine(), trace_format("", "/tmp")), Error);
}

}  // namespace
}  // namespace kb::sim
