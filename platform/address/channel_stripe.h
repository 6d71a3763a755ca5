// How the bytes of an HBM slice are spread over the channels of its controller.
#pragma once

#include <cstdint>
#include <vector>

namespace kb::address {

// What an access has on one channel.
struct ChannelPart {
  std::uint32_t channel = 0;
  std::uint64_t offset = 0;  // of its first byte in the cube's HBM
  std::uint64_t nbytes = 0;
  friend bool operator==(const ChannelPart& a, const ChannelPart& b) {
    return a.channel == b.channel && a.offset == b.offset && a.nbytes == b.nbytes;
  }
};

// Byte o of a cube's HBM lies on channel (o / granule) mod channels, whoever accesses it: the rule by which a
// controller chooses the pseudo-channel of a burst, so that a physical address stays the one of contiguous memory. One
// access touches a channel at every channels * granule bytes.
class ChannelStripe {
 public:
  // `granule` in bytes; both at least 1.
  ChannelStripe(std::uint64_t granule, std::uint32_t channels) : granule_(granule), channels_(channels) {}

  std::uint32_t channels() const { return channels_; }
  std::uint32_t channel_of(std::uint64_t offset) const {
    return static_cast<std::uint32_t>(offset / granule_ % channels_);
  }
  // Appends one part per channel that bytes [offset, offset + nbytes) touch, in the order of their first bytes. The
  // parts together have every byte once. Takes time in the number of channels, not of bytes.
  void split(std::uint64_t offset, std::uint64_t nbytes, std::vector<ChannelPart>& parts) const;

 private:
  std::uint64_t granule_;
  std::uint32_t channels_;
};

}  // namespace kb::address
