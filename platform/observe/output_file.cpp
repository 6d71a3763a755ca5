#include "platform/observe/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "platform/base/error.h"

namespace kb::observe {
namespace {

constexpr int kSlots = 16;
constexpr std::size_t kPathBytes = 4096;

// A fixed table, because a signal handler may not touch the heap.
struct Slot {
  std::atomic<bool> used{false};
  std::atomic<bool> ready{false};
  char path[kPathBytes] = {};
};
Slot g_slots[kSlots];

int remember(const std::string& path) {
  if (path.size() >= kPathBytes) return -1;
  for (int i = 0; i < kSlots; ++i) {
    if (g_slots[i].used.exchange(true)) continue;
    std::memcpy(g_slots[i].path, path.c_str(), path.size() + 1);
    g_slots[i].ready = true;
    return i;
  }
  return -1;
}

void forget(int slot) {
  if (slot < 0) return;
  g_slots[slot].ready = false;
  g_slots[slot].used = false;
}

bool exists_but_not_regular(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

}  // namespace

OutputFile::OutputFile(std::string path, std::string purpose) : path_(std::move(path)), purpose_(std::move(purpose)) {
  direct_ = exists_but_not_regular(path_);
  temporary_ = direct_ ? path_ : path_ + ".tmp" + std::to_string(::getpid());
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) fail("create", EISDIR);
  stream_ = std::fopen(temporary_.c_str(), "wb");
  if (stream_ == nullptr) fail("create", errno);
  if (!direct_) slot_ = remember(temporary_);
}

OutputFile::~OutputFile() {
  discard();
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_) == bytes.size()) return;
  const int error_number = errno;
  discard();
  fail("write", error_number);
}

void OutputFile::commit() {
  int error_number = 0;
  if (stream_ != nullptr) {
    if (std::fflush(stream_) != 0) error_number = errno;
    if (std::fclose(stream_) != 0 && error_number == 0) error_number = errno;
    stream_ = nullptr;
  }
  if (error_number == 0 && !direct_ && std::rename(temporary_.c_str(), path_.c_str()) != 0) error_number = errno;
  if (error_number != 0) {
    discard();
    fail("write", error_number);
  }
  forget(slot_);
  slot_ = -1;
  temporary_.clear();
}

void OutputFile::remove_temporaries() noexcept {
  for (const Slot& slot : g_slots) {
    if (slot.ready) ::unlink(slot.path);
  }
}

void OutputFile::fail(const std::string& action, int error_number) const {
  throw Error::configuration("cannot " + action + " " + purpose_ + " '" + path_ + "': " + std::strerror(error_number) +
                             "; choose a writable place with enough room");
}

void OutputFile::discard() noexcept {
  if (stream_ != nullptr) std::fclose(stream_);
  stream_ = nullptr;
  if (!direct_ && !temporary_.empty()) ::unlink(temporary_.c_str());
  forget(slot_);
  slot_ = -1;
  temporary_.clear();
}

TemporaryGuard::TemporaryGuard(const std::string& path) : slot_(remember(path)) {}
TemporaryGuard::~TemporaryGuard() {
  forget(slot_);
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && std::filesystem::is_directory(path, error)) return;
  const std::string reason = error ? error.message() : "a file of this name exists";
  throw Error::configuration("cannot create the output folder '" + path + "': " + reason +
                             "; choose a writable one with --out");
}

}  // namespace kb::observe
