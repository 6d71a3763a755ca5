// A channel of a memory with banks, cycle by cycle from the rules C-DRAM-0 .. C-DRAM-13: every edge looks at every
// queued access. Independent of modules/cube/dram except for the types of its input and output.
#pragma once

#include <functional>
#include <vector>

#include "modules/cube/dram/channel.h"

namespace kb::test {

struct PlainDramResult {
  std::vector<dram::IssuedCommand> commands;
  std::vector<dram::Answer> answers;  // in order of `burst.tag`, which is the index of the burst
  std::vector<TimeFs> freed;          // when each burst left the queue
  dram::ChannelStatistics statistics;
};

// `hold`: how long a read's flit keeps its response entry after it is ready. Runs until everything is answered and at
// least until `end`.
PlainDramResult run_plain_dram(const dram::ChannelConfig& config, const std::vector<dram::Burst>& bursts,
                               const std::function<TimeFs(const dram::Burst&)>& hold, TimeFs end = TimeFs{});

}  // namespace kb::test
