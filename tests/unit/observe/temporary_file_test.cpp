#include "platform/observe/temporary_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace kb::observe {
namespace {

namespace fs = std::filesystem;

class TemporaryFileTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / ("kb_temporary_" + std::to_string(::getpid()));
    fs::create_directories(path_);
    folder_ = ::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  }
  void TearDown() override {
    ::close(folder_);
    fs::remove_all(path_);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path_)) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
  void write(const std::string& name) const { std::ofstream(path_ / name) << "mine"; }
  // A process that dies with a file for `target`.
  void leave(const std::string& target) const {
    const pid_t child = ::fork();
    if (child == 0) {
      TemporaryFile file(folder_, target);
      ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
  }

  fs::path path_;
  int folder_ = -1;
};

TEST_F(TemporaryFileTest, HasANameOfItsOwnUntilItEnds) {
  {
    const TemporaryFile one(folder_, "a"), other(folder_, "a");
    EXPECT_NE(one.name(), other.name());
    EXPECT_TRUE(std::regex_match(one.name(), std::regex("\\.a\\.kernbench-[0-9a-f]{16}\\.tmp")));
    EXPECT_EQ(names().size(), 2u);
  }
  EXPECT_TRUE(names().empty());
}

TEST_F(TemporaryFileTest, FollowsTheUmask) {
  const mode_t before = ::umask(027);
  const TemporaryFile file(folder_, "a");
  ::umask(before);
  struct stat info {};
  ASSERT_EQ(::fstat(file.descriptor(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(TemporaryFileTest, ReleasedItStays) {
  {
    TemporaryFile file(folder_, "a");
    file.release();
    TemporaryFile::remove_all();
  }
  EXPECT_EQ(names().size(), 1u);
}

TEST_F(TemporaryFileTest, OnlyWhatDeadProcessesLeftForThisNameIsRemoved) {
  leave("a");
  leave("b");
  const TemporaryFile in_use(folder_, "a");
  const std::vector<std::string> others = {".a.kernbench-0123456789abcde.tmp", ".a.kernbench-0123456789abcdef.tmp~",
                                           ".a.kernbench-0123456789abcdeF.tmp", "a.kernbench-0123456789abcdef.tmp",
                                           ".aa.kernbench-0123456789abcdef.tmp"};
  for (const std::string& name : others) write(name);
  fs::create_symlink(others[0], path_ / ".a.kernbench-0000000000000000.tmp");
  fs::create_directory(path_ / ".a.kernbench-0000000000000001.tmp");
  const TemporaryFile file(folder_, "a");
  EXPECT_EQ(names().size(), others.size() + 5);  // the link, the folder, the other name's, the two in use
  EXPECT_TRUE(fs::exists(path_ / in_use.name()));
  const TemporaryFile last(folder_, "b");
  EXPECT_EQ(names().size(), others.size() + 5);
}

// The number of files that an interrupt removes has no limit, and a child of fork() has none of them.
TEST_F(TemporaryFileTest, AnInterruptRemovesThoseOfItsProcess) {
  std::vector<std::unique_ptr<TemporaryFile>> many;
  for (int i = 0; i < 100; ++i) many.push_back(std::make_unique<TemporaryFile>(folder_, std::to_string(i)));
  const pid_t child = ::fork();
  if (child == 0) {
    TemporaryFile::remove_all();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(names().size(), 100u);
  TemporaryFile::remove_all();
  EXPECT_TRUE(names().empty());
}

TEST_F(TemporaryFileTest, LongNamesAreCutBetweenCharacters) {
  const std::string ascii(220, 'a');  // 223 bytes have room
  std::string target = ascii;
  while (target.size() < 254) target += "\xc3\xa4";
  leave(target);
  const TemporaryFile file(folder_, target);
  EXPECT_EQ(file.name().rfind("." + ascii + "\xc3\xa4.kernbench-", 0), 0u) << file.name();
  EXPECT_EQ(names(), std::vector<std::string>{file.name()});
}

}  // namespace
}  // namespace kb::observe
