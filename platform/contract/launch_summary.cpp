#include "platform/contract/launch_summary.h"

#include <algorithm>

#include "platform/contract/completion.h"
#include "platform/contract/share_words.h"

namespace kb::contract {

void LaunchSummary::add(const LaunchSummary& other) {
  if (other.pes == 0) return;
  start = std::min(start, other.start);
  exec_min = pes == 0 ? other.exec_min : std::min(exec_min, other.exec_min);
  exec_max = std::max(exec_max, other.exec_max);
  dma_max = std::max(dma_max, other.dma_max);
  channel_max = std::max(channel_max, other.channel_max);
  compute_max = std::max(compute_max, other.compute_max);
  accumulate(macs, other.macs);
  accumulate(useful_macs, other.useful_macs);
  late_max = std::max(late_max, other.late_max);
  pes += other.pes;
  late_pes += other.late_pes;
}

LaunchSummary summarise(const std::vector<PeResult>& pes) {
  LaunchSummary summary;
  for (const PeResult& pe : pes) {
    const bool late = pe.late > 0_fs;
    const TimeFs channel = std::max(pe.shares.of(PeResource::read_channel), pe.shares.of(PeResource::write_channel));
    summary.add({pe.start, pe.exec, pe.exec, pe.dma, channel, pe.compute, pe.macs, pe.useful_macs, pe.late, 1,
                 late ? std::size_t{1} : 0});
  }
  return summary;
}

}  // namespace kb::contract
