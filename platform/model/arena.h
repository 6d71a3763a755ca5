// Places tensors in the HBM slices of a SIP, so that equal tensors of different layers meet the channels equally.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/address/channel_stripe.h"
#include "platform/topology/machine_spec.h"

namespace kb::model {

// The slices of a SIP. A tensor lies in equal parts on all of them, at the same offset.
struct ArenaGeometry {
  std::int64_t pes = 1;           // slices of a SIP
  std::int64_t pes_per_cube = 1;  // slices whose addresses follow each other
  std::uint64_t slice_bytes = 0;
  std::uint64_t burst_bytes = 256;
  std::uint32_t channels = 8;
  address::ChannelHash hash = address::ChannelHash::none;

  // Bytes after which the channels repeat without a hash; offsets are multiples of it.
  std::uint64_t period() const { return burst_bytes * channels; }
  // Part of a tensor that lies in each slice, rounded up to period().
  std::uint64_t part_of(std::uint64_t bytes) const;
};
ArenaGeometry arena_geometry(const topology::MachineSpec& machine);

struct ArenaTensor {
  std::string role;         // equal in all layers
  std::int64_t layer = -1;  // -1: belongs to no layer
  std::uint64_t part = 0;   // bytes in each slice, a multiple of period()
};

struct ArenaPlan {
  std::vector<std::uint64_t> offsets;  // in a slice, by tensor
  std::uint64_t end = 0;               // bytes that are taken of each slice
  // Classes of addresses among layers that have the same tensors; 1: a launch on one layer meets the channels exactly
  // as on any other.
  std::int64_t classes = 1;
};

// Without a hash every offset is a multiple of period(), which is one class. With a hash, the channel of a byte is the
// exclusive or of all digits of its burst's number: a layer is laid into `channels` bins of a power of two bytes, and
// the bins are exchanged from layer to layer so that the digits above a bin give each tensor the same channel in every
// layer. That costs room: where it does not fit in the slice, and where addresses carry from a slice into the next
// digit, layers have several classes. Layers with different tensors are classes of their own and are not counted.
ArenaPlan plan_arena(const std::vector<ArenaTensor>& tensors, const ArenaGeometry& geometry);

}  // namespace kb::model
