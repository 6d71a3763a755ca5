// A channel of a memory with banks, cycle by cycle from the rules C-DRAM-0 .. C-DRAM-13: every edge looks at every
// queued access. Independent of modules/cube/dram except for the types of its input and output.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "modules/cube/dram/channel.h"

namespace kb::test {

struct PlainDramResult {
  std::vector<dram::IssuedCommand> commands;
  std::vector<dram::Answer> answers;  // by number of the burst
  std::size_t answered = 0;
  std::vector<TimeFs> freed;  // when each burst left the queue
  dram::ChannelStatistics statistics;
};

// The same one edge after the other, for who finds out only then when a burst arrives and its data leave.
class PlainChannel {
 public:
  explicit PlainChannel(const dram::ChannelConfig& config);
  ~PlainChannel();
  void push(const dram::Burst& burst);  // before the edge at which it is schedulable
  void release(TimeFs taken);           // a response entry; from taken + frontend on it is usable
  TimeFs next_edge() const;
  void look();                            // at the next edge
  const PlainDramResult& result() const;  // by number of the burst
  // Numbers of the bursts that were answered at the latest edge.
  const std::vector<std::size_t>& answered() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// `hold`: how long a read's flit keeps its response entry after it is ready. Runs until everything is answered and at
// least until `end`.
PlainDramResult run_plain_dram(const dram::ChannelConfig& config, const std::vector<dram::Burst>& bursts,
                               const std::function<TimeFs(const dram::Burst&)>& hold, TimeFs end = TimeFs{});

}  // namespace kb::test
