// What is removed from an output folder: kernbench's own, nothing else (E-98).
#include "sim/evaluate/work_folder.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "platform/base/error.h"
#include "sim/evaluate/files.h"

namespace kb::evaluate {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kFolder = ".kernbench-staging";

class WorkFolderTest : public testing::Test {
 protected:
  WorkFolderTest() : out_((fs::temp_directory_path() / ("kb_work_" + std::to_string(::getpid()))).string()) {
    fs::remove_all(out_);
    fs::create_directories(out_);
  }
  ~WorkFolderTest() override { fs::remove_all(out_); }

  void put(const std::string& name, const std::string& text = "mine") const {
    fs::create_directories(fs::path(out_ + "/" + name).parent_path());
    write_file(out_ + "/" + name, text, "a file");
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(out_)) {
      if (!entry.is_directory() || entry.is_symlink()) names.push_back(fs::relative(entry.path(), out_).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  void expect_refused() const {
    const std::vector<std::string> before = files();
    try {
      const WorkFolder work(out_);
      ADD_FAILURE() << "was taken for kernbench's own";
    } catch (const Error& error) {
      EXPECT_EQ(error.family(), ErrorFamily::configuration);
      EXPECT_THAT(error.what(), HasSubstr(out_ + "/" + kFolder));
      EXPECT_THAT(error.what(), HasSubstr("--out"));
    }
    EXPECT_EQ(files(), before);
  }
  std::string out_;
};

TEST_F(WorkFolderTest, GoesWhenThereIsNothingToGoOnFrom) {
  for (const bool marked_only : {true, false}) {
    const WorkFolder work(out_);
    EXPECT_TRUE(fs::is_directory(out_ + "/" + kFolder));
    if (marked_only) continue;
    write_file(work.make_run_folder("p") + "/result.json", "{}", "a result");
    write_file(work.make_run_folder("q") + "/ops.sqlite-journal", "{}", "a journal");
    write_file(work.row_file("p"), "{}", "a row");
    work.remove_rows();
  }
  EXPECT_TRUE(fs::is_empty(out_));
}

TEST_F(WorkFolderTest, RowsStayForTheNextCallAndTheRestGoes) {
  { write_file(WorkFolder(out_).row_file("p"), "{}", "a row"); }
  EXPECT_THAT(files(), testing::SizeIs(2));
  // What a killed call leaves.
  put(std::string(kFolder) + "/run-p.4711/result.json");
  put(std::string(kFolder) + "/run-p.4711/result.json.tmp4711");
  put(std::string(kFolder) + "/run-p.4711/.ops.sqlite.abcdef");
  {
    const WorkFolder work(out_);
    EXPECT_EQ(read_file(work.row_file("p")), "{}");
    EXPECT_THAT(files(), testing::SizeIs(2));
    work.remove_rows();
  }
  EXPECT_TRUE(fs::is_empty(out_));
}

TEST_F(WorkFolderTest, WhatSomebodyElseMadeIsLeftAlone) {
  put("staging/keep.txt");
  put("figures.part/keep.txt");
  { const WorkFolder work(out_); }
  EXPECT_THAT(files(), ElementsAre("figures.part/keep.txt", "staging/keep.txt"));
  put(std::string(kFolder) + "/row-mine.json");
  expect_refused();
  put(std::string(kFolder) + "/made-by-kernbench.txt", "not by kernbench");
  expect_refused();
  fs::remove_all(out_ + "/" + kFolder);
  put(kFolder);
  expect_refused();
}

TEST_F(WorkFolderTest, ALinkIsNoFolder) {
  const std::string elsewhere = out_ + "/elsewhere";
  fs::create_directories(elsewhere);
  { write_file(WorkFolder(elsewhere).row_file("p"), "{}", "a row"); }
  fs::create_directory_symlink(elsewhere + "/" + kFolder, out_ + "/" + kFolder);
  expect_refused();
  fs::remove(out_ + "/" + kFolder);
  fs::create_symlink("nowhere", out_ + "/" + kFolder);
  expect_refused();
}

TEST_F(WorkFolderTest, StrangersInsideAndBehindLinksStay) {
  put("precious/result.json");
  put("precious/deep/result.json");
  {
    const WorkFolder work(out_);
    const std::string run = work.make_run_folder("p");
    put(std::string(kFolder) + "/note.txt");
    put(std::string(kFolder) + "/row-folder/x");
    write_file(run + "/result.json", "{}", "a result");
    write_file(run + "/thesis.tex", "mine", "a stranger");
    fs::create_directory_symlink("../../precious", run + "/log");
    fs::create_directory_symlink("../precious", out_ + "/" + kFolder + "/run-q.1");
    fs::create_symlink("../precious/result.json", out_ + "/" + kFolder + "/row-q.json");
    work.remove_run_folder("p");
    work.remove_rows();
    EXPECT_FALSE(fs::exists(run + "/result.json"));
    EXPECT_TRUE(fs::exists(run + "/thesis.tex"));
  }
  EXPECT_EQ(read_file(out_ + "/precious/result.json"), "mine");
  EXPECT_EQ(read_file(out_ + "/precious/deep/result.json"), "mine");
  EXPECT_EQ(read_file(out_ + "/" + kFolder + "/note.txt"), "mine");
  EXPECT_EQ(read_file(out_ + "/" + kFolder + "/row-folder/x"), "mine");
  EXPECT_NO_THROW(WorkFolder{out_});
}

// Killed between the folder and its mark.
TEST_F(WorkFolderTest, AnEmptyFolderIsTakenUp) {
  fs::create_directories(out_ + "/" + kFolder);
  put(std::string(kFolder) + "/made-by-kernbench.txt.tmp4711", "kernb");
  { const WorkFolder work(out_); }
  EXPECT_TRUE(fs::is_empty(out_));
}

TEST_F(WorkFolderTest, RemovedMeanwhileIsAnErrorAndNoCrash) {
  const WorkFolder work(out_);
  fs::remove_all(out_);
  EXPECT_THROW(work.make_run_folder("p"), Error);
  work.remove_run_folder("p");
  work.remove_rows();
  EXPECT_THROW(WorkFolder{out_}, Error);
}

}  // namespace
}  // namespace kb::evaluate
