#include "platform/contract/time_shares.h"

#include <algorithm>
#include <numeric>

namespace kb::contract {

std::string_view time_share_name(TimeShare share) {
  constexpr std::array<std::string_view, kTimeShares> kNames{"gemm", "math", "queue_full", "tlb",       "channel_busy",
                                                             "tcm",  "dma",  "scalar",     "dependency"};
  return kNames[static_cast<std::size_t>(share)];
}

std::string_view pe_resource_name(PeResource resource) {
  constexpr std::array<std::string_view, kPeResources> kNames{
      "compute", "read_link", "write_link", "tcm_read", "tcm_write", "hbm_slice", "read_channel", "write_channel"};
  return kNames[static_cast<std::size_t>(resource)];
}

TimeFs TimeShares::total() const {
  return std::accumulate(time.begin(), time.end(), 0_fs);
}

PeResource TimeShares::limiter() const {
  const TimeFs most = *std::max_element(busy.begin(), busy.end());
  const auto near = [&](TimeFs value) { return value >= most - most / 20; };
  const auto physical = busy.begin() + static_cast<std::ptrdiff_t>(PeResource::read_channel);
  const auto busiest = std::max_element(busy.begin(), physical);
  const auto found = near(*busiest) ? busiest : std::max_element(physical, busy.end());
  return static_cast<PeResource>(found - busy.begin());
}

TimeShares& TimeShares::operator-=(const TimeShares& other) {
  for (std::size_t i = 0; i < time.size(); ++i) time[i] -= other.time[i];
  for (std::size_t i = 0; i < busy.size(); ++i) busy[i] -= other.busy[i];
  return *this;
}

}  // namespace kb::contract
