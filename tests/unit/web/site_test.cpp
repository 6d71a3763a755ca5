// What `kernbench web` shows of a folder or a file, and that nothing outside of it is read. H-82a, H-82l to H-82n.
#include "sim/web/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "platform/base/error.h"
#include "platform/data/table_sqlite.h"
#include "sim/web/assets.h"
#include "sim/web/open_runs.h"
#include "tests/unit/recorded/run_folders.h"

namespace kb::web {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMachine = R"({"nodes": [
  {"id": "sip0.cube0.pe0.pe_cpu", "kind": "pe_cpu", "label": "pe_cpu", "coord": {"sip": 0, "cube": 0, "pe": 0},
   "attrs": {"clock_ghz": 1.5}, "pos_mm": [1, 2]},
  {"id": "sip0.cube0.r0c0", "kind": "noc_router", "label": "r0c0", "coord": {"sip": 0, "cube": 0}, "attrs": {},
   "pos_mm": [1, 2]}],
  "edges": [{"src": "sip0.cube0.r0c0", "dst": "sip0.cube0.pe0.pe_cpu", "kind": "command", "bw_gbs": 64}], "spec": {}})";

class SiteTest : public analysis::test::RunFolders {
 protected:
  using Parameters = std::multimap<std::string, std::string>;

