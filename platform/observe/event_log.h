// Log of block actions as readable lines of text (--log).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/contract/i_block_log.h"
#include "platform/observe/output_file.h"

namespace kb::observe {

// Which blocks are logged, and at which level.
struct LogRequest {
  std::string pattern;  // a glob over node ids
  contract::LogLevel level = contract::LogLevel::info;
};

// Parses "PATTERN" or "PATTERN:LEVEL"; usage Error with the nearest level.
LogRequest parse_log_request(const std::string& text);
// Usage Error when a pattern matches no block, with the nearest name or with the existing names and the form of a
// pattern.
void check_log_requests(const std::vector<LogRequest>& requests, const std::vector<std::string>& blocks);

// One line per sentence: simulated time, block, sentence. Lines are in the order in which blocks act.
class EventLog final : public contract::IBlockLog {
 public:
  // Writes to standard error immediately, or to `file`, which its owner commits.
  EventLog(std::vector<LogRequest> requests, OutputFile* file);
  ~EventLog() override;
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  std::optional<contract::LogLevel> level_of(const std::string& block) override;
  void write(contract::LogLevel level, TimeFs at, const std::string& block, const std::string& sentence) override;
  // Logs a warning of the simulation kernel.
  void warn(const std::string& sentence);

 private:
  struct Logger;
  std::vector<LogRequest> requests_;
  std::unique_ptr<Logger> logger_;
};

}  // namespace kb::observe
