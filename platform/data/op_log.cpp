#include "platform/data/op_log.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "platform/base/error.h"
#include "platform/data/op_log_file.h"
#include "platform/data/op_log_format.h"

namespace kb::data {
namespace {
constexpr std::size_t kFlushBytes = 1 << 20;
constexpr std::string_view kHeader = "seq\tid\tt_start_ns\tt_end_ns\tcomponent\top_kind\top_name\tparams\n";
}  // namespace

OpLog::OpLog(std::string path, Options options)
    : options_(std::move(options)), file_(std::make_unique<OpLogFile>(std::move(path), OpLogFile::Target::any)) {
  buffer_.append(kHeader);
}

OpLog::~OpLog() = default;

const std::string& OpLog::path() const {
  return file_->path();
}

void OpLog::record(std::uint64_t sequence, const OpRecord& record) {
  if (!file_->open()) throw Error::model("operation log: a record after finish()");
  format_row(buffer_, sequence, record, options_);
  if (buffer_.size() >= kFlushBytes) flush();
}

void OpLog::flush() {
  const char* data = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t written = ::write(file_->descriptor(), data, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) file_->fail("write", written < 0 ? errno : ENOSPC);
    data += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void OpLog::finish() {
  if (!file_->open()) return;
  flush();
  file_->commit();
}

}  // namespace kb::data
