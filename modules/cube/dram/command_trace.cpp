#include "modules/cube/dram/command_trace.h"

#include <fmt/format.h>

#include <iterator>
#include <ostream>

namespace kb::dram {

CommandTrace::CommandTrace(std::ostream& to, const Standard& standard, std::uint32_t channel)
    : to_(to), half_(standard.tck / 2), channel_(channel) {
  const Geometry& g = standard.geometry;
  to_ << "# kernbench dram-trace 1\n# preset " << standard.name << "\n# tck_fs " << standard.tck.fs()
      << "\n# geometry pcs " << kPcs << " sids " << g.sids << " bank_groups " << g.bank_groups << " banks " << g.banks
      << " rows " << g.rows << "\n# timing";
  Timing timing = standard.timing;
  for (const std::string& key : timing_keys()) to_ << ' ' << key << ' ' << timing_value(timing, key);
  to_ << "\n# time_fs channel command bank row transaction\n";
}

CommandTrace::CommandTrace(const CommandTrace& other, std::uint32_t channel)
    : CommandSink(), to_(other.to_), half_(other.half_), channel_(channel) {}

void CommandTrace::on_command(const IssuedCommand& command) {
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "{} {} {} {} {} {}\n", (command.at * half_).fs(), channel_,
                 kCommandNames[index(command.command)], command.bank, command.row, command.transaction);
  to_.write(line.data(), static_cast<std::streamsize>(line.size()));
}

}  // namespace kb::dram
