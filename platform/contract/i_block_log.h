// Interface between the blocks and the log of their actions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/base/units.h"

namespace kb::contract {

// info: commands and transactions of a block; debug: also each header that passes.
enum class LogLevel : std::uint8_t { info, debug };

class IBlockLog {
 public:
  virtual ~IBlockLog() = default;
  // Log level of the block with this node id; no value when its log is off. Blocks ask once, before the run.
  virtual std::optional<LogLevel> level_of(const std::string& block) = 0;
  // Logs a sentence about an action of the block at a simulated time. Logging never changes a simulated time.
  virtual void write(LogLevel level, TimeFs at, const std::string& block, const std::string& sentence) = 0;
};

}  // namespace kb::contract
