// One command at a time writes into an output folder.
#include "sim/study/files/folder_lock.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "platform/base/error.h"

namespace kb::files {
namespace {

class FolderLockTest : public testing::Test {
 protected:
  FolderLockTest() { EXPECT_NE(::mkdtemp(folder_.data()), nullptr); }
  ~FolderLockTest() override { std::filesystem::remove_all(folder_); }

  std::string folder_ = testing::TempDir() + "kb_lock_XXXXXX";
};

TEST_F(FolderLockTest, KeepsAnotherOneOut) {
  std::optional<FolderLock> lock(std::in_place, folder_, true, "sweep");
  try {
    const FolderLock other(folder_, true, "sweep");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    EXPECT_THAT(error.what(), testing::HasSubstr("another sweep is writing to " + folder_));
  }
  lock.reset();
  const FolderLock next(folder_, true, "sweep");
}

// The point of a sweep that is killed lives for a moment longer than the sweep.
TEST_F(FolderLockTest, AForkedProcessDoesNotKeepIt) {
  std::optional<FolderLock> lock(std::in_place, folder_, true, "sweep");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  lock.reset();
  EXPECT_NO_THROW(FolderLock(folder_, true, "sweep"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (const int end : ready) ::close(end);
}

}  // namespace
}  // namespace kb::files
