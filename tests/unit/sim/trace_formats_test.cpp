// Traces of accesses: DRAMSys' STL and Ramulator's loads and stores.
#include <gmock/gmock.h>

#include "platform/address/phys_addr.h"
#include "platform/topology/topology.h"
#include "sim/ports/traffic/trace_reader.h"

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

AccessOptions at_ghz() {
  AccessOptions options;
  options.clock_mhz = 1000;
  return options;
}

Trace parse(const std::string& text, const std::string& name, AccessOptions options = at_ghz(),
            const std::string& format = "") {
  return parse_trace(text, name, machine(), trace_format(format, name), options);
}

std::vector<Diagnostic> problems(const std::string& text, const std::string& name, AccessOptions options = at_ghz(),
                                 const std::string& format = "") {
  try {
    parse(text, name, std::move(options), format);
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    return error.diagnostics();
  }
  ADD_FAILURE() << "accepted: " << text;
  return {{}};
}

constexpr std::uint64_t kSlice0 = std::uint64_t{1} << 37;  // where the HBM of cube 0 begins

// The example of DRAMSys' documentation.
TEST(StlTrace, ReadsTheDocumentedExample_H123) {
  const Trace trace = parse(
      "# Comment lines begin with #\n# cycle: [(length)] command hex-address [hex-data]\n31: read 0x400140\n"
      "33: read 0x400160\n56: write 0x7fff8000 0x123456789abcdef\n81: (128) read 0x400180\n",
      "t.stl");
  ASSERT_THAT(trace.rows, SizeIs(4));
  const struct {
    TimeFs issue;
    TraceOp op;
    std::uint64_t address, bytes;
    const char* id;
  } expected[] = {{31_ns, TraceOp::pe_read, 0x400140, 32, "3"},
                  {33_ns, TraceOp::pe_read, 0x400160, 32, "4"},
                  {56_ns, TraceOp::pe_write, 0x7fff8000, 32, "5"},
                  {81_ns, TraceOp::pe_read, 0x400180, 128, "6"}};
  for (std::size_t i = 0; i < 4; ++i) {
    const TraceRow& row = trace.rows[i];
    EXPECT_EQ(row.issue, expected[i].issue);
    EXPECT_EQ(row.op, expected[i].op);
    EXPECT_EQ(row.dst, kSlice0 + expected[i].address);
    EXPECT_EQ(row.bytes, expected[i].bytes);
    EXPECT_EQ(row.id, expected[i].id);
    EXPECT_EQ(row.src, (PeCoord{SipId(0), CubeId(0), PeId(0)}));
  }
}

TEST(StlTrace, BlanksTabsAndMissingPrefixesAreAsInDramsysReader) {
  const Trace trace = parse("0:\twrite\t0x80\r\n\n1 read ff\n", "t.stl.gz");
  ASSERT_THAT(trace.rows, SizeIs(2));
  EXPECT_EQ(trace.rows[0].op, TraceOp::pe_write);
  EXPECT_EQ(trace.rows[0].dst, kSlice0 + 0x80);
  EXPECT_EQ(trace.rows[1].dst, kSlice0 + 0xff);
}

TEST(StlTrace, RelativeCyclesCountFromTheLineBefore_H123) {
  const std::string text = "31: read 0x0\n2: (512) read 0x20\n0: write 0x40 0x12\n10: read 0x60\n";
  for (const char* name : {"t.rstl", "t.rstl.gz"}) {
    const Trace trace = parse(text, name, at_ghz(), name[6] == 0 ? "" : "dramsys");
    ASSERT_THAT(trace.rows, SizeIs(4));
    EXPECT_EQ(trace.rows[0].issue, 31_ns);
    EXPECT_EQ(trace.rows[1].issue, 33_ns);
    EXPECT_EQ(trace.rows[2].issue, 33_ns);
    EXPECT_EQ(trace.rows[3].issue, 43_ns);
  }
}

// A period that is no whole number of femtoseconds is not summed up.
TEST(StlTrace, CyclesAreRoundedByThemselves) {
  AccessOptions options;
  options.clock_mhz = 300;
  const Trace trace = parse("1: read 0\n3000000: read 0\n", "t.stl", options);
  EXPECT_EQ(trace.rows[0].issue, 3'333'333_fs);
  EXPECT_EQ(trace.rows[1].issue, 10'000'000_ns);
  const Trace relative = parse("1: read 0\n1: read 0\n1: read 0\n", "t.rstl", options);
  EXPECT_EQ(relative.rows[1].issue, 6'666'667_fs);
  EXPECT_EQ(relative.rows[2].issue, 10_ns);
}

