// Tables in memory that are asked in SQL.
#include "platform/data/sql_database.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "platform/base/error.h"
#include "tests/support/sqlite_rows.h"

namespace kb::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// One text per cell, rows one after the other.
std::vector<std::string> cells(const SqlResult& result) {
  std::vector<std::string> texts;
  for (const TableRow& row : result.rows) {
    for (const TableCell& cell : row) texts.push_back(text_of(cell));
  }
  return texts;
}

template <typename Body>
std::string problem(Body body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return {};
}

class Folder {
 public:
  Folder() : path_(::testing::TempDir() + "kb_sql_XXXXXX") { EXPECT_NE(::mkdtemp(path_.data()), nullptr); }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

class SqlDatabaseTest : public testing::Test {
 protected:
  SqlDatabaseTest() {
    database_.add_table("shape", {"name", "m", "gbs"},
                        {{std::string("a"), std::int64_t{3}, 0.5}, {std::string("b"), std::int64_t{4}, TableCell()}});
  }
  SqlDatabase database_;
};

TEST_F(SqlDatabaseTest, CellsKeepTheirKind) {
  const SqlResult result = database_.query("SELECT name, m, gbs FROM shape ORDER BY m");
  EXPECT_THAT(result.columns, ElementsAre("name", "m", "gbs"));
  EXPECT_EQ(result.rows, (std::vector<TableRow>{{std::string("a"), std::int64_t{3}, 0.5},
                                                {std::string("b"), std::int64_t{4}, std::monostate()}}));
}

TEST_F(SqlDatabaseTest, ParametersAreByName) {
  const auto query = "SELECT name FROM shape WHERE m > :least AND name <> :other";
  EXPECT_THAT(cells(database_.query(query, {{"least", std::int64_t{2}}, {"other", std::string("a")}, {"unused", 1.0}})),
              ElementsAre("b"));
  EXPECT_EQ(problem([&] { database_.query(query, {{"least", 1.0}}); }), "there is no value for :other");
}

TEST_F(SqlDatabaseTest, WrongStatementsAreTold) {
  EXPECT_THAT(problem([&] { database_.query("SELECT k FROM shape"); }), HasSubstr("no such column: k"));
  database_.run("CREATE TABLE other AS SELECT 1 AS k");
  EXPECT_THAT(problem([&] { database_.query("SELECT k FROM shape"); }),
              HasSubstr("no such column: k; other tables have it, those that are read there do not"));
  EXPECT_THAT(problem([&] { database_.run("CREATE TABLE t AS SELECT 1; SELEC"); }), HasSubstr("near \"SELEC\""));
  EXPECT_THAT(problem([&] { database_.query("SELECT 1; SELECT 2"); }), HasSubstr("more than one statement"));
  EXPECT_THAT(problem([&] { database_.query("-- nothing"); }), HasSubstr("no statement"));
}

TEST_F(SqlDatabaseTest, AScriptReachesNoFile) {
  const Folder folder;
  const std::string file = folder.file("other.sqlite");
  EXPECT_THAT(problem([&] { database_.run("ATTACH '" + file + "' AS other"); }), HasSubstr("not authorized"));
  EXPECT_THAT(problem([&] { database_.run("VACUUM INTO '" + file + "'"); }), HasSubstr("denied"));
  EXPECT_THAT(problem([&] { database_.run("PRAGMA journal_mode = WAL"); }), HasSubstr("not authorized"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(SqlDatabaseTest, FunctionsAreCalledAndTheirErrorsTold) {
  database_.add_function("twice", 1, [](const TableRow& given) -> TableCell {
    if (const auto* number = std::get_if<std::int64_t>(&given[0])) return 2 * *number;
    throw Error::configuration("'" + text_of(given[0]) + "' is not a number");
  });
  EXPECT_THAT(cells(database_.query("SELECT twice(m) FROM shape ORDER BY m")), ElementsAre("6", "8"));
  EXPECT_EQ(problem([&] { database_.query("SELECT twice(name) FROM shape"); }), "'a' is not a number");
}

TEST_F(SqlDatabaseTest, CoveredIsTheLengthOfTheUnion) {
  database_.run(
      "CREATE TABLE busy AS WITH i(engine, a, b) AS (VALUES ('x', 30, 40), ('x', 0, 10), ('x', 5, 12), ('x', 6, 7), "
      "('y', 1, 4)) SELECT * FROM i");
  EXPECT_THAT(cells(database_.query("SELECT covered(a, b) FROM busy GROUP BY engine ORDER BY engine")),
              ElementsAre("22", "3"));
  EXPECT_THAT(cells(database_.query("SELECT covered(a, b) FROM busy WHERE engine = 'z'")), ElementsAre("0"));
}

TEST_F(SqlDatabaseTest, ASavedDatabaseIsWholeAndCanBeAttached) {
  const Folder folder;
  const std::string path = folder.file("t.sqlite");
  observe::OutputFile file(path, "the tables", observe::OutputFile::Target::regular_file);
  database_.save(file);
  file.commit();
  EXPECT_EQ(test::sql_rows(path, "SELECT count(*), sum(m) FROM shape"), (test::SqlRows{{"2", "7"}}));
  SqlDatabase other;
  other.attach(path);
  EXPECT_THAT(cells(other.query("SELECT name FROM shape WHERE m = 4")), ElementsAre("b"));
}

TEST(SqlText, WordsStandApart) {
  EXPECT_TRUE(has_word("SELECT x FROM op", "op"));
  EXPECT_TRUE(has_word("FROM op,component", "op"));
  EXPECT_FALSE(has_word("SELECT top, op_id FROM drop", "op"));
}

}  // namespace
}  // namespace kb::data
