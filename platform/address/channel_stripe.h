// Interleaving of an HBM slice over the channels of its controller.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/params/hbm_ctrl_params.h"

namespace kb::address {

// The part of an access on one channel.
struct ChannelPart {
  std::uint32_t channel = 0;
  std::uint64_t offset = 0;  // offset of the first byte in the cube's HBM
  std::uint64_t nbytes = 0;
  friend bool operator==(const ChannelPart& a, const ChannelPart& b) {
    return a.channel == b.channel && a.offset == b.offset && a.nbytes == b.nbytes;
  }
};

using params::ChannelHash;

// Byte o of a cube's HBM lies in burst b = o / burst_bytes, on channel b mod channels, for every initiator. The
// controller chooses the pseudo-channel by the same rule, so that physical addresses stay those of contiguous memory.
// With a folded hash the higher digits of b (to the base `channels`, a power of two) are added to the lowest one
// without carry, so that accesses at a power-of-two stride also spread over the channels. In both cases an aligned
// group of `channels` bursts has one burst on each channel.
class ChannelStripe {
 public:
  // `burst_bytes` and `channels` are at least 1; with a hash, `channels` is a power of two.
  ChannelStripe(std::uint64_t burst_bytes, std::uint32_t channels, ChannelHash hash = ChannelHash::none)
      : burst_bytes_(burst_bytes), channels_(channels), hash_(channels > 1 ? hash : ChannelHash::none) {
    for (; (1u << digit_) < channels_; ++digit_) mask_ = 2 * mask_ + 1;
  }

  std::uint32_t channels() const { return channels_; }
  bool is_hashed() const { return hash_ != ChannelHash::none; }
  std::uint32_t channel_of(std::uint64_t offset) const { return channel_of_burst(offset / burst_bytes_); }
  std::uint32_t channel_of_burst(std::uint64_t burst) const {
    if (hash_ == ChannelHash::none) {
      return static_cast<std::uint32_t>(mask_ + 1 == channels_ ? burst & mask_ : burst % channels_);
    }
    std::uint64_t folded = 0;
    for (std::uint64_t rest = burst; rest != 0; rest >>= digit_) folded ^= rest;
    return static_cast<std::uint32_t>(folded & mask_);
  }
  // Appends one part for each channel that bytes [offset, offset + nbytes) touch, in the order of their first bytes.
  // Each byte is in exactly one part. The time depends on the number of channels, not of bytes.
  void split(std::uint64_t offset, std::uint64_t nbytes, std::vector<ChannelPart>& parts) const;

 private:
  std::uint64_t burst_bytes_;
  std::uint32_t channels_;
  ChannelHash hash_;
  unsigned digit_ = 0;  // number of bits in a channel number
  std::uint64_t mask_ = 0;
};

// Creates the stripe of a controller.
ChannelStripe channel_stripe(const params::HbmCtrlParams& hbm_ctrl);

}  // namespace kb::address
