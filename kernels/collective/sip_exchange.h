// The inter-SIP phase of a hierarchical collective (K-60 .. K-62).
#pragma once

#include <cstdint>
#include <string>

#include "kernels/collective/reduction.h"
#include "kernels/tl/context.h"
#include "platform/base/machine_choices.h"

namespace kb::kernels {

// Directions to the neighbours of a SIP.
struct SipLinks {
  explicit SipLinks(const std::string& prefix = "global_")
      : east(prefix + "E"), west(prefix + "W"), south(prefix + "S"), north(prefix + "N") {}
  std::string east, west, south, north;
};

// The position of this SIP in the grid; SIPs are numbered row by row (K-11). A ring has no grid: width and height are
// 0.
struct SipPlace {
  std::int64_t count = 1;
  std::int64_t rank = 0;
  SipTopology topology = SipTopology::ring_1d;
  std::int64_t width = 0, height = 0;
  SipLinks links = SipLinks();
};

// The arguments of a kernel that describe the SIPs (K-45).
struct SipArguments {
  std::int64_t n_sips = 0, sip_rank = 0, sip_topo_kind = 0, sip_topo_w = 0, sip_topo_h = 0;
};

// `links` is the prefix of the direction labels. Program Error KERNEL_ERROR when the topology is unknown or the grid
// does not match the number of SIPs (K-46).
SipPlace sip_place(tl::Context& tl, const SipArguments& args, const std::string& links = "global_");

// Order of additions on a ring of SIPs.
enum class SumOrder {
  of_arrival,  // as contributions arrive; ranks may differ in the last bits
  of_ranks,    // in rank order, when all have arrived; all ranks get the same bits
};

// Combines `acc` of all SIPs over their links. Every SIP returns the same value; on rings values may differ by rounding
// unless the order is of_ranks. All SIPs call it with equal shapes; `acc` is in scratch and holds the result.
// - ring: n - 1 rounds; a SIP forwards the block of the previous round, so that it adds every other block once (K-60)
// - torus: a ring along the row, then a ring of the row sums along the column (K-61)
// - mesh: along the row to its east end and back, then along the column to its south end and back (K-62)
void exchange_between_sips(tl::Context& tl, const SipPlace& sip, const Reduction& reduction, tl::TensorHandle& acc,
                           SumOrder order = SumOrder::of_arrival);

}  // namespace kb::kernels
