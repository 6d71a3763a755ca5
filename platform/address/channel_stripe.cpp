#include "platform/address/channel_stripe.h"

#include <algorithm>
#include <string>
#include <variant>

namespace kb::address {

void ChannelStripe::split(std::uint64_t offset, std::uint64_t nbytes, std::vector<ChannelPart>& parts) const {
  if (nbytes == 0) return;
  const std::uint64_t end = offset + nbytes;
  const std::uint64_t first = offset / burst_bytes_, behind = (end - 1) / burst_bytes_ + 1;
  const std::size_t own = parts.size();  // existing parts of the caller
  const auto add = [&](std::uint64_t burst) {
    const std::uint32_t channel = channel_of_burst(burst);
    const std::uint64_t begin = std::max(offset, burst * burst_bytes_);
    const std::uint64_t bytes = std::min(end, (burst + 1) * burst_bytes_) - begin;
    const auto part = std::find_if(parts.begin() + static_cast<std::ptrdiff_t>(own), parts.end(),
                                   [&](const ChannelPart& p) { return p.channel == channel; });
    if (part == parts.end()) {
      parts.push_back({channel, begin, bytes});
    } else {
      part->nbytes += bytes;
    }
  };
  // Aligned groups in the middle add the same to each channel; only the bytes before and after them are iterated, and
  // one group, so that every channel has a part.
  const std::uint64_t looked_at = std::min(behind, (first / channels_ + 2) * channels_);
  const std::uint64_t groups = behind > looked_at ? (behind - 1 - looked_at) / channels_ : 0;
  for (std::uint64_t burst = first; burst < looked_at; ++burst) add(burst);
  for (std::size_t i = own; groups > 0 && i < parts.size(); ++i) parts[i].nbytes += groups * burst_bytes_;
  for (std::uint64_t burst = looked_at + groups * channels_; burst < behind; ++burst) add(burst);
}

ChannelStripe channel_stripe(const params::HbmCtrlParams& hbm_ctrl) {
  return {static_cast<std::uint64_t>(hbm_ctrl.burst_bytes), static_cast<std::uint32_t>(hbm_ctrl.num_pcs),
          hbm_ctrl.channel_hash};
}

}  // namespace kb::address
