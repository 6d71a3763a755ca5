// What a page is told of the folder of a sweep. H-82m.
#include "sim/analysis/recorded/sweep_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "platform/base/error.h"
#include "platform/data/table_sqlite.h"
#include "tests/unit/recorded/run_folders.h"

namespace kb::analysis {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using data::TableCell;
using ::testing::HasSubstr;

constexpr const char* kDescription = R"({"schema": "kernbench sweep 1", "file": "my tiles.yaml", "traffic": false,
  "axes": [{"name": "tile_k", "axis": "tile_k", "varies": "set", "key": "tile_k", "values": [32, 64]},
           {"name": "hbm", "axis": "hbm", "varies": "machine", "key": "cube.hbm", "values": [16]},
           {"name": "extra", "axis": "extra", "varies": "set", "key": "*", "values": [""]},
           {"name": "seed", "axis": "seed", "varies": "run", "key": "seed", "values": [1]}],
  "columns": [{"name": "time_ns", "kind": "place", "text": "/sim_time_ns"}],
  "objectives": [{"column": "time_ns", "goal": "min"}]})";

class SweepFolderTest : public test::RunFolders {
 protected:
  using Rows = std::vector<std::vector<TableCell>>;

  void write_table(const Rows& rows, std::vector<std::pair<std::string, std::string>> more = {}) const {
    std::vector<std::pair<std::string, std::string>> facts = {{"kernbench", "0.5.0"},
                                                              {"sweep", "tiles"},
                                                              {"workload", "copy"},
                                                              {"topology", ""},
                                                              {"set.m", "512"},
                                                              {"machine.cube.x", "it's"},
                                                              {"column.time_ns", "/sim_time_ns"}};
    facts.insert(facts.end(), more.begin(), more.end());
    fs::create_directories(path("s"));
    observe::OutputFile file(path("s/points.sqlite"), "the table");
    data::TableSqlite table(
        file, "points",
        {"point", "tile_k", "hbm", "extra", "seed", "time_ns", "status", "cause", "run_folder", "pareto"}, facts);
    for (const std::vector<TableCell>& row : rows) table.add(row);
    table.finish();
    file.commit();
  }
  static std::vector<TableCell> row(std::int64_t point, const std::string& status, const std::string& run = "") {
    const bool ok = status == "ok";
    return {point,
            std::int64_t{32},
            16.5,
            std::string("a=1 b.c=two"),
            std::int64_t{3},
            ok ? TableCell(point * 100.5) : TableCell(),
            status,
            std::string(status == "failed" ? "DEADLOCK: no one sends" : ""),
            run,
            ok ? TableCell(std::int64_t{1}) : TableCell()};
  }
  SweepFolder sweep() const { return SweepFolder(path("s")); }
  std::string refused() const {
    try {
      sweep().json();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(SweepFolderTest, ColumnsHaveRolesAndCellsTheirKinds) {
  write_table({row(0, "ok", "runs/3f"), row(1, "failed")});
  write("s/sweep.json", kDescription);
  EXPECT_TRUE(SweepFolder::is_one(path("s")));
  const Json found = Json::parse(sweep().json());
  EXPECT_EQ(found["name"], "tiles");
  EXPECT_EQ(found["workload"], "copy");
  EXPECT_EQ(found["failed"], 1);
  EXPECT_EQ(found["missing"], 0);
  EXPECT_EQ(found["state"], "");
  std::vector<std::string> roles;
  for (const Json& column : found["columns"]) roles.push_back(column["role"]);
  EXPECT_THAT(roles, ::testing::ElementsAre("point", "axis", "axis", "axis", "axis", "result", "status", "cause", "run",
                                            "pareto"));
  EXPECT_EQ(found["columns"][2]["text"], "machine cube.hbm");
  EXPECT_EQ(found["columns"][5]["text"], "/sim_time_ns");
  EXPECT_EQ(found["objectives"], Json::parse(R"([{"column": "time_ns", "goal": "min"}])"));
  EXPECT_EQ(found["rows"][0], Json::parse(R"([0, 32, 16.5, "a=1 b.c=two", 3, 0.0, "ok", "", "runs/3f", 1])"));
  EXPECT_EQ(found["rows"][1][5], nullptr);
}

TEST_F(SweepFolderTest, APointHasTheCommandOfItsRun) {
  write_table({row(0, "ok", "runs/3f"), row(1, "ok")},
              {{"seed", "9"}, {"device", "sip:0"}, {"plugin.0", "lib x.so"}, {"verify", "true"}});
  write("s/sweep.json", kDescription);
  const Json first = Json::parse(sweep().point(0)), second = Json::parse(sweep().point(1));
  EXPECT_EQ(
      second["command"],
      "kernbench run --bench copy --device sip:0 --verify-data --set 'cube.x=it'\\''s' --plugin 'lib x.so' --set m=512 "
      "--set tile_k=32 --set cube.hbm=16.5 --set a=1 --set b.c=two --seed 3 --record point1");
  EXPECT_EQ(second["run"], "");
  EXPECT_EQ(first["run"], "runs/3f");
  EXPECT_THROW(sweep().point(7), Error);
}

TEST_F(SweepFolderTest, WhereNoCommandMakesAPointASentenceSaysWhy) {
  write_table({row(0, "ok")});
  EXPECT_THAT(Json::parse(sweep().point(0))["none"].get<std::string>(), HasSubstr("An older kernbench"));
  EXPECT_EQ(Json::parse(sweep().json())["columns"][1]["role"], "axis") << "what is no result";
  Json traffic = Json::parse(kDescription);
  traffic["traffic"] = true;
  write("s/sweep.json", traffic.dump());
  EXPECT_THAT(Json::parse(sweep().point(0))["none"].get<std::string>(), HasSubstr("raw transactions"));
}

TEST_F(SweepFolderTest, HalfASweepSaysWhatIsMissing) {
  write("s/journal/1.journal", "one\ntwo\n");
  EXPECT_TRUE(SweepFolder::is_one(path("s")));
  EXPECT_THAT(Json::parse(sweep().json())["state"].get<std::string>(),
              HasSubstr("has no table yet; its journal has 2 answers. `kernbench sweep FILE --collect`"));
  EXPECT_EQ(Json::parse(sweep().json())["rows"], Json::array());
  write_table({row(0, "ok"), row(1, "missing")});
  write("s/sweep.json", kDescription);
  const fs::file_time_type written = fs::last_write_time(path("s/points.sqlite"));
  fs::last_write_time(path("s/journal/1.journal"), written - std::chrono::seconds(9));
  EXPECT_THAT(Json::parse(sweep().json())["state"].get<std::string>(), HasSubstr("1 of 2 points have not run yet"));
  EXPECT_THAT(Json::parse(sweep().json())["state"].get<std::string>(),
              HasSubstr("`kernbench sweep 'my tiles.yaml' --collect`"));
  fs::last_write_time(path("s/journal/1.journal"), written + std::chrono::seconds(9));
  EXPECT_THAT(Json::parse(sweep().json())["state"].get<std::string>(),
              HasSubstr("has gone on since this table was made"));
}

TEST_F(SweepFolderTest, DamagedFilesAreNamed) {
  write("s/points.sqlite", "no database at all");
  EXPECT_THAT(refused(), HasSubstr("points.sqlite: it is not the table of a sweep, or it is damaged"));
  write_table({row(0, "ok")});
  write("s/sweep.json", "{");
  EXPECT_THAT(refused(), HasSubstr("sweep.json:1:"));
  write("s/sweep.json", R"({"schema": "kernbench sweep 9"})");
  EXPECT_THAT(refused(), HasSubstr("its schema is not 'kernbench sweep 1'"));
  write("s/sweep.json", R"({"schema": "kernbench sweep 1", "axes": 7, "columns": [7], "objectives": {"a": 1}})");
  EXPECT_EQ(refused(), "") << "members of other kinds say nothing";
}

TEST_F(SweepFolderTest, LinksThatLeadOutAreRefused) {
  write_table({row(0, "ok")});
  fs::rename(path("s/points.sqlite"), path("elsewhere.sqlite"));
  fs::create_symlink(path("elsewhere.sqlite"), path("s/points.sqlite"));
  EXPECT_THAT(refused(), HasSubstr("points.sqlite is a symbolic link that leads out of the folder"));
  fs::remove(path("s/points.sqlite"));
  write("elsewhere.json", kDescription);
  fs::create_symlink(path("elsewhere.json"), path("s/sweep.json"));
  EXPECT_THAT(refused(), HasSubstr("sweep.json is a symbolic link that leads out of the folder"));
  fs::remove(path("s/sweep.json"));
  fs::create_directory(path("s/points.sqlite"));
  EXPECT_THAT(refused(), HasSubstr("it is not a regular file"));
}

}  // namespace
}  // namespace kb::analysis
