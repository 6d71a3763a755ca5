// What blocks do, as lines of text that an engineer can follow (--log).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/contract/i_block_log.h"
#include "platform/observe/output_file.h"

namespace kb::observe {

// Which blocks, and how much of each.
struct LogRequest {
  std::string pattern;  // a glob over node ids
  contract::LogLevel level = contract::LogLevel::info;
};

// "PATTERN" or "PATTERN:LEVEL"; usage Error with the nearest level.
LogRequest parse_log_request(const std::string& text);
// Usage Error when a pattern matches no block: with the nearest name, or what there is and what a pattern looks like.
void check_log_requests(const std::vector<LogRequest>& requests, const std::vector<std::string>& blocks);

// A line per sentence: simulated time, block, sentence. Lines come in the order in which blocks act.
class EventLog final : public contract::IBlockLog {
 public:
  // To standard error as they come, or into `file`, which its owner commits.
  EventLog(std::vector<LogRequest> requests, OutputFile* file);
  ~EventLog() override;
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  std::optional<contract::LogLevel> level_of(const std::string& block) override;
  void write(contract::LogLevel level, TimeFs at, const std::string& block, const std::string& sentence) override;
  // Writes a warning of the simulation kernel.
  void warn(const std::string& sentence);

 private:
  struct Logger;
  std::vector<LogRequest> requests_;
  std::unique_ptr<Logger> logger_;
};

}  // namespace kb::observe
