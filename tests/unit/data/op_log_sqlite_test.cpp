// The operation log as a database (P-67 .. P-70, P-74).
#include "platform/data/op_log_sqlite.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "platform/data/op_log_database.h"
#include "platform/data/op_log_file.h"
#include "platform/data/op_log_reader.h"
#include "tests/support/named_nodes.h"
#include "tests/support/sqlite_rows.h"
#include "tests/unit/data/committed_log.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

namespace fs = std::filesystem;
using kb::test::sql_rows;
using kb::test::SqlRows;
using test::at;
using test::CommittedLog;
using test::expect_error;
using test::record;

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

class OpLogSqliteTest : public ::testing::Test {
 protected:
  OpLogSqliteTest() : folder_(fs::temp_directory_path() / ("kb_oplog_sqlite_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~OpLogSqliteTest() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static OpLog::Options options() {
    return {kb::test::named_nodes({"sip0.cube0.pe0.pe_dma", "sip0.cube0.pe0.pe_gemm"}),
            [](std::uint64_t pa) -> std::string_view { return pa < 0x1000 ? "hbm" : "tcm"; },
            {{"bench", "copy"}, {"seed", "1"}}};
  }
  fs::path folder_;
};

// Records of every kind with random places, times, components and sizes.
class Records {
 public:
  OpRecord next() {
    const TimeFs start = below(4'000'000'000'000) * 1_fs - 1_ns;
    const auto id = static_cast<std::uint64_t>(below(1 << 20));
    const NodeId component = below(8) == 0 ? NodeId() : NodeId(static_cast<std::uint32_t>(below(4)));
    const TimeFs end = start + below(100'000'000) * 1_fs;
    switch (below(6)) {
      case 0:
        return record(OtherOp{below(2) == 0 ? "cpu_overhead" : "TileToken/FETCH"}, id, start, end, component);
      case 1:
        return record(WriteOp{WriteName::host_write, pieces(), {below(65536), 2}, nullptr, 0}, id, start, end,
                      component);
      case 2:
        return record(GemmOp{matrix(), matrix(), matrix(), Dtype::f32}, id, start, end, component);
      case 3:
        return record(
            MathOpRecord{
                MathOp::fma,
                {matrix(), OperandRef::number(1.0 / (1.0 + static_cast<double>(below(9))), Dtype::f32), matrix()},
                matrix(),
                {}},
            id, start, end, component);
      default:
        return record(CopyOp{static_cast<CopyName>(below(3)), pieces(), pieces()}, id, start, end, component);
    }
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  std::vector<Extent> pieces() {
    std::vector<Extent> extents;
    for (std::uint64_t i = 0; i <= below(4); ++i) extents.push_back({below(0x4000), 1 + below(256)});
    return extents;
  }
  OperandRef matrix() {
    OperandRef operand = at(below(0x4000), {static_cast<std::int64_t>(1 + below(9)), 3},
                            test::kAllDtypes[below(std::size(test::kAllDtypes))], below(2) == 0);
    if (below(3) == 0) operand.extents = pieces();
    return operand;
  }
  std::mt19937_64 random_{20240917};
};

TEST_F(OpLogSqliteTest, TablesAreTheDocumentedOnes_P67) {
  const std::string file = path("ops.sqlite");
  CommittedLog log(file, options());
  log.record(0, record(OtherOp{"x"}, 7, 1_ns, 82.06_ns));
  log.finish();
  EXPECT_EQ(sql_rows(file, "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2"),
            (SqlRows{{"index", "op_by_component"},
                     {"index", "op_by_start"},
                     {"table", "component"},
                     {"table", "engine"},
                     {"table", "meta"},
                     {"table", "op"},
                     {"table", "operation"},
                     {"view", "ops"}}));
  EXPECT_EQ(sql_rows(file, "SELECT name FROM pragma_table_info('component')"),
            (SqlRows{{"id"}, {"name"}, {"node_kind"}, {"label"}, {"sip"}, {"io"}, {"cube"}, {"pe"}}));
  EXPECT_EQ(sql_rows(file, "SELECT name FROM pragma_table_info('op')"), (SqlRows{{"seq"},
                                                                                 {"id"},
                                                                                 {"t_start_fs"},
                                                                                 {"t_end_fs"},
                                                                                 {"component_id"},
                                                                                 {"operation_id"},
                                                                                 {"place_id"},
                                                                                 {"params"}}));
  EXPECT_EQ(sql_rows(file, "SELECT * FROM ops"),
            (SqlRows{{"0", "7", "1.0", "82.06", "81.06", "sip0.cube0.pe0.pe_dma", "unknown", "x", "{}"}}));
  EXPECT_EQ(sql_rows(file, "SELECT typeof(t_start_fs), t_start_fs, t_end_fs FROM op"),
            (SqlRows{{"integer", "1000000", "82060000"}}));
  EXPECT_EQ(sql_rows(file, "SELECT * FROM meta ORDER BY key"),
            (SqlRows{{"bench", "copy"}, {"schema_version", "2"}, {"seed", "1"}}));
}

// The text is the oracle: another writer of the same facts.
TEST_F(OpLogSqliteTest, HoldsWhatTheTextHolds_P67_P69) {
  const std::string text = path("ops.tsv"), database = path("ops.db");
  CommittedLog as_text(text, options()), as_database(database, options());
  Records records;
  constexpr std::uint64_t kRows = 5003;
  for (std::uint64_t i = 0; i < kRows; ++i) {
    const OpRecord op = records.next();
    as_text.record(i, op);
    as_database.record(i, op);
  }
  as_text.finish();
  as_database.finish();
  const SqlRows rows = sql_rows(database,
                                "SELECT ops.seq, ops.id, op.t_start_fs, op.t_end_fs, component, op_kind, op_name, "
                                "ops.params, t_start_ns, t_end_ns FROM ops JOIN op USING (seq) ORDER BY ops.seq");
  ASSERT_EQ(rows.size(), kRows);
  std::ifstream lines(text);
  std::string line;
  std::getline(lines, line);  // the header
  for (std::vector<std::string> row : rows) {
    ASSERT_TRUE(std::getline(lines, line));
    std::vector<std::string> cells;
    std::stringstream cut(line);
    for (std::string cell; std::getline(cut, cell, '\t');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 8u);
    EXPECT_EQ(std::stod(row[8]), std::stod(cells[2])) << line;  // both the double nearest to the exact time
    EXPECT_EQ(std::stod(row[9]), std::stod(cells[3])) << line;
    for (const std::size_t time : {2, 3}) row[time] = format_ns(TimeFs(std::stoll(row[time])));
    row.resize(8);
    ASSERT_EQ(row, cells);
  }
  EXPECT_FALSE(std::getline(lines, line));
  EXPECT_EQ(sql_rows(database, "SELECT count(*) FROM op WHERE NOT json_valid(params)"), (SqlRows{{"0"}}));
  EXPECT_EQ(sql_rows(database, "PRAGMA integrity_check"), (SqlRows{{"ok"}}));
  EXPECT_EQ(sql_rows(database, "SELECT id, name FROM component ORDER BY id"), (SqlRows{{"-1", "host"},
                                                                                       {"0", "sip0.cube0.pe0.pe_dma"},
                                                                                       {"1", "sip0.cube0.pe0.pe_gemm"},
                                                                                       {"2", "node2"},
                                                                                       {"3", "node3"}}));
}

TEST_F(OpLogSqliteTest, ParametersCanBeQueried_P69) {
  const std::string file = path("ops.sqlite3");
  CommittedLog log(file, options());
  for (std::uint64_t i = 0; i < 40; ++i) {
    log.record(i, record(CopyOp{CopyName::dma_read, {{i * 64, 64}}, {{0x2000, 64}}}));
  }
  log.finish();
  EXPECT_EQ(sql_rows(file, "SELECT sum(json_extract(params, '$.nbytes')), min(params ->> 'src_addr') FROM op"),
            (SqlRows{{"2560", "0x0"}}));
}

TEST_F(OpLogSqliteTest, IsReadInOrderOfStart_P68) {
  const std::string file = path("ops.db");
  CommittedLog log(file, options());
  log.record(0, record(OtherOp{"late"}, 1, 50_fs, 60_fs, NodeId(1)));
  log.record(1, record(OtherOp{"first of two"}, 2, 10_fs, 70_fs));
  log.record(2, record(OtherOp{"second of two"}, 3, 10_fs, 20_fs));
  log.finish();
  const OpLogReader reader(file);
  EXPECT_EQ(reader.fact("bench"), "copy");
  EXPECT_EQ(reader.fact("nothing"), "");
  std::vector<std::string> rows;
  reader.for_each([&](const LoggedOp& op) {
    rows.push_back(fmt::format("{} {} {} {} {} {} {}", op.sequence, op.start.fs(), op.end.fs(), op.component, op.kind,
                               op.name, op.params));
  });
  EXPECT_THAT(rows, ::testing::ElementsAre("1 10 70 sip0.cube0.pe0.pe_dma unknown first of two {}",
                                           "2 10 20 sip0.cube0.pe0.pe_dma unknown second of two {}",
                                           "0 50 60 sip0.cube0.pe0.pe_gemm unknown late {}"));
}

// What does not apply is NULL; a node of which the log was told nothing has only a name.
TEST_F(OpLogSqliteTest, ComponentsSayWhereTheyStand_P67) {
  const std::vector<std::string> names = {"sip0.cube2.pe1.pe_dma", "sip0.cube2.hbm_ctrl.pe1", "sip1.cube0.r0c3",
                                          "sip1.io0.pcie_ep", "fabric.switch0"};
  const std::string file = path("ops.sqlite");
  CommittedLog log(file, {kb::test::named_nodes(names), {}, {}});
  for (std::uint32_t node = 0; node < 6; ++node) log.record(node, record(OtherOp{"x"}, node, 0_ns, 1_ns, NodeId(node)));
  log.record(6, record(OtherOp{"x"}, 6, 0_ns, 1_ns, NodeId()));
  log.finish();
  const auto null = [](const char* column) { return std::string("coalesce(") + column + ", '-')"; };
  EXPECT_EQ(sql_rows(file, "SELECT name, node_kind, label, " + null("sip") + "," + null("io") + "," + null("cube") +
                               "," + null("pe") + " FROM component ORDER BY id"),
            (SqlRows{{"host", "host", "host", "-", "-", "-", "-"},
                     {names[0], "pe_dma", "pe_dma", "0", "-", "2", "1"},
                     {names[1], "hbm_ctrl", "hbm_ctrl", "0", "-", "2", "1"},
                     {names[2], "noc_router", "r0c3", "1", "-", "0", "-"},
                     {names[3], "pcie_ep", "pcie_ep", "1", "io0", "-", "-"},
                     {names[4], names[4], names[4], "-", "-", "-", "-"},
                     {"node5", "", "node5", "-", "-", "-", "-"}}));
  const OpLogDatabase read(file);
  ASSERT_EQ(read.names().components.size(), 7u);
  EXPECT_FALSE(read.names().components[0].node.coord.sip.valid());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const NodeEntry &node = read.names().components[i + 1].node, expected = kb::test::named_node(names[i]);
    EXPECT_EQ(node.id, expected.id);
    EXPECT_EQ(node.kind, expected.kind);
    EXPECT_EQ(node.label, expected.label);
    EXPECT_EQ(node.coord, expected.coord) << node.id;
  }
}

TEST_F(OpLogSqliteTest, ALogWithoutCoordinatesIsToBeMadeAgain) {
  const std::string file = path("ops.sqlite");
  CommittedLog(file, options()).finish();
  ASSERT_EQ(
      std::system(("sqlite3 '" + file + "' \"UPDATE meta SET value = '1' WHERE key = 'schema_version'\"").c_str()), 0);
  expect_error([&] { OpLogDatabase database(file); }, ErrorFamily::configuration, "CONFIGURATION_ERROR",
               {file, "where its components stand", "run it again with --record DIR"});
}

TEST_F(OpLogSqliteTest, OnlyALogOfThisVersionIsRead) {
  const auto fails = [&](const std::string& name, const std::string& why) {
    expect_error([&] { OpLogReader reader(path(name)); }, ErrorFamily::configuration, "CONFIGURATION_ERROR",
                 {path(name), why, "--oplog FILE.sqlite"});
  };
  fails("missing.db", "unable to open");
  std::ofstream(path("text.db")) << std::string(5000, 'x');
  fails("text.db", "not a database");
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path("other.db").c_str(), &database), SQLITE_OK);
  sqlite3_exec(database, "CREATE TABLE meta (key, value); INSERT INTO meta VALUES ('schema_version', '99')", nullptr,
               nullptr, nullptr);
  sqlite3_close(database);
  fails("other.db", "schema version is '99'");
}

