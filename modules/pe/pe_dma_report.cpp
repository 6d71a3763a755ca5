// Reports of PE_DMA: errors of commands, statistics, and open waits of a deadlocked run.
#include <fmt/format.h>

#include "modules/pe/pe_dma.h"
#include "platform/address/address_space.h"
#include "platform/base/error.h"
#include "platform/contract/command.h"

namespace kb::modules {

void PeDma::check_local(const contract::Command& command) const {
  const std::uint64_t memory = total_bytes(command.memory);
  const std::uint64_t local = total_bytes(command.local);
  if (memory != local) {
    throw Error::program("SCHEMA_ERROR", fmt::format("a DMA command moves {} bytes of memory and {} bytes of TCM; both "
                                                     "sides must be equal",
                                                     memory, local));
  }
  for (const Extent& extent : command.local) {
    if (address::space_of(extent.pa) == address::AddressSpace::message) continue;  // a received value
    if (extent.pa >= tcm_begin_ && extent.pa <= tcm_end_ && extent.nbytes <= tcm_end_ - extent.pa) continue;
    throw Error::program("ADDRESS_ERROR", fmt::format("{} bytes at {:#x} are not in the TCM of this PE, {:#x} to {:#x}",
                                                      extent.nbytes, extent.pa, tcm_begin_, tcm_end_ - 1));
  }
}

std::string PeDma::origin(const payload::Transaction& transaction) const {
  return " (" + text_of(*operations_[transaction.cookie].task) + ")";
}

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
