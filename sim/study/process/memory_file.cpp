#include "sim/study/process/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "platform/base/error.h"

namespace kb::sim {
namespace {

[[noreturn]] void fail(const char* action) {
  throw Error::configuration(std::string("cannot ") + action + " a file in memory: " + std::strerror(errno));
}

}  // namespace

MemoryFile::MemoryFile() : descriptor_(::memfd_create("kernbench", MFD_CLOEXEC)) {
  if (descriptor_ < 0) fail("create");
  if (descriptor_ > STDERR_FILENO) return;
  const int low = descriptor_;  // the caller has closed a standard descriptor, but child processes write to it
  descriptor_ = ::fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error_number = errno;
  ::close(low);
  errno = error_number;
  if (descriptor_ < 0) fail("create");
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

void MemoryFile::write(std::string_view text) {
  struct stat info {};
  if (::fstat(descriptor_, &info) != 0) fail("write");
  off_t at = info.st_size;
  while (!text.empty()) {
    const ssize_t written = ::pwrite(descriptor_, text.data(), text.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("write");
    text.remove_prefix(static_cast<std::size_t>(written));
    at += written;
  }
}

std::string MemoryFile::contents() const {
  struct stat info {};
  if (::fstat(descriptor_, &info) != 0) fail("read");
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t got = ::pread(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("read");
    done += static_cast<std::size_t>(got);
  }
  return text;
}

}  // namespace kb::sim
