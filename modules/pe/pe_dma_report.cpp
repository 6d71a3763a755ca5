// Reports of PE_DMA: statistics, and open waits of a deadlocked run.
#include <fmt/format.h>

#include "modules/pe/pe_dma.h"

namespace kb::modules {

void PeDma::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  FabricEndpoint::collect_statistics(statistics);
  const auto add = [&](const Channels& channels, const std::string& name) {
    if (channels.commands == 0) return;
    statistics.push_back({name + "_commands", channels.commands, "1"});
    statistics.push_back({name + "_failures", channels.failures, "1"});
    statistics.push_back({name + "_requests", channels.requests, "1"});
    statistics.push_back({name + "_bytes", channels.bytes, "B"});
    statistics.push_back({name + "_busy", channels.busy_time});
    statistics.push_back({name + "_wait", channels.wait});
    if (translator() == nullptr) return;
    statistics.push_back({name + "_translations", channels.translations, "1"});
    statistics.push_back({name + "_translation_time", channels.translation_time});
    statistics.push_back({name + "_fallbacks", channels.fallbacks, "1"});
  };
  add(read_, "read");
  add(write_, "write");
  baaw_.collect_statistics(statistics);
  vc_comm_.collect_statistics(statistics);
  tcm_access_.collect_statistics(statistics);
  if (queue_full_time() > 0_fs) statistics.push_back({"queue_full", queue_full_time()});
}

void PeDma::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  const auto add = [&](const Channels& channels, const char* name) {
    for (std::size_t i = 0; i < channels.queue.size(); ++i) {
      const Waiting& waiting = channels.queue[i];
      waits.push_back(
          {fmt::format("{}: tl.{} #{}", node_id(), waiting.task->command->call, waiting.task->command->call_index),
           fmt::format("a free {} channel ({} of {} busy)", name, channels.busy, channels.engines), waiting.since});
    }
  };
  add(read_, "read");
  add(write_, "write");
  FabricEndpoint::collect_waits(waits);
}

}  // namespace kb::modules
