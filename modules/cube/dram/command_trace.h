// Text of the commands of memory channels: a header with preset, overridden timing and geometry, then a line per
// command.
#pragma once

#include <iosfwd>
#include <string>

#include "modules/cube/dram/channel.h"

namespace kb::dram {

// Lines:
//   # kernbench dram-trace 1
//   # preset hbm2_2000
//   # tck_fs 1000000
//   # geometry pcs 2 sids 1 bank_groups 4 banks 4 rows 32768
//   # timing BL 2 CL 14 ...
//   time_fs channel command bank row transaction
class CommandTrace final : public CommandSink {
 public:
  // Writes the header. The stream and the channel's number stay as long as the sink.
  CommandTrace(std::ostream& to, const Standard& standard, std::uint32_t channel);
  // Another channel of the same memory.
  CommandTrace(const CommandTrace& other, std::uint32_t channel);

  void on_command(const IssuedCommand& command) override;

 private:
  std::ostream& to_;
  TimeFs half_;
  std::uint32_t channel_;
};

}  // namespace kb::dram
