#include "sim/study/files/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "platform/base/error.h"
#include "platform/observe/output_file.h"
#include "platform/topology/sha256.h"

namespace kb::files {
namespace {

constexpr const char* kEnding = ".journal";
constexpr std::size_t kSumDigits = 16;

std::string checksum(const std::string& text) {
  return topology::sha256_hex(text).substr(0, kSumDigits);
}

// Whether a program that removes files has taken this one, which was just created.
bool is_taken(int descriptor) {
  struct stat file {};
  return (::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
         (::fstat(descriptor, &file) == 0 && file.st_nlink == 0);
}

}  // namespace

Journal::Journal(std::string folder, std::string kept) : folder_(std::move(folder)), kept_(std::move(kept)) {}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Journal::fail(const char* what) const {
  throw Error::configuration(
      fmt::format("{} {}: {}; {} are kept, so make room or choose a writable place and give the same command again",
                  what, path_, std::strerror(errno), kept_));
}

// Names sort by time, and contain the writer, because several may share a folder.
std::string Journal::new_name(const std::string& folder, std::int64_t milliseconds) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{}/{:013d}-{}-{}{}", folder, milliseconds, host.data(), ::getpid(), kEnding);
}

std::int64_t Journal::now_in_milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t Journal::begun(const std::string& file) {
  constexpr std::size_t kDigits = 13;
  constexpr std::int64_t kMilliseconds = 1000;
  const std::string name = std::filesystem::path(file).filename().string();
  std::int64_t milliseconds = 0;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), milliseconds);
  return code == std::errc() && end == name.data() + kDigits ? milliseconds / kMilliseconds : 0;
}

// False when the name is taken.
bool Journal::create(std::int64_t milliseconds) {
  path_ = new_name(folder_, milliseconds);
  // Not write-only: network file systems lock for reading only what may be read.
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return errno != EEXIST;
  if (!is_taken(descriptor_)) return true;
  ::close(descriptor_);
  descriptor_ = -1;
  return false;
}

void Journal::open() {
  observe::make_folder(folder_);
  std::int64_t now = now_in_milliseconds();
  while (!create(now)) ++now;
  if (descriptor_ < 0) fail("cannot create");
}

void Journal::append(const std::string& key, const std::string& value) {
  if (descriptor_ < 0) open();
  const std::string line = Journal::line(key, value);
  ssize_t written = 0;
  do {
    written = ::write(descriptor_, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(line.size())) {
    end_ += written;
    return;
  }
  if (written >= 0) errno = ENOSPC;
  const int error = errno;
  if (::ftruncate(descriptor_, end_) != 0) {
    // The checksum shows that the line is incomplete.
  }
  errno = error;
  fail("cannot write to");
}

std::string Journal::line(const std::string& key, const std::string& value) {
  const std::string text = key + " " + value;
  return checksum(text) + " " + text + "\n";
}

std::size_t Journal::read_file(const std::string& file, const Take& take) {
  std::ifstream in(file, std::ios::binary);
  std::size_t damaged = 0;
  for (std::string line; std::getline(in, line);) {
    const std::string text = line.size() > kSumDigits ? line.substr(kSumDigits + 1) : "";
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || line.compare(0, kSumDigits, checksum(text)) != 0) {
      ++damaged;
      continue;
    }
    take(text.substr(0, space), text.substr(space + 1));
  }
  return damaged;
}

std::vector<std::string> Journal::files(const std::string& folder) {
  std::error_code ignored;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == kEnding && entry.is_regular_file(ignored)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void Journal::read(const std::string& folder, const Take& take) {
  for (const std::string& file : files(folder)) read_file(file, take);
}

}  // namespace kb::files
