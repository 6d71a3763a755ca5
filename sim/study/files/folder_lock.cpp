#include "sim/study/files/folder_lock.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "platform/base/error.h"
#include "platform/observe/output_file.h"

namespace kb::files {
namespace {

// The processes of points are forked from the process with the lock, and live slightly longer when it is killed: they
// must not keep the lock.
int g_directory = -1;

void let_go() {
  if (g_directory >= 0) ::close(g_directory);
  g_directory = -1;
}

// A process that was forked just before its parent was killed may still have the lock, so that one second is allowed
// for it. False: another process has the lock; also true where folders cannot be locked.
bool lock(int directory) {
  using namespace std::chrono_literals;
  for (int tries = 20; tries > 0; --tries) {
    if (::flock(directory, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
    std::this_thread::sleep_for(50ms);
  }
  return false;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder, bool create, const std::string& what, const std::string& remedy) {
  if (create) observe::make_folder(folder);
  directory_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  static const int registered = ::pthread_atfork(nullptr, nullptr, let_go);
  if (directory_ < 0 || lock(directory_)) {
    if (registered == 0) g_directory = directory_;
    return;
  }
  ::close(directory_);
  throw Error::configuration("another " + what + " is writing to " + folder + "; " + remedy);
}

FolderLock::~FolderLock() {
  if (g_directory == directory_) g_directory = -1;
  if (directory_ >= 0) ::close(directory_);
}

}  // namespace kb::files
