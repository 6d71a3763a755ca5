// Runs below a folder, in which anybody may have put anything. H-82l.
#include "sim/analysis/recorded/run_list.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "platform/base/error.h"
#include "tests/unit/recorded/run_folders.h"

namespace kb::analysis {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class RunListTest : public test::RunFolders {
 protected:
  // 50.5 ns with two launches, of which the longer one took 10.25 ns.
  static result::Result copy(bool ok = true) {
    result::Result result = result_of();
    result.setup.version = "0.5.0";
    result.setup.bench.name = "copy";
    result.setup.topology.file = "configs/one_pe.yaml";
    result.ok = ok;
    result.sim_time = TimeFs(50'500'000);
    result.launch_count = 2;
    result.kernels.emplace_back().longest = TimeFs(10'250'000);
    return result;
  }
  void set_age(const std::string& name, int age_s) const {
    timespec times[2] = {{1'000'000 - age_s, 0}, {1'000'000 - age_s, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path(name + "/result.json").c_str(), times, 0), 0);
  }
  void write_run(const std::string& name, int age_s = 0, bool ok = true) const {
    write_result(name, copy(ok));
    set_age(name, age_s);
  }
  void write_text(const std::string& name, int age_s, const std::string& result) const {
    write(name + "/result.json", result);
    set_age(name, age_s);
  }
  std::vector<std::string> names() {
    std::vector<std::string> found;
    const Json all = Json::parse(list().json(9));
    for (const Json& run : all["runs"]) found.push_back(run[0].get<std::string>());
    return found;
  }
  RunList& list() {
    if (!list_) list_ = std::make_unique<RunList>(path("top"));
    return *list_;
  }
  std::string refused(const std::string& name) {
    try {
      list().place_of(name);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

 private:
  std::unique_ptr<RunList> list_;
};

TEST_F(RunListTest, TheNewestIsFirst) {
  write_run("top/a", 30);
  write_run("top/b/c", 10);
  write_run("top/b", 20);
  write("top/b/ops.sqlite", "");
  write_run("top/.hidden");
  write_run("top");
  EXPECT_THAT(names(), ElementsAre("b/c", "b", "a")) << "the folder itself is not below it";
  const Json all = Json::parse(list().json(9));
  EXPECT_EQ(all["folder"], "top");
  EXPECT_EQ(all["unread"], 0);
  EXPECT_EQ(all["cut"], "");
  EXPECT_EQ(all["runs"][1], Json::parse(R"(["b", 999980000, true, {"version": "0.5.0", "workload": "copy",
    "machine": "configs/one_pe.yaml", "longest_ns": 10.25, "launches": 2, "sim_time_ns": 50.5, "ok": true}])"));
}

TEST_F(RunListTest, ResultsAreReadWhileThereIsTime) {
  for (const char* name : {"top/a", "top/b", "top/c"}) write_run(name);
  for (const int unread : {2, 1, 0, 0}) EXPECT_EQ(Json::parse(list().json(0))["unread"], unread);
  write_run("top/b", 5, false);
  const Json again = Json::parse(list().json(9));
  EXPECT_EQ(again["runs"][2][0], "b");
  EXPECT_EQ(again["runs"][2][3]["ok"], false) << "it has changed";
}

TEST_F(RunListTest, WhatCannotBeOpenedSaysWhy) {
  write_text("top/a", 1, R"({"schema": 1, "version": "0.2.0", "launches": []})");
  write_text("top/b", 2, R"({"schema": 7777, "launches": []})");
  write_text("top/c", 3, R"({"schema": )");
  write_text("top/d", 4, "[]");
  write_text("top/e", 5, fmt::format(R"({{"schema": {}, "launches": 7}})", result::kSchema));
  const Json runs = Json::parse(list().json(9))["runs"];
  ASSERT_EQ(runs.size(), 5u);
  const auto failure = [&](std::size_t i) { return runs[i][3]["failure"].get<std::string>(); };
  EXPECT_THAT(failure(0),
              StartsWith("result.json: was written by kernbench 0.2.0 with schema 1, and this program reads"));
  EXPECT_THAT(failure(0), HasSubstr("use the kernbench that wrote it"));
  EXPECT_THAT(failure(1), HasSubstr("was written with schema 7777"));
  EXPECT_THAT(failure(2), StartsWith("result.json:1:"));
  EXPECT_THAT(failure(3), StartsWith("result.json: is not"));
  EXPECT_THAT(failure(4), StartsWith("result.json: is not a whole result"));
}

TEST_F(RunListTest, FoldersBelowEachOtherAreLookedThroughToADepth) {
  std::string name = "top";
  for (int i = 0; i <= RunList::kMostDepth; ++i) write_run(name += "/x");
  EXPECT_EQ(names().size(), static_cast<std::size_t>(RunList::kMostDepth));
}

TEST_F(RunListTest, SymbolicLinksThatLeadOutAreNotFollowed) {
  write_run("top/a");
  write_run("outside");
  fs::create_directory_symlink(path("outside"), path("top/link"));
  fs::create_directory_symlink("a", path("top/inside"));
  fs::create_directory_symlink("..", path("top/a/circle"));
  fs::create_directories(path("top/b"));
  fs::create_symlink(path("outside/result.json"), path("top/b/result.json"));
  for (const std::string& name : names()) EXPECT_EQ(name.find("link") + 1 + (name[0] == 'b'), 0u) << name;
  EXPECT_THAT(names(), ::testing::Contains("inside"));
  EXPECT_THAT(refused("link"), HasSubstr("there is no run 'link'"));
  EXPECT_THAT(refused("b"), HasSubstr("there is no run 'b'"));
  EXPECT_EQ(list().place_of("inside").folder, fs::canonical(path("top")).string() + "/inside");
  fs::create_symlink(path("outside/result.json"), path("top/a/ops.sqlite"));
  EXPECT_THAT(refused("a"), HasSubstr("ops.sqlite is a symbolic link that leads out of the folder"));
  fs::remove(path("top/a/ops.sqlite"));
  fs::create_symlink(path("nowhere"), path("top/a/topology.json"));
  EXPECT_THAT(refused("a"), HasSubstr("topology.json is a symbolic link"));
}

TEST_F(RunListTest, NamesThatLeadElsewhereAreNone) {
  write_run("top/a");
  write_run("outside");
  for (const char* name : {"", ".", "..", "../outside", "a/../a", "a/../../outside", "/", "//", "a//", "a/.", "./a",
                           "%2e%2e/outside", "..\\outside", "a\\..\\a", "nowhere", "a/result.json"}) {
    EXPECT_THAT(refused(name), HasSubstr("there is no run")) << name;
  }
  EXPECT_THAT(refused(path("outside")), HasSubstr("there is no run")) << "an absolute path";
  EXPECT_THAT(refused(std::string("a\0b", 3)), HasSubstr("there is no run"));
  EXPECT_THAT(refused(std::string(100'000, 'a')), HasSubstr("there is no run"));
  EXPECT_THAT(refused("a"), IsEmpty());
}

TEST_F(RunListTest, ARunThatHasChangedIsAnotherOne) {
  write_run("top/a");
  const std::string before = list().place_of("a").state;
  EXPECT_EQ(list().place_of("a").state, before);
  write("top/a/ops.sqlite", "x");
  EXPECT_NE(list().place_of("a").state, before);
}

}  // namespace
}  // namespace kb::analysis
