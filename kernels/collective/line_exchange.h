// Combinations along one dimension of PEs or SIPs; every member calls them with equal shapes.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/collective/reduction.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

// The two directions of one dimension of a grid.
struct Axis {
  std::string_view up, down;
};

// Combines `acc` of all `size` members of a ring in size - 1 rounds. In each round a member forwards the block of the
// previous round, so that it adds every other block once (K-60). `acc` is in scratch and holds the result.
void combine_ring(tl::Context& tl, const Axis& axis, std::int64_t size, const Reduction& reduction,
                  tl::TensorHandle& acc);

// Like combine_ring(), but adds the contributions in member order after all have arrived, so that all members get the
// same bits. `place` is the caller's index, [0, size).
void combine_ring_in_order(tl::Context& tl, const Axis& axis, std::int64_t size, std::int64_t place,
                           const Reduction& reduction, tl::TensorHandle& acc);

// Like combine_ring(), but on a line: to its upper end, and back (K-62).
void combine_chain(tl::Context& tl, const Axis& axis, std::int64_t size, std::int64_t place, const Reduction& reduction,
                   tl::TensorHandle& acc);

}  // namespace kb::kernels