  void write_run(const std::string& name, const std::string& workload = "copy") const {
    result::Result result = result_of();
    result.setup.bench.name = workload;
    write_result(name, result);
  }
  // A folder with the runs a and b/c, of which only the second has operations.
  void write_runs() const {
    write_run("top/a");
    write_run("top/b/c");
    write_ops("top/b/c/ops.sqlite", analysis::test::known_ops(1000, 3));
    write_run("outside");
  }
  std::unique_ptr<Site> site(const std::string& place) const {
    SiteOptions options;
    options.place = path(place);
    return make_site(options);
  }
  static Json json(Site& site, const std::string& path, Parameters parameters = {}, int status = 200) {
    const HttpResponse response = site.answer({path, std::move(parameters)});
    EXPECT_EQ(response.status, status) << path << ": " << response.body;
    return Json::parse(response.body);
  }
  std::string refused(const SiteOptions& options) const {
    try {
      make_site(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::string refused(const std::string& place, const std::string& against = "") const {
    SiteOptions options;
    options.place = path(place);
    options.against = against;
    return refused(options);
  }
};

TEST_F(SiteTest, ThePageIsPartOfTheProgram) {
  write_runs();
  const auto shown = site("top/a");
  EXPECT_THAT(shown->answer({"/", {}}).body, HasSubstr("<script src=\"/app.js\""));
  EXPECT_EQ(shown->answer({"/app.js", {}}).type, "text/javascript; charset=utf-8");
  std::size_t bytes = 0;
  for (const Asset& asset : assets()) bytes += asset.content.size();
  EXPECT_LE(bytes, 256'000u);
  EXPECT_GT(bytes, 10'000u);
}

TEST_F(SiteTest, OneRun) {
  write_runs();
  const auto shown = site("top/a");
  EXPECT_EQ(json(*shown, "/api/site"), Json::parse(R"({"kind": "run", "name": "a"})"));
  EXPECT_EQ(json(*shown, "/api/run")["folder"], "a");
  EXPECT_THAT(json(*shown, "/api/runs", {}, 404)["error"].get<std::string>(), HasSubstr("no such page"));
  EXPECT_EQ(json(*shown, "/api/run", {{"in", "../b/c"}})["folder"], "a") << "no other run has a name here";
  EXPECT_THAT(shown->greeting()[0], HasSubstr("The run of 'a' is shown at "));
}

TEST_F(SiteTest, RunsOfAFolder) {
  write_runs();
  const auto shown = site("top");
  EXPECT_EQ(json(*shown, "/api/site"), Json::parse(R"({"kind": "runs", "name": "top"})"));
  EXPECT_EQ(json(*shown, "/api/runs")["runs"].size(), 2u);
  EXPECT_EQ(json(*shown, "/api/run", {{"in", "a"}})["folder"], "a");
  EXPECT_EQ(json(*shown, "/api/run", {{"in", "b/c"}})["has_operations"], true);
  EXPECT_EQ(json(*shown, "/api/rows", {{"in", "b/c"}})["rows"].size() > 3, true);
  EXPECT_EQ(json(*shown, "/api/compare", {{"in", "a"}}), nullptr);
  EXPECT_THAT(json(*shown, "/api/compare", {{"in", "b/c"}, {"with", "a"}})["after"].get<std::string>(),
              HasSubstr("/b/c/result.json"));
  EXPECT_EQ(json(*shown, "/api/run", {{"in", "b/c"}, {"with", "a"}, {"run", "against"}})["folder"], "a");
  EXPECT_THAT(json(*shown, "/api/run", {}, 400)["error"].get<std::string>(), HasSubstr("in is missing"));
  write_run("top/new");
  EXPECT_EQ(json(*shown, "/api/run", {{"in", "new"}})["folder"], "new") << "made since the server began";
  EXPECT_EQ(json(*shown, "/api/runs")["runs"].size(), 3u);
}

TEST_F(SiteTest, HostileNamesReadNothing) {
  write_runs();
  fs::create_directory_symlink(path("outside"), path("top/link"));
  write_run("top/d");
  fs::create_symlink(path("outside/result.json"), path("top/d/topology.json"));
  const auto shown = site("top");
  for (const char* name : {"../outside", "/outside", "link", "a/../../outside", ".", "..", "", "b", "%2e%2e/outside"}) {
    for (const char* page : {"/api/run", "/api/state", "/api/ops.csv", "/api/launches.csv"}) {
      EXPECT_THAT(json(*shown, page, {{"in", name}}, 400)["error"].get<std::string>(), HasSubstr("there is no run"))
          << name;
    }
    if (*name == '\0') continue;  // compared with none
    EXPECT_THAT(json(*shown, "/api/run", {{"in", "a"}, {"with", name}}, 400)["error"].get<std::string>(),
                HasSubstr("there is no run"))
        << name;
  }
  EXPECT_THAT(json(*shown, "/api/run", {{"in", path("outside")}}, 400)["error"].get<std::string>(),
              HasSubstr("there is no run"));
  EXPECT_THAT(json(*shown, "/api/run", {{"in", "d"}}, 400)["error"].get<std::string>(),
              HasSubstr("leads out of the folder"));
  for (const char* page :
       {"/etc/passwd", "/../outside/result.json", "/api/../outside/result.json", "/top/a/result.json"}) {
    EXPECT_EQ(shown->answer({page, {{"in", "a"}}}).status, 404) << page;
  }
}

TEST_F(SiteTest, AFewRunsAreOpenAtOnceAndAChangedOneIsOpenedAgain) {
  for (int i = 0; i < 9; ++i) write_run("top/" + std::to_string(i));
  analysis::RunList list(path("top"));
  OpenRuns runs(list);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(runs.answer(std::to_string(i), "", {"/api/run", {}}).status, 200);
  EXPECT_EQ(runs.open(), OpenRuns::kMost);
  EXPECT_THAT(runs.answer("3", "", {"/api/run", {}}).body, Not(HasSubstr("another")));
  write_run("top/3", "another");
  EXPECT_THAT(runs.answer("3", "", {"/api/run", {}}).body, HasSubstr("another"));
  write("top/3/result.json", R"({"schema": 9999, "version": "9.1", "launches": []})");
  EXPECT_THROW(runs.answer("3", "", {"/api/run", {}}), Error);
  EXPECT_EQ(runs.answer("4", "", {"/api/run", {}}).status, 200) << "others do not suffer";
}

TEST_F(SiteTest, ManyAskForManyRuns) {
  write_runs();
  const auto shown = site("top");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 20; ++i) {
        const bool one = (i + thread) % 2 == 0;
        const HttpResponse response =
            shown->answer({"/api/run", {{"in", one ? "a" : "b/c"}, {"with", i % 3 == 0 ? "a" : ""}}});
        EXPECT_THAT(response.body, HasSubstr(one ? R"("folder":"a")" : R"("folder":"c")"));
        shown->answer({"/api/runs", {}});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  shown->stop();
}

TEST_F(SiteTest, ALongAnswerOutlivesItsRunInTheList) {
  write_runs();
  for (int i = 0; i < 9; ++i) write_run("top/" + std::to_string(i));
  analysis::RunList list(path("top"));
  OpenRuns runs(list);
  const HttpResponse csv = runs.answer("b/c", "", {"/api/ops.csv", {}});
  for (int i = 0; i < 9; ++i) runs.answer(std::to_string(i), "", {"/api/run", {}});
  std::string all, piece;
  while (csv.next_piece(piece)) all += std::exchange(piece, "");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n') + std::count(piece.begin(), piece.end(), '\n'), 1001);
}

TEST_F(SiteTest, ASweep) {
  fs::create_directories(path("s"));
  observe::OutputFile file(path("s/points.sqlite"), "the table");
  data::TableSqlite table(file, "points", {"point", "k", "status", "cause", "run_folder"}, {{"sweep", "tiles"}});
  table.add({std::int64_t{0}, std::int64_t{8}, std::string("ok"), std::string(), std::string("runs/3f")});
  table.finish();
  file.commit();
  write_run("s/runs/3f");
  write("s/sweep.json", R"({"schema": "kernbench sweep 1", "axes": [{"name": "k", "varies": "set", "key": "k"}]})");
  const auto shown = site("s");
  EXPECT_EQ(json(*shown, "/api/site"), Json::parse(R"({"kind": "sweep", "name": "s"})"));
  EXPECT_EQ(json(*shown, "/api/sweep")["rows"].size(), 1u);
  const Json point = json(*shown, "/api/point", {{"point", "0"}});
  EXPECT_EQ(point["command"], "kernbench run --set k=8 --record point0");
  EXPECT_EQ(json(*shown, "/api/run", {{"in", point["run"].get<std::string>()}})["folder"], "3f");
  json(*shown, "/api/point", {{"point", "1"}}, 400);
  json(*shown, "/api/point", {}, 400);
  json(*shown, "/api/run", {{"in", "../outside"}}, 400);
}

TEST_F(SiteTest, AMachineWithoutARun) {
  write("topology.json", kMachine);
  const auto shown = site("topology.json");
  EXPECT_EQ(json(*shown, "/api/site"), Json::parse(R"({"kind": "machine", "name": "topology.json"})"));
  EXPECT_EQ(json(*shown, "/api/machine")["pe_count"], 1);
  EXPECT_EQ(json(*shown, "/api/machine", {{"under", "sip0.cube0"}})["nodes"].size(), 2u);
  EXPECT_EQ(json(*shown, "/api/block", {{"id", "sip0.cube0.pe0.pe_cpu"}}),
            Json::parse(R"({"id": "sip0.cube0.pe0.pe_cpu",
    "kind": "pe_cpu", "attributes": {"clock_ghz": 1.5}, "wires": [["sip0.cube0.r0c0", "sip0.cube0.pe0.pe_cpu", "command", 64.0]]})"));
  json(*shown, "/api/block", {{"id", "nobody"}}, 404);
  json(*shown, "/api/run", {}, 404);
  SiteOptions compiled;
  compiled.place = "my.yaml";
  compiled.machine = kMachine;
  EXPECT_EQ(json(*make_site(compiled), "/api/site")["name"], "my.yaml");
}

TEST_F(SiteTest, WhatIsNoneOfTheseSaysWhatWouldBe) {
  EXPECT_THAT(
      refused("nothing"),
      HasSubstr("/nothing' is not a folder; give the folder that `kernbench run --out DIR` wrote, a "
                "folder of such folders, the folder of a sweep or of `kernbench model requests --out`, the file of "
                "`kernbench model step --out`, or a topology file"));
  fs::create_directories(path("empty/below"));
  EXPECT_THAT(refused("empty"), HasSubstr("is not the folder of a run: it has no result.json; nor has a folder in it"));
  write("file.txt", "hello");
  EXPECT_THAT(refused("file.txt"), HasSubstr("file.txt:1:"));
  EXPECT_THAT(refused("file.txt"), HasSubstr("; give the folder that `kernbench run --out DIR` wrote"));
  write("list.json", "[]");
  EXPECT_THAT(refused("list.json"), HasSubstr("is not what `kernbench topology --json` prints"));
  write_runs();
  EXPECT_THAT(refused("top", path("top/a")), HasSubstr("--against needs the folder of a run"));
  fs::create_symlink(path("outside/result.json"), path("top/a/topology.json"));
  EXPECT_THAT(refused("top/a"), HasSubstr("topology.json is a symbolic link that leads out of the folder"));
}

}  // namespace
}  // namespace kb::web