TEST(StlTrace, UnsortedCyclesAreRefused_H123) {
  const auto found = problems("5: read 0\n9: read 0\n7: read 0\n9: read 0\n", "t.stl");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].line, 3);
  EXPECT_EQ(found[0].key, "cycle");
  EXPECT_THAT(found[0].text(),
              HasSubstr("t.stl:3: cycle: cycle 7 is before cycle 9 of line 2 (sort the lines by time"));
  AccessOptions late = at_ghz();
  late.allow_unsorted = true;
  const Trace trace = parse("5: read 0\n9: read 0\n7: read 0\n10: read 0\n", "t.stl", late);
  EXPECT_EQ(trace.rows[2].issue, 9_ns);
  EXPECT_EQ(trace.rows[3].issue, 10_ns);
  const Trace csv = parse_trace(
      "id,issue_ns,op,src,dst,bytes\na,9,host_read,host,0x2000000000,1\nb,5,host_read,host,0x2000000000,1\n", "t.csv",
      machine());
  EXPECT_EQ(csv.rows[1].issue, 5_ns);
}

TEST(StlTrace, WrongLinesNameWhatIsMeant) {
  const std::pair<const char*, const char*> wrong[] = {
      {"x: read 0\n", "t.stl:1: cycle: 'x' is not a cycle (write CYCLE: read|write ADDRESS, e.g. 31: read 0x400140)"},
      {"-1: read 0\n", "cycle: '-1' is not a cycle"},
      {"1: raed 0\n", "command: 'raed' is not a command (did you mean 'read'?)"},
      {"1:\n", "command: '' is not a command (write CYCLE: read|write ADDRESS"},
      {"1: read 0y\n", "address: '0y' is not an address (write a hexadecimal number, e.g. 0x400140)"},
      {"1: read\n", "address: '' is not an address"},
      {"1: (0) read 0\n", "length: '(0)' is not a length (write bytes in parentheses, e.g. (64))"},
      {"1: (4 read 0\n", "length: '(4' is not a length"},
      {"1: read 0 0xff\n", "unexpected '0xff' at the end of the line"},
      {"1: write 0 0xff more\n", "unexpected 'more' at the end of the line"},
      {"# nothing\n", "the file has no accesses"},
      {"999999999999999: read 0\n", "cycle 999999999999999 is later than a thousand seconds (check --clock-mhz)"},
  };
  for (const auto& [text, message] : wrong) {
    const auto found = problems(text, "t.stl");
    ASSERT_THAT(found, SizeIs(1)) << text;
    EXPECT_THAT(found[0].text(), HasSubstr(message));
  }
  EXPECT_THAT(problems("1: read 0\n18446744073709551615: read 0\n", "t.rstl")[0].text(), HasSubstr("is not a cycle"));
}

TEST(AccessTrace, BaseAndSourceChooseMemoryAndPe_H123) {
  AccessOptions options = at_ghz();
  options.source = "sip1.cube2.pe3";
  const PeCoord pe{SipId(1), CubeId(2), PeId(3)};
  const Trace slice = parse("0: read 0x100\n", "t.stl", options);
  EXPECT_EQ(slice.rows[0].src, pe);
  EXPECT_EQ(slice.rows[0].dst, address::PhysAddr::pe_hbm_addr(pe.sip, pe.cube, pe.pe, 0x100, 6ull << 30).value());
  options.base = "0x2000001000";
  options.bytes = 64;
  const Trace other = parse("0: read 0x100\n", "t.stl", options);
  EXPECT_EQ(other.rows[0].src, pe);
  EXPECT_EQ(other.rows[0].dst, 0x2000001100u);
  EXPECT_EQ(other.rows[0].bytes, 64u);
}

