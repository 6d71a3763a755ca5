// Commands of a memory channel, and who wants to see them.
#pragma once

#include <cstdint>
#include <string>

#include "platform/dram/constraints.h"
#include "platform/dram/standards.h"

namespace kb::dram {

struct IssuedCommand {
  std::int64_t at = 0;  // in half ticks of tCK
  Command command = Command::act;
  std::uint32_t bank = 0;         // (pc, sid, bank group, bank)
  std::uint32_t row = 0;          // 0 of PRE and refresh
  std::uint64_t transaction = 0;  // 0 without one
};

class CommandSink {
 public:
  virtual ~CommandSink() = default;
  virtual void on_command(const IssuedCommand& command) = 0;
};

// The commands of all memories of a machine.
class CommandLog {
 public:
  virtual ~CommandLog() = default;
  // The sink of the next channel of a controller; it lives as long as the log. Configuration Error when the log cannot
  // have channels of different standards.
  virtual CommandSink& channel(const std::string& controller, const Standard& standard) = 0;
};

}  // namespace kb::dram
