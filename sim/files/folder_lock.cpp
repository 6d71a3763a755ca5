#include "sim/files/folder_lock.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "platform/base/error.h"
#include "platform/observe/output_file.h"

namespace kb::files {
namespace {

// The processes of points are forked from the one that has the lock, and live for a moment longer when that is killed:
// they must not keep the folder.
int g_directory = -1;

void let_go() {
  if (g_directory >= 0) ::close(g_directory);
  g_directory = -1;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder, bool create, const std::string& what) {
  if (create) observe::make_folder(folder);
  directory_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  static const int registered = ::pthread_atfork(nullptr, nullptr, let_go);
  if (directory_ < 0 || ::flock(directory_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    if (registered == 0) g_directory = directory_;
    return;
  }
  ::close(directory_);
  throw Error::configuration("another " + what + " is writing to " + folder +
                             "; wait until it has ended, or choose another folder with --out");
}

FolderLock::~FolderLock() {
  if (g_directory == directory_) g_directory = -1;
  if (directory_ >= 0) ::close(directory_);
}

}  // namespace kb::files
