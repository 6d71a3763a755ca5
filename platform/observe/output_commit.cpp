// Commit of several output files together.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "platform/base/error.h"
#include "platform/observe/output_file.h"
#include "platform/observe/signal_block.h"

namespace kb::observe {
namespace {

constexpr int kAttempts = 100;  // in case another process creates and removes the target all the time

std::atomic<bool> g_committed{false};  // signal handlers read it

// The file system or the kernel supports only plain renaming.
bool not_supported(int error_number) {
  return error_number == EINVAL || error_number == ENOSYS || error_number == EOPNOTSUPP;
}

}  // namespace

// Exchanges an older file with the new one, so that it can be restored.
int OutputFile::put_in_place() noexcept {
  if (!temporary_ || appeared_) return 0;
  const char* const from = temporary_->name().c_str();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (::renameat2(folder_, from, folder_, name_.c_str(), RENAME_NOREPLACE) == 0) {
      place_ = Place::new_name;
      return 0;
    }
    if (not_supported(errno)) return replace();
    if (errno != EEXIST) return errno;
    struct stat info {};
    if (::fstatat(folder_, name_.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode)) return EISDIR;
    replaced_ = ::openat(folder_, name_.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
    if (replaced_ >= 0) ::flock(replaced_, LOCK_SH | LOCK_NB);
    if (::renameat2(folder_, from, folder_, name_.c_str(), RENAME_EXCHANGE) == 0) {
      place_ = Place::exchanged;
      return 0;
    }
    const int error_number = errno;
    if (replaced_ >= 0) ::close(std::exchange(replaced_, -1));
    if (not_supported(error_number)) return replace();
    if (error_number != ENOENT) return error_number;
  }
  return EBUSY;
}

int OutputFile::replace() noexcept {
  const bool was_there = ::faccessat(folder_, name_.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  if (::renameat(folder_, temporary_->name().c_str(), folder_, name_.c_str()) != 0) return errno;
  place_ = was_there ? Place::replaced : Place::new_name;
  return 0;
}

bool OutputFile::take_back() noexcept {
  const Place place = std::exchange(place_, Place::not_yet);
  if (place == Place::not_yet) return true;
  const char* const from = temporary_->name().c_str();
  const bool back =
      (place == Place::new_name && ::unlinkat(folder_, name_.c_str(), 0) == 0) ||
      (place == Place::exchanged && ::renameat2(folder_, from, folder_, name_.c_str(), RENAME_EXCHANGE) == 0);
  if (!back) temporary_->release();  // the name may now refer to the older file
  return back;
}

void OutputFile::keep_final_name() noexcept {
  if (temporary_ && place_ == Place::exchanged) temporary_->remove();
  if (temporary_) temporary_->release();
  discard();
}

void commit_together(const std::vector<OutputFile*>& files) {
  for (OutputFile* const file : files) file->complete();
  const SignalBlock block;
  for (std::size_t i = files.size(); i-- > 0;) {
    const int error_number = files[i]->put_in_place();
    if (error_number == 0) continue;
    std::string staying;
    for (std::size_t j = i + 1; j < files.size(); ++j) {
      if (!files[j]->take_back()) staying += (staying.empty() ? "" : ", ") + files[j]->path();
    }
    std::string reason = std::strerror(error_number);
    if (!staying.empty()) reason += " (already replaced, and not to be taken back: " + staying + ")";
    for (OutputFile* const file : files) {
      if (file != files[i]) file->discard();
    }
    files[i]->fail("rename", reason);
  }
  for (OutputFile* const file : files) file->keep_final_name();
  g_committed = g_committed || !files.empty();
}

bool results_committed() noexcept {
  return g_committed;
}

}  // namespace kb::observe
