// The operation log as a file (P-67 .. P-70, P-74).
#include "platform/data/op_log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "platform/data/op_log_format.h"
#include "tests/support/named_nodes.h"
#include "tests/unit/data/committed_log.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

namespace fs = std::filesystem;
using test::at;
using test::CommittedLog;
using test::expect_error;
using test::record;

class OpLogTest : public ::testing::Test {
 protected:
  OpLogTest() : folder_(fs::temp_directory_path() / ("kb_oplog_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~OpLogTest() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  static OpLog::Options options() {
    return {kb::test::named_nodes({"sip0.cube0.pe0.pe_dma", "sip0.cube0.pe0.pe_gemm"}),
            [](std::uint64_t pa) -> std::string_view { return pa < 0x1000 ? "hbm" : "tcm"; }};
  }
  static std::string row(const OpRecord& op, const OpLog::Options& opts = options()) {
    fmt::memory_buffer out;
    format_row(out, 7, op, opts);
    return fmt::to_string(out);
  }
  fs::path folder_;
};

TEST_F(OpLogTest, CopiesNameBothEnds_P69) {
  EXPECT_EQ(row(record(CopyOp{CopyName::dma_read, {{0x100, 64}}, {{0x2000, 64}}}, 3, 1_ns, 82.06_ns)),
            "7\t3\t1\t82.06\tsip0.cube0.pe0.pe_dma\tmemory\tdma_read\t"
            R"({"src_addr":"0x100","src_space":"hbm","dst_addr":"0x2000","dst_space":"tcm","nbytes":64})"
            "\n");
}

TEST_F(OpLogTest, PiecesAreRunsOfEqualStride) {
  EXPECT_EQ(row(record(CopyOp{CopyName::dma_write, {{0x2000, 96}}, {{0, 16}, {0x40, 16}, {0x80, 16}, {0x90, 48}}}, 3,
                       -1_fs, 500'001_fs, {}),
                {}),
            "7\t3\t-0.000001\t0.500001\thost\tmemory\tdma_write\t"
            R"({"src_addr":"0x2000","dst_addr":"0x0","dst_extents":[["0x0",16,3,64],["0x90",48]],"nbytes":96})"
            "\n");
  EXPECT_EQ(
      row(record(CopyOp{CopyName::ipcq_copy, {{0, 8}, {8, 8}}, {{64, 8}, {32, 8}}}, 3, 0_fs, 0_fs, NodeId(9)), {}),
      "7\t3\t0\t0\tnode9\tmemory\tipcq_copy\t"
      R"({"src_addr":"0x0","dst_addr":"0x40","dst_extents":[["0x40",8,2,-32]],"nbytes":16})"
      "\n");
}

TEST_F(OpLogTest, WritesNameTheirContents) {
  EXPECT_EQ(
      row(record(WriteOp{WriteName::host_write, {{0x10, 4}}, {0x3c00, 2}, nullptr, 0}, 1, 0_fs, 0_fs, {})),
      "7\t1\t0\t0\thost\tmemory\thost_write\t"
      R"({"dst_addr":"0x10","dst_space":"hbm","nbytes":4,"source":"pattern","pattern":"0x3c00","pattern_width":2})"
      "\n");
  const auto buffer = std::make_shared<const std::vector<std::byte>>(8);
  EXPECT_EQ(row(record(WriteOp{WriteName::scratch_write, {{0x1000, 4}}, {}, buffer, 4})),
            "7\t1\t0\t0\tsip0.cube0.pe0.pe_dma\tmemory\tscratch_write\t"
            R"({"dst_addr":"0x1000","dst_space":"tcm","nbytes":4,"source":"buffer","buffer_offset":4})"
            "\n");
}

TEST_F(OpLogTest, GemmRecordsTransposesAndDtypes_P70) {
  EXPECT_EQ(
      row(record(GemmOp{at(0x1000, {8, 4}, Dtype::f16, true), at(0x2000, {4, 2}, Dtype::f16),
                        at(0x3000, {8, 2}, Dtype::f32), Dtype::f32},
                 5, 0_fs, 16_ns, NodeId(1))),
      "7\t5\t0\t16\tsip0.cube0.pe0.pe_gemm\tgemm\tgemm_f16\t"
      R"({"src_a_addr":"0x1000","src_a_space":"tcm","src_b_addr":"0x2000","src_b_space":"tcm","dst_addr":"0x3000",)"
      R"("dst_space":"tcm","shape_a":[8,4],"shape_b":[4,2],"shape_out":[8,2],"transpose_a":true,"transpose_b":false,)"
      R"("dtype_in":"f16","dtype_acc":"f32","dtype_out":"f32","m":8,"k":4,"n":2})"
      "\n");
}

TEST_F(OpLogTest, MathRecordsNumbersAndBroadcastShapes_P74) {
  EXPECT_EQ(
      row(record(MathOpRecord{
          MathOp::fma,
          {at(0x1000, {2, 3}, Dtype::f16, true), OperandRef::number(0.5, Dtype::f16), at(0x1100, {3}, Dtype::f16)},
          at(0x1200, {2, 3}, Dtype::f16),
          {}})),
      "7\t1\t0\t0\tsip0.cube0.pe0.pe_dma\tmath\tfma\t"
      R"({"input_addrs":["0x1000",null,"0x1100"],"input_shapes":[[2,3],[],[3]],"input_spaces":["tcm",null,"tcm"],)"
      R"("input_dtypes":["f16","f16","f16"],"input_transposed":[true,false,false],"input_values":[null,0.5,null],)"
      R"("dst_addr":"0x1200","dst_space":"tcm","shape_out":[2,3],"dtype":"f16","axis":null})"
      "\n");
  OperandRef pieces = at(0x1000, {4}, Dtype::i8);
  pieces.extents = {{0x1000, 2}, {0x1010, 2}};
  EXPECT_EQ(row(record(MathOpRecord{MathOp::sum, {pieces}, at(0x1200, {1}, Dtype::i8), -1}), {}),
            "7\t1\t0\t0\tnode0\tmath\tsum\t"
            R"({"input_addrs":["0x1000"],"input_shapes":[[4]],"input_spaces":[null],"input_dtypes":["i8"],)"
            R"("input_extents":[[["0x1000",2,2,16]]],"dst_addr":"0x1200","shape_out":[1],"dtype":"i8","axis":-1})"
            "\n");
  const auto infinite =
      row(record(MathOpRecord{MathOp::maximum, {pieces, OperandRef::number(-HUGE_VAL, Dtype::f16)}, pieces, {}}));
  EXPECT_THAT(infinite, ::testing::HasSubstr(R"("input_values":[null,"-inf"])"));
}

TEST_F(OpLogTest, OtherOperationsAreUnknown_P69) {
  EXPECT_EQ(row(record(OtherOp{"cpu_overhead"})), "7\t1\t0\t0\tsip0.cube0.pe0.pe_dma\tunknown\tcpu_overhead\t{}\n");
}

TEST_F(OpLogTest, TimesEqualFormatNs) {
  for (TimeFs t : {0_fs, 1_fs, 999'999_fs, 1_ns, 77.1_ns, kNever, -kNever, 123'456'789_fs}) {
    EXPECT_THAT(row(record(OtherOp{"x"}, 1, t, t)),
                ::testing::HasSubstr("\t" + format_ns(t) + "\t" + format_ns(t) + "\t"));
  }
}

TEST_F(OpLogTest, AppearsOnlyWhenFinished) {
  const std::string file = path("ops.tsv");
  {
    CommittedLog log(file, options());
    log.record(0, record(OtherOp{"x"}));
    EXPECT_FALSE(fs::exists(file));
    log.finish();
  }
  EXPECT_THAT(std::distance(fs::directory_iterator(folder_), {}), 1);
  EXPECT_EQ(content(file),
            "seq\tid\tt_start_ns\tt_end_ns\tcomponent\top_kind\top_name\tparams\n"
            "0\t1\t0\t0\tsip0.cube0.pe0.pe_dma\tunknown\tx\t{}\n");
}

TEST_F(OpLogTest, LeavesNothingWhenAbandoned) {
  const std::string file = path("ops.tsv");
  { CommittedLog log(file, options()); }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OpLogTest, RunsAreIdentical) {
  for (const char* name : {"a", "b"}) {
    CommittedLog log(path(name), options());
    for (std::uint64_t i = 0; i < 30000; ++i) {
      log.record(i, record(CopyOp{CopyName::dma_read, {{i * 64, 64}}, {{0x1000 + i % 512 * 64, 64}}}, i, i * 77_fs));
    }
    log.finish();
  }
  EXPECT_GT(fs::file_size(path("a")), std::uintmax_t{2} << 20);  // several flushes
  EXPECT_EQ(content(path("a")), content(path("b")));
}

TEST_F(OpLogTest, UnwritablePlacesSaySo) {
  const std::string file = path("missing/ops.tsv");
  expect_error([&] { CommittedLog log(file, {}); }, ErrorFamily::configuration, "CONFIGURATION_ERROR",
               {file, "No such file or directory"});
  expect_error([&] { CommittedLog log(folder_.string(), {}); }, ErrorFamily::configuration, "CONFIGURATION_ERROR",
               {"it is a folder"});
}

TEST_F(OpLogTest, AFullDiskRemovesThePartialFile) {
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  const std::string file = path("ops.tsv");
  {
    CommittedLog log(file, options());
    struct rlimit small = before;
    small.rlim_cur = 100;
    ::setrlimit(RLIMIT_FSIZE, &small);
    for (std::uint64_t i = 0; i < 10; ++i) log.record(i, record(OtherOp{"x"}));
    expect_error([&] { log.finish(); }, ErrorFamily::configuration, "OUTPUT_WRITE",
                 {file, "File too large", "enough room"});
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OpLogTest, DevicesAreWrittenDirectly) {
  CommittedLog log("/dev/full", options());
  log.record(0, record(OtherOp{"x"}));
  expect_error([&] { log.finish(); }, ErrorFamily::configuration, "OUTPUT_WRITE",
               {"/dev/full", "No space left on device"});
  EXPECT_TRUE(fs::exists("/dev/full"));
}

TEST_F(OpLogTest, RowsPerSecond) {
  CommittedLog log("/dev/null", options());
  const OpRecord copy =
      record(CopyOp{CopyName::dma_read, {{0x123456789, 4096}}, {{0x2000, 4096}}}, 1, 123'456'789_fs, 223'456'789_fs);
  const auto begin = std::chrono::steady_clock::now();
  constexpr int kRows = 200'000;
  for (int i = 0; i < kRows; ++i) log.record(static_cast<std::uint64_t>(i), copy);
  log.finish();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  RecordProperty("rows_per_second", std::to_string(kRows / seconds));
  EXPECT_THROW(log.record(0, copy), Error);  // after finish()
}

}  // namespace
}  // namespace kb::data
