#include "platform/observe/event_log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/glob.h"
#include "platform/base/nearest.h"
#include "platform/base/no_match.h"
#include "platform/base/printable.h"

namespace kb::observe {
namespace {

const std::vector<std::string>& level_names() {
  static const std::vector<std::string> names{"info", "debug"};  // in the order of LogLevel
  return names;
}

Error usage(const std::string& message) {
  return {ErrorFamily::configuration, "USAGE_ERROR", message};
}

// Writes to an output file, which appears when it is complete. Only one thread writes, so that no lock is needed.
class FileSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit FileSink(OutputFile& file) : file_(file) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    file_.write({line.data(), line.size()});
  }
  void flush_() override {}

  OutputFile& file_;
};

spdlog::sink_ptr make_sink(OutputFile* file) {
  if (file != nullptr) return std::make_shared<FileSink>(*file);
  return std::make_shared<spdlog::sinks::stderr_sink_st>();
}

}  // namespace

LogRequest parse_log_request(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  LogRequest request{text.substr(0, colon), contract::LogLevel::info};
  if (request.pattern.empty()) throw usage("--log needs PATTERN or PATTERN:LEVEL, not '" + text + "'");
  if (const std::size_t equals = text.find('='); equals != std::string::npos) {
    throw usage("--log " + text + ": the level stands after ':', not '='; write --log " + text.substr(0, equals) + ":" +
                text.substr(equals + 1));
  }
  if (colon == std::string::npos) return request;
  const std::string level = text.substr(colon + 1);
  const auto found = std::find(level_names().begin(), level_names().end(), level);
  if (found == level_names().end()) {
    throw usage("--log " + text + ": there is no level '" + level + "'; " + suggest(level, level_names()));
  }
  request.level = static_cast<contract::LogLevel>(found - level_names().begin());
  return request;
}

void check_log_requests(const std::vector<LogRequest>& requests, const std::vector<std::string>& blocks) {
  for (const LogRequest& request : requests) {
    const auto matches = [&](const std::string& block) { return glob_match(request.pattern, block); };
    if (std::any_of(blocks.begin(), blocks.end(), matches)) continue;
    std::string help = near_match(request.pattern, blocks);
    if (help.empty() && !blocks.empty()) {
      const std::string there_is = existing_names(request.pattern, blocks);
      help = there_is + (there_is.empty() ? "" : "; ") + "* stands for any characters, a block is named '" +
             blocks.front() + "'";
    }
    throw usage("--log '" + request.pattern + "' matches no block of this machine" + (help.empty() ? "" : "; " + help));
  }
}

// Only this file uses the logging library.
struct EventLog::Logger {
  explicit Logger(OutputFile* file) : log("kernbench", make_sink(file)) {
    log.set_pattern("%v");
    log.set_level(spdlog::level::debug);
    // A full disk ends the run, as for any other output file.
    log.set_error_handler(
        [](const std::string& text) { throw Error::configuration("the log cannot be written: " + text); });
  }
  spdlog::logger log;
};

EventLog::EventLog(std::vector<LogRequest> requests, OutputFile* file)
    : requests_(std::move(requests)), logger_(std::make_unique<Logger>(file)) {}

EventLog::~EventLog() = default;

std::optional<contract::LogLevel> EventLog::level_of(const std::string& block) {
  std::optional<contract::LogLevel> most;
  for (const LogRequest& request : requests_) {
    if (glob_match(request.pattern, block)) most = std::max(most.value_or(request.level), request.level);
  }
  return most;
}

void EventLog::write(contract::LogLevel level, TimeFs at, const std::string& block, const std::string& sentence) {
  const auto severity = level == contract::LogLevel::info ? spdlog::level::info : spdlog::level::debug;
  logger_->log.log(severity, "{:>7}.{:06} ns  {} {}", at / 1_ns, (at % 1_ns).fs(), block, printable_line(sentence));
}

void EventLog::warn(const std::string& sentence) {
  logger_->log.warn("warning: {}", printable_line(sentence));
}

}  // namespace kb::observe
