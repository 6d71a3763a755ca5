#include "platform/data/op_log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "platform/base/error.h"
#include "platform/data/op_log_sqlite.h"

namespace kb::data {

std::unique_ptr<IOpSink> open_op_log(const std::string& path, OpLog::Options options) {
  for (const std::string_view ending : {".sqlite", ".sqlite3", ".db"}) {
    if (path.size() >= ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0) {
      return std::make_unique<OpLogSqlite>(path, std::move(options));
    }
  }
  return std::make_unique<OpLog>(path, std::move(options));
}

OpLogFile::OpLogFile(std::string path, Target target) : path_(std::move(path)) {
  struct stat info {};
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  const bool regular = !exists || S_ISREG(info.st_mode);
  if (exists && S_ISDIR(info.st_mode)) {
    throw Error::configuration("cannot write the operation log to " + path_ + ": it is a folder; name a file");
  }
  if (!regular && target == Target::regular_file) {
    throw Error::configuration("cannot write the operation log to " + path_ +
                               ": a database has to be a regular file, and this is a pipe or a device");
  }
  part_ = regular ? path_ + ".part" : path_;
  file_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) {
    throw Error::configuration("cannot write the operation log to " + path_ + ": " + std::strerror(errno) +
                               "; name a file in an existing, writable folder");
  }
  open_ = true;
}

OpLogFile::~OpLogFile() {
  discard();
}

void OpLogFile::commit() {
  if (::close(std::exchange(file_, -1)) != 0) fail("close", errno);
  if (part_ != path_ && std::rename(part_.c_str(), path_.c_str()) != 0) fail("rename", errno);
  open_ = false;
}

void OpLogFile::discard() {
  if (!std::exchange(open_, false)) return;
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  if (part_ != path_) ::unlink(part_.c_str());
}

void OpLogFile::fail(std::string_view doing, int error_number) {
  fail(doing, std::strerror(error_number));
}

void OpLogFile::fail(std::string_view doing, std::string_view reason) {
  discard();
  throw Error(ErrorFamily::configuration, "OPLOG_WRITE",
              fmt::format("cannot {} the operation log {}: {}; choose a writable place with enough room", doing, path_,
                          reason));
}

}  // namespace kb::data
