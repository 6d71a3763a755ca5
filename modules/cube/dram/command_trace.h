// Text of the commands of memory channels: a header with preset, overridden timing and geometry, then a line per
// command.
#pragma once

#include <deque>
#include <iosfwd>
#include <string>

#include "platform/base/units.h"
#include "platform/dram/commands.h"

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

// The traces of all channels of a machine in one text, whose header says which controller has which channels:
//   # channel 3 sip0.cube0.hbm_ctrl.pe0
class CommandTraces final : public CommandLog {
 public:
  explicit CommandTraces(std::ostream& to) : to_(to) {}

  CommandSink& channel(const std::string& controller, const Standard& standard) override;
  bool empty() const { return channels_.empty(); }

 private:
  std::ostream& to_;
  std::string header_;  // of the first channel
  std::deque<CommandTrace> channels_;
};

}  // namespace kb::dram
