#include "sim/files/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "platform/base/error.h"
#include "platform/observe/output_file.h"

namespace kb::files {

FolderLock::FolderLock(const std::string& folder, bool create, const std::string& what) {
  if (create) observe::make_folder(folder);
  directory_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory_ < 0 || ::flock(directory_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(directory_);
  throw Error::configuration("another " + what + " is writing to " + folder +
                             "; wait until it has ended, or choose another folder with --out");
}

FolderLock::~FolderLock() {
  if (directory_ >= 0) ::close(directory_);
}

}  // namespace kb::files
