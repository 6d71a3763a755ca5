#include "sim/analysis/findings/limiter.h"

#include <algorithm>

#include "platform/contract/time_shares.h"
#include "platform/observe/text_table.h"
#include "sim/analysis/findings/case.h"

namespace kb::sim {
namespace {

using contract::PeResource;
using contract::TimeShare;

std::string resource_phrase(PeResource resource) {
  switch (resource) {
    case PeResource::compute:
      return "the compute engines";
    case PeResource::read_link:
      return "the link that brings data to the PE";
    case PeResource::write_link:
      return "the link that takes data from the PE";
    case PeResource::tcm_read:
      return "FETCH, TCM to registers";
    case PeResource::tcm_write:
      return "STORE, registers to TCM";
    case PeResource::hbm_slice:
      return "the PE's own HBM slice, reads and writes together";
    case PeResource::read_channel:
      return "the DMA read channels, round trips included";
    case PeResource::write_channel:
      return "the DMA write channels, round trips included";
  }
  return "?";
}

}  // namespace

std::string share_phrase(TimeShare share) {
  switch (share) {
    case TimeShare::gemm:
      return "computed in PE_GEMM";
    case TimeShare::math:
      return "computed in PE_MATH";
    case TimeShare::queue_full:
      return "waited for room in the next block";
    case TimeShare::tlb:
      return "waited for address translation";
    case TimeShare::channel_busy:
      return "waited for a DMA channel";
    case TimeShare::tcm:
      return "waited for FETCH and STORE";
    case TimeShare::dma:
      return "waited for transfers";
    case TimeShare::scalar:
      return "ran on its CPU";
    case TimeShare::dependency:
      return "waited for other PEs";
  }
  return "?";
}

std::string Limiter::text(TimeFs kernel) const {
  return phrase + ", " + observe::fixed(100.0 * fs_to_ns(time) / fs_to_ns(kernel), 1) + " %";
}

std::optional<Limiter> limiter_of(const LaunchRecord& launch) {
  const LaunchRecord::LastPe* const pe = launch.last_pe();
  if (pe == nullptr || pe->exec == 0_fs) return std::nullopt;
  const PeResource resource = pe->shares.limiter();
  const TimeFs busy = pe->shares.of(resource);
  if (busy >= pe->exec - pe->exec / 2) {
    return Limiter{std::string(pe_resource_name(resource)), resource_phrase(resource), busy};
  }
  const auto& times = pe->shares.time;
  const auto largest = std::max_element(times.begin(), times.end());
  if (*largest == 0_fs) return std::nullopt;
  const auto share = static_cast<TimeShare>(largest - times.begin());
  const bool messages = share == TimeShare::dependency && launch.awaited;
  return Limiter{std::string(time_share_name(share)),
                 messages ? "waited for messages, mostly from " + pe_name(*launch.awaited) : share_phrase(share),
                 *largest};
}

void name_awaited(std::deque<LaunchRecord>& launches, const MessageWaits& waits) {
  for (LaunchRecord& launch : launches) {
    const LaunchRecord::LastPe* const pe = launch.last_pe();
    if (pe == nullptr) continue;
    const auto peer = waits.most_awaited(pe->pe, pe->start, pe->start + pe->exec);
    if (peer) launch.awaited = peer->sender;
  }
}

}  // namespace kb::sim
