#include "platform/observe/target_path.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace kb::observe {
namespace {

namespace fs = std::filesystem;
using Kind = TargetPath::Kind;

class TargetPathTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("kb_target_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "d");
    std::ofstream(folder_ / "file") << "x";
    fs::create_symlink("file", folder_ / "link");
    fs::create_symlink("link", folder_ / "link2");
    fs::create_symlink("d/absent", folder_ / "dangling");
    fs::create_symlink("circle", folder_ / "circle");
    fs::create_symlink("d", folder_ / "to_d");
    fs::create_hard_link(folder_ / "file", folder_ / "hard");
    ::mkfifo((folder_ / "pipe").c_str(), 0600);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

TEST_F(TargetPathTest, LinksOfTheNameAreFollowed) {
  for (const char* name : {"file", "link", "link2"}) {
    const TargetPath target = resolve_target(path(name));
    EXPECT_EQ(target.path, path("file"));
    EXPECT_EQ(target.kind, Kind::file);
  }
  EXPECT_EQ(resolve_target(path("dangling")).path, path("d/absent"));
  EXPECT_EQ(resolve_target(path("dangling")).kind, Kind::file);
  EXPECT_EQ(resolve_target(path("to_d")).kind, Kind::folder);
  EXPECT_THROW(resolve_target(path("circle")), std::system_error);
}

TEST_F(TargetPathTest, WhatIsNoFileIsWrittenDirectly) {
  EXPECT_EQ(resolve_target(path("pipe")).kind, Kind::direct);
  EXPECT_EQ(resolve_target("/dev/null").kind, Kind::direct);
  EXPECT_EQ(resolve_target("/dev/null").own_descriptor, -1);
  for (const std::string file : {"/dev/fd/1", "/proc/self/fd/1", "/dev/stdout"}) {
    if (!fs::exists(file)) continue;
    EXPECT_EQ(resolve_target(file).kind, Kind::direct) << file;
    EXPECT_EQ(resolve_target(file).own_descriptor, 1) << file;
  }
}

TEST_F(TargetPathTest, OneFileByManyNames) {
  const auto same = [&](const char* a, const char* b) { return same_file(path(a), path(b)); };
  EXPECT_TRUE(same("file", "./file"));
  EXPECT_TRUE(same("file", "link2"));
  EXPECT_TRUE(same("file", "hard"));
  EXPECT_TRUE(same("new", "d/../new"));
  EXPECT_TRUE(same("new", "no/../new"));
  EXPECT_TRUE(same("d/new", "to_d/new"));
  EXPECT_TRUE(same("d/absent", "dangling"));
  EXPECT_TRUE(same("to_d/absent", "dangling"));
  EXPECT_TRUE(same("no/folder/new", "no//folder/./new"));
  EXPECT_TRUE(same("pipe", "pipe"));
  EXPECT_FALSE(same("file", "new"));
  EXPECT_FALSE(same("new", "d/new"));
  EXPECT_FALSE(same("circle", "new"));
  EXPECT_FALSE(same_file("/dev/null", "/dev/null"));
  EXPECT_TRUE(same_file("surely_absent", fs::current_path().string() + "/surely_absent"));
}

}  // namespace
}  // namespace kb::observe
