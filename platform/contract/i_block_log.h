// The interface between blocks and the log of what they do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/base/units.h"

namespace kb::contract {

// info: commands and transactions of a block; debug: each header that passes, too.
enum class LogLevel : std::uint8_t { info, debug };

class IBlockLog {
 public:
  virtual ~IBlockLog() = default;
  // The level for the block with this node id, none: log off. Asked once, before the run.
  virtual std::optional<LogLevel> level_of(const std::string& block) = 0;
  // A sentence about what the block does at a simulated time. Never moves time.
  virtual void write(LogLevel level, TimeFs at, const std::string& block, const std::string& sentence) = 0;
};

}  // namespace kb::contract
