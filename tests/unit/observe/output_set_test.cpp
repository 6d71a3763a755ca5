#include "platform/observe/output_set.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "platform/base/error.h"

namespace kb::observe {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputSetTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("kb_set_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  std::string error_of_commit(OutputSet& set) const {
    try {
      set.commit();
    } catch (const Error& error) {
      EXPECT_EQ(error.family(), ErrorFamily::configuration);
      EXPECT_EQ(error.code(), "OUTPUT_WRITE");
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(OutputSetTest, AllAppearAtOnce) {
  OutputSet set;
  EXPECT_TRUE(set.empty());
  write("b", "old");
  for (const char* name : {"a", "b", "c"}) set.add(path(name), "a file").write(name);
  EXPECT_FALSE(fs::exists(path("a")));
  EXPECT_EQ(read("b"), "old");
  set.commit();
  EXPECT_TRUE(results_committed());
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(read(name), name);
  EXPECT_EQ(files(), 3u);
}

// The first file is put in place last; there is a folder by then.
TEST_F(OutputSetTest, AFileThatCannotBePutInPlaceTakesTheOthersBack) {
  write("b", "old");
  {
    OutputSet set;
    for (const char* name : {"a", "b", "c"}) set.add(path(name), "a file").write(name);
    fs::create_directory(path("a"));
    EXPECT_THAT(error_of_commit(set), HasSubstr("cannot rename a file '" + path("a") + "': Is a directory"));
  }
  EXPECT_EQ(read("b"), "old");
  EXPECT_EQ(files(), 2u);
}

TEST_F(OutputSetTest, AFileThatCannotBeCompletedLeavesNone) {
  {
    OutputSet set;
    set.add(path("a"), "a file").write("a");
    EXPECT_THROW(set.add("/dev/full", "the log").write("b"), Error);
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputSetTest, ATargetThatComesOrGoesMeanwhileIsReplaced) {
  write("b", "old");
  OutputSet set;
  for (const char* name : {"a", "b"}) set.add(path(name), "a file").write(name);
  write("a", "new and foreign");
  fs::remove(path("b"));
  set.commit();
  EXPECT_EQ(read("a") + read("b"), "ab");
  EXPECT_EQ(files(), 2u);
}

TEST_F(OutputSetTest, TheWorkingFolderMayChange) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  OutputSet set;
  OutputFile& file = set.add("a", "a file");
  fs::current_path(before);
  file.write("a");
  EXPECT_TRUE(fs::exists(file.working_path()));
  set.commit();
  EXPECT_EQ(read("a"), "a");
}

TEST_F(OutputSetTest, ADatabaseIsARegularFile) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  OutputSet set;
  for (const std::string& target : {path("pipe"), std::string("/dev/null"), std::string("/proc/self/fd/1")}) {
    EXPECT_THROW(set.add(target, "the log", OutputFile::Target::regular_file), Error) << target;
  }
  EXPECT_TRUE(fs::exists(path("pipe")));
}

}  // namespace
}  // namespace kb::observe