TEST_F(OpLogSqliteTest, TheEndingChoosesTheFormat) {
  for (const char* name : {"a.sqlite", "a.sqlite3", "a.db", "a.tsv", "a.sqlite.txt", "sqlite", "a"}) {
    CommittedLog(path(name), options()).finish();
    const bool database =
        fs::path(name).extension() != ".tsv" && fs::path(name).extension() != ".txt" && fs::path(name).has_extension();
    EXPECT_EQ(content(path(name)).rfind("SQLite format 3", 0) == 0, database) << name;
  }
}

TEST_F(OpLogSqliteTest, AppearsOnlyWhenFinished) {
  const std::string file = path("ops.sqlite");
  {
    CommittedLog log(file, options());
    log.record(0, record(OtherOp{"x"}));
    EXPECT_FALSE(fs::exists(file));
    log.finish();
    EXPECT_THROW(log.record(1, record(OtherOp{"x"})), Error);
  }
  EXPECT_THAT(std::distance(fs::directory_iterator(folder_), {}), 1);
  EXPECT_EQ(sql_rows(file, "SELECT count(*) FROM op"), (SqlRows{{"1"}}));
}

TEST_F(OpLogSqliteTest, LeavesNothingWhenAbandoned) {
  {
    CommittedLog log(path("ops.sqlite"), options());
    for (std::uint64_t i = 0; i < 100; ++i) log.record(i, record(OtherOp{"x"}));
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OpLogSqliteTest, ReplacesAnOlderFile) {
  const std::string file = path("ops.sqlite");
  std::ofstream(file) << std::string(100'000, 'x');
  CommittedLog(file, options()).finish();
  EXPECT_EQ(sql_rows(file, "SELECT count(*) FROM op"), (SqlRows{{"0"}}));
}

// Opening the new database would apply them to it.
TEST_F(OpLogSqliteTest, TheJournalOfAnotherDatabaseIsInTheWay) {
  for (const char* ending : {"-journal", "-wal"}) {
    const std::string journal = path("ops.sqlite") + ending;
    std::ofstream(journal) << "mine";
    expect_error([&] { CommittedLog log(path("ops.sqlite"), options()); }, ErrorFamily::configuration,
                 "CONFIGURATION_ERROR", {journal, "remove the file"});
    EXPECT_EQ(content(journal), "mine");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
    fs::remove(journal);
  }
}

TEST_F(OpLogSqliteTest, EqualRunsAreEqualBytesAndTakeLittleMemory_P74) {
  constexpr sqlite3_int64 kMaxMemory = 5 << 20;
  for (const char* name : {"a.db", "b.db"}) {
    sqlite3_memory_highwater(1);
    CommittedLog log(path(name), options());
    for (std::uint64_t i = 0; i < 60'000; ++i) {
      log.record(i, record(CopyOp{CopyName::dma_read, {{i * 64, 64}}, {{0x1000 + i % 512 * 64, 64}}}, i,
                           i * 7919 % 60'000 * 77_fs, 60'000 * 77_fs, NodeId(i % 2)));
    }
    log.finish();
    EXPECT_LT(sqlite3_memory_highwater(0), kMaxMemory);
  }
  EXPECT_GT(fs::file_size(path("a.db")), std::uintmax_t{kMaxMemory});
  EXPECT_EQ(content(path("a.db")), content(path("b.db")));
}

TEST_F(OpLogSqliteTest, UnwritablePlacesSaySo) {
  const std::string file = path("missing/ops.sqlite");
  expect_error([&] { CommittedLog log(file, {}); }, ErrorFamily::configuration, "CONFIGURATION_ERROR",
               {file, "No such file or directory"});
  expect_error([&] { CommittedLog log(folder_.string(), {}); }, ErrorFamily::configuration, "CONFIGURATION_ERROR",
               {"it is a folder"});
  const std::string pipe = path("pipe.sqlite");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_error([&] { CommittedLog log(pipe, {}); }, ErrorFamily::configuration, "CONFIGURATION_ERROR",
               {pipe, "has to be a regular file"});
  EXPECT_TRUE(fs::exists(pipe));
}

// A limit of the file size stands for a full disk: met while rows are written, or at the end.
TEST_F(OpLogSqliteTest, AFullDiskRemovesThePartialFile) {
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t bytes : {rlim_t{100}, rlim_t{100'000}, rlim_t{4'200'000}}) {
    const std::string file = path("ops.sqlite");
    std::string message;
    const auto write = [&] {
      CommittedLog log(file, options());
      struct rlimit small = before;
      small.rlim_cur = bytes;
      ::setrlimit(RLIMIT_FSIZE, &small);
      for (std::uint64_t i = 0; i < 60'000; ++i)
        log.record(i, record(OtherOp{"x"}, 1 << 30, TimeFs(1LL << 60), TimeFs(1LL << 60)));
      log.finish();
    };
    expect_error(
        [&] {
          try {
            write();
          } catch (const Error& error) {
            message = error.what();
            throw;
          }
        },
        ErrorFamily::configuration, "OUTPUT_WRITE", {file, "enough room"});
    // SQLite 3.40 keeps no reason of sorting, 3.46 does.
    EXPECT_TRUE(message.find("File too large") != std::string::npos ||
                (bytes > 1'000'000 && message.find("disk I/O error") != std::string::npos))
        << message;
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_TRUE(fs::is_empty(folder_)) << bytes;
  }
  std::signal(SIGXFSZ, old);
}

}  // namespace
}  // namespace kb::data
