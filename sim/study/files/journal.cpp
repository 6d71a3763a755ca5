#include "sim/study/files/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
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

std::string line_of(const std::string& key, const std::string& value) {
  const std::string text = key + " " + value;
  return checksum(text) + " " + text + "\n";
}

void read_lines(const std::filesystem::path& file, const Journal::Take& take) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  while (std::getline(in, line)) {
    if (line.size() <= kSumDigits + 1) continue;
    const std::string text = line.substr(kSumDigits + 1);
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || line.compare(0, kSumDigits, checksum(text)) != 0) continue;
    take(text.substr(0, space), text.substr(space + 1));
  }
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
void Journal::open() {
  observe::make_folder(folder_);
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  auto now = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  do {
    path_ = fmt::format("{}/{:013d}-{}-{}{}", folder_, now.count(), host.data(), ::getpid(), kEnding);
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    ++now;
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) fail("cannot create");
}

void Journal::append(const std::string& key, const std::string& value) {
  if (descriptor_ < 0) open();
  const std::string line = line_of(key, value);
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

void Journal::read(const std::string& folder, const Take& take) {
  std::error_code ignored;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == kEnding && entry.is_regular_file(ignored)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) read_lines(file, take);
}

}  // namespace kb::files
