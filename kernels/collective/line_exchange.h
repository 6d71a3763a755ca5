// Combinations along one dimension of PEs or SIPs, which every PE of it calls with equal shapes.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/collective/reduction.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

// Opposite ends of one dimension of a grid.
struct Axis {
  std::string_view up, down;
};

// `acc` of all `size` members of a ring, in size - 1 rounds; the block of the round before goes on, so that each member
// adds every other's once (K-60). `acc` lies in scratch and holds the result.
void combine_ring(tl::Context& tl, const Axis& axis, std::int64_t size, const Reduction& reduction,
                  tl::TensorHandle& acc);

// combine_ring() where contributions are added in the order of places once all are here, so that all members get the
// same bits. `place` is the caller's, [0, size).
void combine_ring_in_order(tl::Context& tl, const Axis& axis, std::int64_t size, std::int64_t place,
                           const Reduction& reduction, tl::TensorHandle& acc);

// Without the link around: to the upper end, and back (K-62).
void combine_chain(tl::Context& tl, const Axis& axis, std::int64_t size, std::int64_t place, const Reduction& reduction,
                   tl::TensorHandle& acc);

}  // namespace kb::kernels
