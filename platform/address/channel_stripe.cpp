#include "platform/address/channel_stripe.h"

#include <algorithm>

namespace kb::address {

void ChannelStripe::split(std::uint64_t offset, std::uint64_t nbytes, std::vector<ChannelPart>& parts) const {
  if (nbytes == 0) return;
  const std::uint64_t end = offset + nbytes;
  const std::uint64_t first = offset / granule_;
  const std::uint64_t last = (end - 1) / granule_;
  for (std::uint64_t chunk = first; chunk <= last && chunk - first < channels_; ++chunk) {
    const std::uint64_t chunks = (last - chunk) / channels_ + 1;
    const std::uint64_t begin = std::max(offset, chunk * granule_);
    std::uint64_t bytes = chunks * granule_ - (begin - chunk * granule_);
    if ((last - chunk) % channels_ == 0) bytes -= (last + 1) * granule_ - end;  // it has the last chunk
    parts.push_back({static_cast<std::uint32_t>(chunk % channels_), begin, bytes});
  }
}

}  // namespace kb::address
