// The seam between blocks and who writes down what they do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/base/units.h"

namespace kb::contract {

// What is written down of a block: its commands and transactions, or each header that passes as well.
enum class LogLevel : std::uint8_t { info, debug };

class IBlockLog {
 public:
  virtual ~IBlockLog() = default;
  // What is wanted of the block with this node id; asked once, before the run.
  virtual std::optional<LogLevel> level_of(const std::string& block) = 0;
  // A sentence about what the block does at a simulated time. Never moves time.
  virtual void write(LogLevel level, TimeFs at, const std::string& block, const std::string& sentence) = 0;
};

}  // namespace kb::contract
