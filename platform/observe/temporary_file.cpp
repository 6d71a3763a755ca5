#include "platform/observe/temporary_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "platform/observe/signal_block.h"

namespace kb::observe {

// Entries are reused and never freed, because a signal handler may iterate over them at any time. A forked child owns
// none.
struct TemporaryFile::Entry {
  std::atomic<pid_t> owner{0};  // 0 = free; the members below change only while it is 0
  int folder = -1;
  std::string name;
  Entry* next = nullptr;
};

namespace {

constexpr std::string_view kMark = ".kernbench-";
constexpr std::string_view kEnding = ".tmp";
constexpr std::size_t kDigits = 16;
constexpr std::size_t kUsualNameBytes = 255;
constexpr int kAttempts = 100;

// The name before the digits. A long target name is cut at a UTF-8 character boundary to leave room for them.
std::string stem_of(int folder, const std::string& target_name) {
  const long limit = ::fpathconf(folder, _PC_NAME_MAX);
  const std::size_t most = limit > 0 ? static_cast<std::size_t>(limit) : kUsualNameBytes;
  const std::size_t added = 1 + kMark.size() + kDigits + kEnding.size();
  std::size_t length = std::min(target_name.size(), most > added ? most - added : 0);
  if (length < target_name.size()) {
    while (length > 0 && (static_cast<unsigned char>(target_name[length]) & 0xc0) == 0x80) --length;
  }
  return "." + target_name.substr(0, length) + std::string(kMark);
}

std::string digits() {
  std::uint64_t value = 0;
  if (::getrandom(&value, sizeof value, 0) != sizeof value) {
    value = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
            (static_cast<std::uint64_t>(::getpid()) << 40);
  }
  char text[kDigits + 1];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

bool matches(std::string_view name, std::string_view stem) {
  if (name.size() != stem.size() + kDigits + kEnding.size() || name.substr(0, stem.size()) != stem) return false;
  const std::string_view random = name.substr(stem.size(), kDigits);
  return random.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         name.substr(stem.size() + kDigits) == kEnding;
}

// Removes a file only if no process has locked it. It is locked during the removal, so that its creator, which locks it
// after creation, notices (TemporaryFile::create()).
void remove_if_dead(int folder, const char* name) {
  constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  int file = ::openat(folder, name, O_RDWR | kFlags);  // network file systems lock only files that are open for writing
  if (file < 0 && errno == EACCES) file = ::openat(folder, name, O_RDONLY | kFlags);
  if (file < 0) return;
  struct stat info {};
  if (::fstat(file, &info) == 0 && S_ISREG(info.st_mode) && ::flock(file, LOCK_EX | LOCK_NB) == 0) {
    ::unlinkat(folder, name, 0);
  }
  ::close(file);
}

void remove_leftovers(int folder, const std::string& stem) {
  const int listed = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listed < 0) return;  // the folder is writable but not readable
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(listed), ::closedir);
  if (!entries) {
    ::close(listed);
    return;
  }
  while (const dirent* entry = ::readdir(entries.get())) {
    if (matches(entry->d_name, stem)) remove_if_dead(folder, entry->d_name);
  }
}

}  // namespace

std::atomic<TemporaryFile::Entry*> TemporaryFile::entries_{nullptr};

TemporaryFile::Entry* TemporaryFile::free_entry() {
  for (auto* entry = entries_.load(); entry != nullptr; entry = entry->next) {
    if (entry->owner != ::getpid()) return entry;
  }
  auto* const entry = new Entry;
  entry->next = entries_.load();
  entries_ = entry;
  return entry;
}

TemporaryFile::TemporaryFile(int folder, const std::string& target_name) : folder_(folder) {
  const std::string stem = stem_of(folder, target_name);
  remove_leftovers(folder, stem);
  const SignalBlock block;  // the file must be registered as soon as it exists
  entry_ = free_entry();
  entry_->owner = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (!create(stem)) continue;
    entry_->folder = folder_;
    entry_->name = name_;
    entry_->owner = ::getpid();
    return;
  }
  throw std::system_error(EEXIST, std::generic_category());
}

// Returns false when the name is taken, or when another process removes the file before it is locked.
bool TemporaryFile::create(const std::string& stem) {
  name_ = stem + digits() + std::string(kEnding);
  file_ = ::openat(folder_, name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file_ < 0 && errno == EEXIST) return false;
  if (file_ < 0) throw std::system_error(errno, std::generic_category());
  struct stat info {};
  const bool seen = ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!seen && ::fstat(file_, &info) == 0 && info.st_nlink > 0) return true;
  ::close(std::exchange(file_, -1));
  return false;
}

TemporaryFile::~TemporaryFile() {
  entry_ != nullptr ? remove() : release();
}

void TemporaryFile::remove() noexcept {
  const SignalBlock block;
  if (entry_ != nullptr) ::unlinkat(folder_, name_.c_str(), 0);
  release();
}

void TemporaryFile::release() noexcept {
  keep();
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

void TemporaryFile::keep() noexcept {
  if (entry_ != nullptr) std::exchange(entry_, nullptr)->owner = 0;
}

void TemporaryFile::remove_all() noexcept {
  const pid_t self = ::getpid();
  for (auto* entry = entries_.load(); entry != nullptr; entry = entry->next) {
    if (entry->owner == self) ::unlinkat(entry->folder, entry->name.c_str(), 0);
  }
}

}  // namespace kb::observe
