#include "platform/observe/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "platform/base/error.h"
#include "platform/observe/signal_block.h"
#include "platform/observe/target_path.h"

namespace kb::observe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy = "; choose a writable place with enough room";

// Returns errno; 0 = everything was written.
int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0) {
      return ENOSPC;
    } else if (errno == EAGAIN) {  // another process has made the shared open file non-blocking
      pollfd ready{file, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

OutputFile::OutputFile(std::string path, std::string purpose, Target target)
    : path_(std::move(path)), purpose_(std::move(purpose)) {
  try {
    const TargetPath resolved = resolve_target(path_);
    if (resolved.kind == TargetPath::Kind::folder) refuse("create", "it is a folder; name a file");
    if (resolved.kind == TargetPath::Kind::direct && target == Target::regular_file) {
      refuse("create", "it has to be a regular file, and this is a pipe or a device");
    }
    if (resolved.kind == TargetPath::Kind::direct) {
      open_directly(resolved.path, resolved.own_descriptor);
    } else {
      open_beside(resolved.path);
    }
  } catch (const std::system_error& error) {
    discard();
    refuse("create", std::strerror(error.code().value()) + std::string(kRemedy));
  }
  writable_ = true;
}

OutputFile::~OutputFile() {
  discard();
}

void OutputFile::open_directly(const std::string& path, int own_descriptor) {
  if (own_descriptor >= 0) {  // keeps its position, and needs no permission to open it again
    const int flags = ::fcntl(own_descriptor, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) throw std::system_error(EBADF, std::generic_category());
    direct_ = ::fcntl(own_descriptor, F_DUPFD_CLOEXEC, 0);
  } else {
    direct_ = ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  }
  if (direct_ < 0) throw std::system_error(errno, std::generic_category());
}

void OutputFile::open_beside(const std::string& path) {
  const fs::path target(path);
  name_ = target.filename().string();
  if (name_.empty()) throw std::system_error(path.empty() ? ENOENT : EISDIR, std::generic_category());
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  folder_ = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) throw std::system_error(errno, std::generic_category());
  folder_path_ = fs::absolute(folder).string();
  temporary_ = std::make_unique<TemporaryFile>(folder_, name_);
}

std::string OutputFile::working_path() const {
  return folder_path_ + "/" + temporary_->name();
}

void OutputFile::write(std::string_view bytes) {
  const int error_number = write_all(temporary_ ? temporary_->descriptor() : direct_, bytes);
  if (error_number != 0) fail("write", std::strerror(error_number));
}

void OutputFile::appear() {
  if (appeared_ || !temporary_) return;
  const SignalBlock block;
  if (::renameat(folder_, temporary_->name().c_str(), folder_, name_.c_str()) != 0) {
    fail("rename", std::strerror(errno));
  }
  temporary_->keep();
  appeared_ = true;
}

std::unique_ptr<TemporaryFile> OutputFile::begin_new_file() {
  std::unique_ptr<TemporaryFile> before = std::move(temporary_);
  try {
    temporary_ = std::make_unique<TemporaryFile>(folder_, name_);
  } catch (const std::system_error& error) {
    fail("create", std::strerror(error.code().value()));
  }
  appeared_ = false;
  return before;
}

// Closing a copy of the descriptor reports deferred errors, while the file stays locked.
void OutputFile::complete() {
  if (!std::exchange(writable_, false)) return;
  const int closed = temporary_ ? ::fcntl(temporary_->descriptor(), F_DUPFD_CLOEXEC, 0) : std::exchange(direct_, -1);
  if (closed < 0 || ::close(closed) != 0) fail("write", std::strerror(errno));
}

void OutputFile::commit() {
  commit_together({this});
}

void OutputFile::refuse(const std::string& doing, const std::string& reason) const {
  throw Error::configuration("cannot " + doing + " " + purpose_ + " '" + path_ + "': " + reason);
}

void OutputFile::fail(std::string_view doing, std::string_view reason) {
  discard();
  throw Error(ErrorFamily::configuration, "OUTPUT_WRITE",
              "cannot " + std::string(doing) + " " + purpose_ + " '" + path_ + "': " + std::string(reason) + kRemedy);
}

void OutputFile::discard() noexcept {
  writable_ = false;
  temporary_.reset();
  for (int* const file : {&direct_, &replaced_, &folder_}) {
    if (*file >= 0) ::close(std::exchange(*file, -1));
  }
}

void make_folder(const std::string& path, const std::string& option) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && fs::is_directory(path, error)) return;
  const std::string reason = error ? error.message() : "a file of this name exists";
  throw Error::configuration("cannot create the output folder '" + path + "': " + reason +
                             "; choose a writable one with " + option);
}

}  // namespace kb::observe
