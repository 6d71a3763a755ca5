#include "modules/cube/dram/command_trace.h"

#include <fmt/format.h>

#include <iterator>
#include <ostream>

#include "platform/base/error.h"

namespace kb::dram {

namespace {

std::string header_of(const Standard& standard) {
  const Geometry& g = standard.geometry;
  std::string text = fmt::format(
      "# kernbench dram-trace 2\n# preset {}\n# tck_fs {}\n# geometry pcs {} sids {} bank_groups {} "
      "banks {} rows {}\n# half_ticks ACT {} PRE {} PRE_edge {}\n# timing",
      standard.name, standard.tck.fs(), kPcs, g.sids, g.bank_groups, g.banks, g.rows, standard.act_halves,
      standard.pre_halves, standard.pre_step);
  Timing timing = standard.timing;
  for (const std::string& key : timing_keys()) text += fmt::format(" {} {}", key, timing_value(timing, key));
  return text + "\n# time_fs channel command bank row transaction\n";
}

}  // namespace

CommandTrace::CommandTrace(std::ostream& to, const Standard& standard, std::uint32_t channel)
    : to_(to), half_(standard.tck / 2), channel_(channel) {
  to_ << header_of(standard);
}

CommandTrace::CommandTrace(const CommandTrace& other, std::uint32_t channel)
    : CommandSink(), to_(other.to_), half_(other.half_), channel_(channel) {}

void CommandTrace::on_command(const IssuedCommand& command) {
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "{} {} {} {} {} {}\n", (command.at * half_).fs(), channel_,
                 kCommandNames[index(command.command)], command.bank, command.row, command.transaction);
  to_.write(line.data(), static_cast<std::streamsize>(line.size()));
}

CommandSink& CommandTraces::channel(const std::string& controller, const Standard& standard) {
  const auto number = static_cast<std::uint32_t>(channels_.size());
  const std::string header = header_of(standard);
  if (channels_.empty()) {
    channels_.emplace_back(to_, standard, number);
    header_ = header;
  } else {
    if (header != header_) {
      throw Error::configuration("a trace of memory commands has one preset, geometry and timing, but " + controller +
                                 " differs from the controllers before it");
    }
    channels_.emplace_back(channels_.front(), number);
  }
  to_ << "# channel " << number << ' ' << controller << '\n';
  return channels_.back();
}

}  // namespace kb::dram
