#include "platform/data/op_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "platform/base/error.h"
#include "platform/data/op_log_format.h"

namespace kb::data {
namespace {
constexpr std::size_t kFlushBytes = 1 << 20;
constexpr std::string_view kHeader = "seq\tid\tt_start_ns\tt_end_ns\tcomponent\top_kind\top_name\tparams\n";
}  // namespace

OpLog::OpLog(std::string path, Options options) : path_(std::move(path)), options_(std::move(options)) {
  struct stat info {};
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    throw Error::configuration("cannot write the operation log to " + path_ + ": it is a folder; name a file");
  }
  part_ = exists && !S_ISREG(info.st_mode) ? path_ : path_ + ".part";
  file_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) {
    throw Error::configuration("cannot write the operation log to " + path_ + ": " + std::strerror(errno) +
                               "; name a file in an existing, writable folder");
  }
  buffer_.append(kHeader);
}

OpLog::~OpLog() {
  discard();
}

void OpLog::record(std::uint64_t sequence, const OpRecord& record) {
  if (file_ < 0) throw Error::model("operation log: a record after finish()");
  format_row(buffer_, sequence, record, options_);
  if (buffer_.size() >= kFlushBytes) flush();
}

void OpLog::flush() {
  const char* data = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t written = ::write(file_, data, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("write", written < 0 ? errno : ENOSPC);
    data += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void OpLog::finish() {
  if (file_ < 0) return;
  flush();
  if (::close(std::exchange(file_, -1)) != 0) {
    const int error = errno;
    if (part_ != path_) ::unlink(part_.c_str());
    fail("close", error);
  }
  if (part_ != path_ && std::rename(part_.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    ::unlink(part_.c_str());
    fail("rename", error);
  }
}

void OpLog::discard() {
  if (file_ < 0) return;
  ::close(std::exchange(file_, -1));
  if (part_ != path_) ::unlink(part_.c_str());
}

void OpLog::fail(std::string_view doing, int error) {
  discard();
  throw Error(ErrorFamily::configuration, "OPLOG_WRITE",
              fmt::format("cannot {} the operation log {}: {}; choose a writable place with enough room", doing, path_,
                          std::strerror(error)));
}

}  // namespace kb::data
