#include "platform/data/op_log.h"

#include <utility>

#include "platform/base/error.h"
#include "platform/data/op_log_format.h"

namespace kb::data {
namespace {
constexpr std::size_t kFlushBytes = 1 << 20;
constexpr std::string_view kHeader = "seq\tid\tt_start_ns\tt_end_ns\tcomponent\top_kind\top_name\tparams\n";
}  // namespace

OpLog::OpLog(observe::OutputFile& file, Options options) : options_(std::move(options)), file_(file) {
  buffer_.append(kHeader);
}

void OpLog::record(std::uint64_t sequence, const OpRecord& record) {
  if (!file_.writable()) throw Error::model("operation log: a record after finish()");
  format_row(buffer_, sequence, record, options_);
  if (buffer_.size() >= kFlushBytes) flush();
}

void OpLog::flush() {
  file_.write({buffer_.data(), buffer_.size()});
  buffer_.clear();
}

void OpLog::finish() {
  if (!file_.writable()) return;
  flush();
  file_.complete();
}

}  // namespace kb::data