// The HBM of a cube has 8 slices of 6 GiB = 0xc00000000 bytes; what is behind it is another cube's or nothing.
TEST(AccessTrace, AddressesOutsideOfTheMemoryAreOneMessage_H123) {
  EXPECT_THAT(parse("0: read 0xbffffffe0\n", "t.stl").rows, SizeIs(1));
  const auto found = problems("0: read 0x0\n1: read 0xbffffffe1\n2: read 0xffffffffffffffff\n", "t.stl");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].line, 2);
  EXPECT_EQ(found[0].key, "address");
  EXPECT_THAT(found[0].text(), HasSubstr("t.stl:2: address: 0xbffffffe1 is outside of the memory: from --base "
                                         "0x2000000000 on, sip0.cube0 HBM has 48 GiB (choose another --base, or a"));
  AccessOptions options = at_ghz();
  options.base = "0x2bfffff000";
  EXPECT_THAT(parse("0: read 0xfe0\n", "t.stl", options).rows, SizeIs(1));
  EXPECT_THAT(problems("0: read 0x1000\n", "t.stl", options)[0].message, HasSubstr("sip0.cube0 HBM has 4 KiB"));
  options.base = "";
  EXPECT_THAT(problems("0: (64) read 0x17fffffe0\n", "t.stl", options)[0].message,
              HasSubstr("cross from the HBM slice of pe0 into that of pe1"));
}

TEST(AccessTrace, WrongOptionsAreNamedBeforeTheFile) {
  const auto text = [](const AccessOptions& options) {
    const auto found = problems("nonsense\n", "t.stl", options);
    EXPECT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].file, "");
    return found[0].text();
  };
  AccessOptions options = at_ghz();
  options.source = "pe0";
  EXPECT_THAT(text(options), HasSubstr("--src: 'pe0' is not a PE (write a PE id such as sip0.cube0.pe0)"));
  options.source = "sip2.cube0.pe0";
  EXPECT_THAT(text(options), HasSubstr("--src: the machine has no sip2.cube0.pe0 (it has 2 SIPs of 16 cubes"));
  options.source = "sip0.cube0.pe0";
  options.base = "12";
  EXPECT_THAT(text(options), HasSubstr("--base: '12' is not an address (write a physical address in hexadecimal"));
  options.base = "0x0";
  EXPECT_THAT(text(options), HasSubstr("--base: 0x0: sip0.cube0.pe0 PE_CPU_DTCM +0x0 is neither HBM"));
}

// The example of Ramulator's reader.
TEST(LoadStoreTrace, HasNoTimesButThoseOfAClock_H123) {
  AccessOptions options;
  const Trace trace = parse("LD 0x12340\nST 4096\nLD 0X40\n", "t.txt", options, "ramulator");
  ASSERT_THAT(trace.rows, SizeIs(3));
  EXPECT_EQ(trace.rows[0].op, TraceOp::pe_read);
  EXPECT_EQ(trace.rows[0].dst, kSlice0 + 0x12340);
  EXPECT_EQ(trace.rows[1].op, TraceOp::pe_write);
  EXPECT_EQ(trace.rows[1].dst, kSlice0 + 4096);
  for (const TraceRow& row : trace.rows) EXPECT_EQ(row.issue, 0_ns);
  options.clock_mhz = 500;
  const Trace clocked = parse("# begin\nLD 0\nST 0\nLD 0\n", "t.txt", options, "ramulator");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(clocked.rows[i].issue, TimeFs(2'000'000 * static_cast<int>(i)));
}

TEST(LoadStoreTrace, WrongLinesNameWhatIsMeant) {
  const std::pair<const char*, const char*> wrong[] = {
      {"R 0,1,2\n", "t.txt:1: 'R 0,1,2' is no load or store (write LD ADDRESS or ST ADDRESS, e.g. LD 0x12340)"},
      {"LD 1 2\n", "'LD 1 2' is no load or store"},
      {"LD ff\n", "address: 'ff' is not an address (write a decimal number, or a hexadecimal one with 0x)"},
      {"LD\n", "address: '' is not an address"},
  };
  for (const auto& [text, message] : wrong) {
    const auto found = problems(text, "t.txt", {}, "ramulator");
    ASSERT_THAT(found, SizeIs(1)) << text;
    EXPECT_THAT(found[0].text(), HasSubstr(message));
  }
}

TEST(TraceFormats, AreGuessedFromTheEnding) {
  EXPECT_EQ(trace_format("", "a.csv").name, "csv");
  EXPECT_EQ(trace_format("", "/dev/stdin").name, "csv");
  EXPECT_EQ(trace_format("", "a.stl").name, "dramsys");
  EXPECT_EQ(trace_format("", "a.rstl.gz").name, "dramsys");
  EXPECT_EQ(trace_format("csv", "a.stl").name, "csv");
  EXPECT_EQ(trace_format("ramulator", "a.stl").name, "ramulator");
  try {
    trace_format("dramsis", "a");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--format: there is no format 'dramsis' (did you mean 'dramsys'?)"));
  }
}

}  // namespace
}  // namespace kb::sim
